# SPDX-License-Identifier: MIT
"""What the tests of `kernelgate baseline record` share: comparisons whose figures a plan gives, on a GPU that is not there and on
the CPU model."""

import json
import os

from command_fixture import MODEL, SOUND_GPU, Folder

SLOW = "fake/plain/64/b32"
QUICK = "fake/quick/64/b32"
PATH = "baselines/nvidia-fake.json"
SESSIONS = "baselines/sessions/nvidia-fake.json"
BOARD = "unknown"  # the fake has no UUID
COUNTS = "baselines/cpu-model.json"
RIGHT = "fake/plain/*,fake/quick/*"  # what the fake comparison has right
REQUESTS = f"* {SLOW} global_load_requests 300 line kernels/fake/plain.cu:14 global_load_requests 300"
NOTHING = " ".join(["* * global_load_requests 0 global_load_sectors 0 global_store_requests 0 global_store_sectors 0 barriers 0",
                    "unique_bytes_read 0 unique_bytes_written 0", *(
                        f"line kernels/fake/plain.cu:{line} {counter} 0" for line, counter in (
                            (14, "global_load_requests"), (14, "global_load_sectors"), (15, "barriers"),
                            (16, "global_store_requests"), (16, "global_store_sectors")))])


def differing_lines(first, second):
    """How many lines of two texts differ, which have as many; None where they have not."""
    first, second = first.splitlines(), second.splitlines()
    return sum(a != b for a, b in zip(first, second)) if len(first) == len(second) else None


class Recording(Folder):
    def setUp(self):
        super().setUp()
        self.environment.update(KG_OUT="out", KG_CASE_TIMEOUT="20", **{
            name: os.path.abspath(name.lower()[len("FAKE_"):])
            for name in ("FAKE_LOG", "FAKE_PLAN", "FAKE_COUNT_LOG", "FAKE_COUNT_PLAN")})

    def plan(self, *lines):
        """What the processes do: the first one checks, the others are sessions."""
        self.write("plan", "".join(f"{line}\n" for line in lines))

    def plan_counts(self, *lines):
        """The same of the instrumented processes: the first one checks, two count."""
        self.write("count_plan", "".join(f"{line}\n" for line in lines))

    def arguments(self, program, *options):
        for log in ("log", "count_log"):
            if os.path.exists(log):
                os.unlink(log)
        return "baseline", "record", "--baselines", "baselines", "--commit", "abcdef0123", program, *options

    def record(self, told="", *options, code=0, program=SOUND_GPU, **settings):
        """Records with --json and checks the exit code. Returns the standard error; keeps the document in `printed`."""
        done = self.run_command(*self.arguments(program, *options), "--json", **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(told, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.printed = done.stdout
        return done.stderr

    def count(self, told="", *options, code=0, filter_=RIGHT, **settings):
        return self.record(told, *options, code=code, program=MODEL, KG_FILTER=filter_, **settings)

    def processes(self, log="log"):
        return self.read(log).count("\n")

    def stored(self, path=PATH):
        return json.loads(self.read(path))

    def sessions(self):
        return self.stored(SESSIONS)["sessions"]

    def case(self, path=PATH, case=SLOW):
        return self.stored(path)["cases"][case]

    def edit(self, change, path=PATH):
        """Changes a baseline as an editor does."""
        document = self.stored(path)
        change(document)
        self.write(path, document)

    def entry(self, document, group, **members):
        """The only entry of a document's list with these members."""
        found = [entry for entry in document[group] if all(entry.get(name) == value for name, value in members.items())]
        self.assertEqual(len(found), 1, document[group])
        return found[0]
