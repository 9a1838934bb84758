# SPDX-License-Identifier: MIT
"""kernelgate settle: makes the programs of a build settle the suspects of a run against those of a base build."""

import contextlib
import json
import os
import subprocess
import sys
import time

from kernelgate.base import color, run_lock
from kernelgate.base.command_line import add_json, print_output, read_number
from kernelgate.base.errors import Failure, complain
from kernelgate.base.json_io import json_text, list_of, member, text_of
from kernelgate.base.figures import plural
from kernelgate.base.settings import results_folder, setting
from kernelgate.base.text import clean
from kernelgate.report.console import case_line
from kernelgate.run.merge import ERROR, PASS, load_verdicts

SCHEMA = "kernelgate-settled/1"
PREFIX, SUFFIX = "gpu.", ".time"
VERDICTS = f"{SUFFIX}.verdicts.json"
SECONDS, PAIRED_SECONDS, SECONDS_LIMITS = 300.0, 3600.0, (0.001, 1e6)


def _builds(options):
    """The directories of both builds; refuses to compare a build with itself."""
    for name in ("base", "head"):
        if getattr(options, name) is None:
            raise Failure(f"settle: --{name} is missing: name the folder of a build")
        if not os.access(getattr(options, name), os.R_OK | os.X_OK):
            raise Failure(f"settle: --{name} {getattr(options, name)}: the folder cannot be read: name the folder of a build")
    if os.path.samefile(options.base, options.head):
        raise Failure(f"settle: --base {options.base} is --head {options.head}: name the folders of two builds")
    return options.base, options.head


class Settling:
    """The suspects of a run by comparison, and their results."""

    def __init__(self, options):
        self._builds = _builds(options)
        self.paired = options.paired or setting("KG_PAIRED") == "1"
        self.limit = PAIRED_SECONDS if self.paired else SECONDS
        if options.seconds is not None:
            self.limit = read_number("settle: --seconds", options.seconds, *SECONDS_LIMITS)
        self.base = {"ref": options.ref or setting("KG_BASE_REF") or "the base"}
        if setting("KG_BASE_COMMIT"):
            self.base["commit"] = setting("KG_BASE_COMMIT")
        self._folder = results_folder(options.out)
        self._stream = sys.stderr if options.json else sys.stdout
        self._began = time.monotonic()
        self._waiting = {}  # the number of suspects of each comparison
        self.suspects = []
        self.failed = False

    @property
    def seconds(self):
        return time.monotonic() - self._began

    def _say(self, text, word=""):
        self._stream.buffer.write(f"{word}{clean(text)}\n".encode("utf-8", "surrogateescape"))
        self._stream.flush()

    def _say_verdict(self, line):
        word, space, rest = clean(line).partition(" ")
        self._say(space + rest, color.paint(word, color.OF_WORDS.get(word) if color.is_wanted(self._stream) else None))

    def _fail(self, why):
        complain(why)
        self.failed = True

    def _path(self, comparison):
        return os.path.join(self._folder, "records", f"{PREFIX}{comparison}{VERDICTS}")

    def _entries(self, comparison):
        return list_of(load_verdicts(self._path(comparison)), "cases")

    def open(self):
        """Reads the suspects."""
        records = os.path.join(self._folder, "records")
        try:
            found = sorted(name for name in os.listdir(records) if name.startswith(PREFIX) and name.endswith(VERDICTS))
        except OSError:
            found = []
        if not found:
            raise Failure(f"{records}/{PREFIX}*{VERDICTS}: there are no such files: run the part `time` first, with KG_BASE set")
        for name in found:
            comparison = name[len(PREFIX):-len(VERDICTS)]
            try:
                count = sum(member(entry, "suspect") is True for entry in self._entries(comparison))
            except Failure as failure:
                self._fail(str(failure))
                continue
            if count:
                self._waiting[comparison] = count

    def _run(self, comparison, seconds, share):
        """The results of a comparison's program for its suspects; None with a complaint if it fails to run."""
        base, head = (os.path.join(folder, f"{comparison}.gpu") for folder in self._builds)
        settings = {"KG_OUT": os.path.abspath(self._folder), "KG_BASE": self._builds[0], "KG_BASE_REF": self.base["ref"],
                    **({"KG_PAIRED": "1"} if self.paired else {})}
        try:
            done = subprocess.run([os.path.abspath(head), "--settle", base, "--seconds", f"{seconds:.3f}", "--share", f"{share:.9f}"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._stream, check=False,
                                  env={**os.environ, **settings})
            suspects = json.loads(done.stdout)["suspects"]
        except (OSError, ValueError) as error:
            self._fail(f"{head}: its suspects stay as they are: {error}: build it again")
            return [{"case": entry["case"], "target": text_of(entry, "target"), "settled": False, "undisturbed_pairs": 0,
                     "disturbed_pairs": 0} for entry in self._entries(comparison) if member(entry, "suspect") is True]
        self.failed = self.failed or done.returncode != PASS
        return suspects

    def settle(self):
        """Settles one comparison after the other. Each one's share of the time and of the error rate is its share of
        the suspects; unused time passes to the others."""
        total = left = sum(self._waiting.values())
        if not total:
            if not self.failed:
                self._say("no suspects: nothing to settle")
            return
        commit = f" ({self.base['commit']})" if "commit" in self.base else ""
        self._say(f"settling {plural(total, 'suspect')} in {plural(len(self._waiting), 'comparison')} against {self.base['ref']}"
                  f"{commit}: at most {self.limit:.0f} s")
        for comparison, count in self._waiting.items():
            seconds = max((self.limit - self.seconds) * count / left, 0.001)
            suspects = self._run(comparison, seconds, count / total)
            left -= count
            entries = {entry["case"]: entry for entry in self._entries(comparison)}
            for suspect in suspects:
                if suspect["settled"]:
                    self._say_verdict(case_line(entries[suspect["case"]]))
                    if "note" in suspect:
                        self._say_verdict(f"{'note':11}  {suspect['target']:11}  {suspect['case']:32}  {suspect['note']}")
            self.suspects += suspects
        self._say(f"settled {self.settled} of {total} suspects in {self.seconds:.1f} s")

    @property
    def settled(self):
        return sum(suspect["settled"] for suspect in self.suspects)

    def document(self, code):
        return {"schema": SCHEMA, "base": self.base, "paired": self.paired, "seconds": self.seconds, "limit_seconds": self.limit,
                "settled": self.settled, "suspects": self.suspects, "exit_code": code}


def add_arguments(parser):
    parser.add_argument("--base", metavar="DIR", help="the folder of the base's programs, COMPARISON.gpu")
    parser.add_argument("--head", metavar="DIR", help="the folder of this build's programs")
    parser.add_argument("--ref", metavar="NAME", help="the name of the base (default: KG_BASE_REF)")
    parser.add_argument("--seconds", metavar="N", help="the time limit (default: 300, with --paired 3600)")
    parser.add_argument("--paired", action="store_true",
                        help="every timed case is a suspect, with all its metrics (as KG_PAIRED=1)")
    parser.add_argument("--out", metavar="DIR", help="the folder of the results (default: KG_OUT, else out)")
    add_json(parser)
    parser.epilog = """\
A run with KG_BASE set leaves the cases that got slower as suspects. This runs both
builds in turn, 12 to 24 pairs of new processes, and rewrites the verdicts of the
suspects; `kernelgate results` then sums up again. KG_BASE_COMMIT names the commit of
the base.

exit: 0 settled, whatever the verdicts; 2 an error: the suspects keep their first
verdicts
"""


def main(options):
    folder = results_folder(options.out)
    # Without the directory there are no verdicts, which is reported below.
    with run_lock.held(folder) if os.path.isdir(folder) else contextlib.nullcontext():
        settling = Settling(options)
        settling.open()
        settling.settle()
        code = ERROR if settling.failed else PASS
        if options.json:
            print_output("settle", json_text(settling.document(code)))
        return code
