# SPDX-License-Identifier: MIT
"""kernelgate merge: the results of several runs, the shards of one or those of several machines, become those of one.

What it reads comes from other machines, so each document is checked as a whole: its form, and that its tally and exit
code are those of its cases. The exit code is computed from the merged cases as that of any run."""

import os
import signal

from kernelgate.base.command_line import add_json
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import list_of, member, object_of, text_of
from kernelgate.base.results import SCHEMA, read_results
from kernelgate.base.run_facts import job, short_commit
from kernelgate.base.schema_form import check_form
from kernelgate.base.settings import results_folder
from kernelgate.base.text import clean
from kernelgate.run.merge import ERROR, Merge, exit_code_of_run, tally_of
from kernelgate.run.results_command import add_detail, detail_of, finish, write_and_print
from kernelgate.run.run_files import begun

REMEDY = "copy the run's results here again, or run it again"
LARGEST = 256 << 20  # bytes of a results.json; 64 comparisons have some 10 MB
LISTS = ("claims", "notes", "tests", "unreported")  # whose entries are added as they are, once


def _read(folder):
    """The results in a folder. Failure if they are damaged, or contradict themselves."""
    path = os.path.join(folder, "results.json")
    with os_errors_as(f"{path}: cannot be read", REMEDY):
        if os.path.getsize(path) > LARGEST:
            raise Failure(f"{path}: is larger than {LARGEST >> 20} MiB: {REMEDY}")
    document = read_results(path)
    check_form(path, document, SCHEMA, "kernelgate-results.schema.json", REMEDY)
    shard = object_of(document["run"], "shard")
    if shard and shard["index"] > shard["of"]:
        raise Failure(f"{path}: is shard {shard['index']} of {shard['of']}: {REMEDY}")
    tally = tally_of(document)
    wrong = [name for name in tally if tally[name] != document["tally"].get(name, 0)]
    if wrong:
        raise Failure(f"{path}: its tally has {document['tally'].get(wrong[0], 0)} {wrong[0]}, and its cases {tally[wrong[0]]}: {REMEDY}")
    if document["exit_code"] != exit_code_of_run(document):
        raise Failure(f"{path}: its exit code is {document['exit_code']}, and its cases have {exit_code_of_run(document)}: {REMEDY}")
    return document


def _identities(document):
    """What runs must have in common, each in words."""
    run = document["run"]
    base, version = short_commit(run, "base"), " at ".join(filter(None, (text_of(run, "version"), short_commit(run, "version_commit"))))
    return {"commit": f"of commit {short_commit(run) or '(unknown)'}", "strict": "strict" if document["strict"] else "not strict",
            "version": f"by kernelgate {version or '(unknown)'}", "base": f"against {base}" if base else "without --base"}


def _require_alike(sources):
    (first, known), *others = ((name, _identities(document)) for name, document in sources)
    for name, identities in others:
        for key, words in identities.items():
            if words != known[key]:
                raise Failure(f"{name}: is {words}, and {first} is {known[key]}: merge runs of one commit, made alike")


class Runs(Merge):
    """The merged results of several runs."""

    def __init__(self, out, sources):
        super().__init__(out, sources[0][1]["strict"])
        self._sources = sources
        self.document["coverage"] = {}
        for _, document in sources:
            self._add(document)
        facts = [document["run"] for _, document in sources]
        self.document["run"] = {**_common(facts), **_period(facts), **({"job": job()} if job() else {}),
                                "merged": [{"source": clean(name), **document["run"]} for name, document in sources]}
        self.document.update(_common([{"build": document["build"]} if "build" in document else {} for _, document in sources]))
        if not self.document["coverage"]:
            del self.document["coverage"]
        self.sort_cases()

    def _add(self, document):
        for key in ("targets", "boards"):
            for target, facts in object_of(document, key).items():
                self.document[key].setdefault(target, facts)
        for target, facts in document["provenance"].items():
            known = self.document["provenance"].setdefault(target, {})
            known.update({fact: value for fact, value in facts.items() if fact not in known})
        for entry in document["cases"]:
            self._merge_case(entry, text_of(entry, "test"))
        for key in filter(document.get, LISTS):
            known = set(map(repr, self.document.setdefault(key, [])))
            self.document[key] += [entry for entry in document[key] if repr(entry) not in known]
        for key in ("refused", "vanished", "unlisted"):
            for entry in list_of(document, key):
                self._list_once(key, entry["target"], entry)
        known = {error["why"] for error in self.document["errors"] if "test" not in error}  # of files that all shards have
        for error in document["errors"]:
            if "test" in error or error["why"] not in known:
                self.add_error(error.get("test"), error["why"])
        self._add_coverage(object_of(document, "coverage"))
        self._add_baselines(object_of(document, "baselines"))

    def _add_coverage(self, added):
        whole = self.document["coverage"]
        for key, value in added.items():
            if isinstance(value, dict):
                counts = whole.setdefault(key, {})
                counts.update({name: counts.get(name, 0) + count for name, count in value.items()})
            else:
                whole.setdefault(key, value)

    def _add_baselines(self, added):
        """Adds what a run says of whole baselines: so do the other shards."""
        if not added:
            return
        known = self.document.setdefault("baselines", {"gates": [], "by_hand": 0, "files": [], "loosened": []})
        for key, value in added.items():
            if isinstance(value, list):
                known[key] += [entry for entry in value if entry not in known[key]]
            elif key == "by_hand":
                known[key] = max(known[key], value)
            else:
                known.setdefault(key, value)

    def check_shards(self, states):
        """Adds an error for each shard that is missing, or there twice. `states` has what is known of a shard's end, by
        its number."""
        plans = {}
        for name, document in self._sources:
            shard = object_of(document["run"], "shard")
            if shard:
                known = plans.setdefault((shard["of"], text_of(shard, "plan")), {})
                known.setdefault(shard["index"], []).append(clean(name))
        for (of, _), found in plans.items():
            beside = next(iter(found.values()))[0]
            more = (" (the shards were split in several ways: give all the same commit, --costs, GPU model and options)"
                    if len(plans) > 1 else "")
            for index in range(1, of + 1):
                names = found.get(index, [])
                if not names:
                    why = states.pop(index, f"its results are not among those merged, beside {beside}")
                    self.add_error(None, f"shard {index} of {of} is missing: {why}{more}")
                elif len(names) > 1:
                    self.add_error(None, f"shard {index} of {of} is there {len(names)} times, with different results: {', '.join(names)}: "
                                         "merge one of them")
        if plans:
            self.check_filter(member(self.document.get("coverage"), "filter"))


def _common(facts):
    """The facts that all have alike."""
    return {key: value for key, value in facts[0].items() if key not in ("started", "ended", "seconds", "job", "shard", "merged")
            and all(key in others and others[key] == value for others in facts)}


def _period(facts):
    """From the first start to the last end."""
    begun, ended = ([run[key] for run in facts if key in run] for key in ("started", "ended"))
    return {**({"started": min(begun)} if begun else {}), **({"ended": max(ended)} if ended else {})}


def merge_runs(folders, out, states=None):
    """The merged results of the runs in folders, whose damaged or missing ones are errors of it. Failure if the runs are
    not of one commit, or none can be read. `states` is what a scheduler says of shards, by their numbers: of a missing
    one the reason, of another an error."""
    sources, errors = [], []
    for folder in folders:
        try:
            document = _read(folder)
        except Failure as failure:
            errors.append(str(failure))
            continue
        if all(document != known for _, known in sources):
            sources.append((folder, document))
    if not sources:
        raise Failure(f"there are no results to merge: {'; '.join(errors)}")
    _require_alike(sources)
    merged, states = Runs(out, sources), dict(states or {})
    for why in errors:
        merged.add_error(None, why)
    merged.check_shards(states)
    for index, why in states.items():
        merged.add_error(None, f"shard {index}: {why}")
    return merged


def publish_runs(folders, out, options, as_json=False, states=None):
    """Merges runs, and writes and prints their results as the options say. The exit code."""
    with begun(out):
        merged = merge_runs(folders, out, states)
        finish(merged.document)
        written = write_and_print(merged.document, out, None if as_json else detail_of(options), as_json, not as_json)
        return merged.document["exit_code"] if written else ERROR


def add_arguments(parser):
    parser.add_argument("folders", metavar="DIR", nargs="+", help="the folder of a run's results, with its results.json")
    parser.add_argument("--out", metavar="DIR", help="the folder of the merged results (default: KG_OUT, else out)")
    add_detail(parser)
    add_json(parser)
    parser.epilog = """\
Merges the shards of `kernelgate gate --shard I/N`, the runs of several GPU models or
hosts, or both: one verdict, results.json, junit.xml, summary.md and page. A case that
several runs judged has its worst verdict. A folder that is named twice, or copied,
counts once.

exit: as the runs would have had as one (see `kernelgate gate`); 2 also if a shard is
missing or twice there with different results, a folder is damaged, or the runs differ
in commit, strictness, --base or version of kernelgate
"""


def main(options):
    out = results_folder(options.out)
    if os.path.realpath(out) in map(os.path.realpath, options.folders):
        raise Failure(f"merge: --out {out} is one of the folders that are merged: name another one")
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # The files are written also if a reader closes the output.
    return publish_runs(options.folders, out, options, options.json)
