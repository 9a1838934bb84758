# SPDX-License-Identifier: MIT
"""kernelgate predict: the least time of kernels on any GPU, present or not."""

import math
import os
from dataclasses import dataclass
from typing import Optional

from kernelgate.baseline.file import default_folder, load
from kernelgate.base.command_line import add_filter, add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import LARGEST_FIGURE, is_number, json_text, list_of, member, text_of
from kernelgate.base.figures import show_figure, show_percent
from kernelgate.predict.gpu_specs import find_gpu, read_gpus
from kernelgate.predict.bounds import COUNTERS, RULES, TOLERANCE, Held, Job, Measured, predict
from kernelgate.base.programs import (GPU, MODEL, Answers, Query, comparison_of, filter_takes, find_build, globs_take_from,
                                      nearest_case)
from kernelgate.base.results import MODEL_KEY, is_dismissed, load_figures, measured_figure
from kernelgate.base.text import clean, escape_markdown
from kernelgate.base.columns import UNKNOWN, Column, Table

SINGLE_LAUNCH_NS = 5000.0
LARGEST_AMOUNT = 1e24  # more operations or bytes are a typing error
QUERY = Query("predict", "--work", "case")
COUNTERS_REMEDY = "record it with kernelgate rebaseline, or name another folder with --baselines"


@dataclass
class Case:
    id: str
    job: Job
    hot_ns: Optional[float] = None  # measured
    cold_ns: Optional[float] = None


@dataclass
class Launch:
    ns: float
    source: str


def choose_gpus(options, results):
    """The GPUs of --gpu, or else the only one of the results."""
    gpus = read_gpus(options.gpus)
    path = options.results
    if options.gpu is None:
        timed = [key for key, target in results["targets"].items() if "multiprocessors" in target]
        if not timed:
            raise Failure(f"predict: {path} has no times of a GPU: give the results of a run on one")
        if len(timed) > 1:
            raise Failure(f"predict: {path} is of {' and '.join(timed)}: choose one with --gpu")
        return [find_gpu(gpus, timed[0])]
    keys = [key for key in options.gpu.split(",") if key]
    if not keys:
        raise Failure(f"predict: --gpu {options.gpu}: names no GPU: give one, such as nvidia-h200")
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise Failure(f"predict: --gpu names {key} twice: once is enough")
    chosen = [find_gpu(gpus, key) for key in keys]
    if results is not None and len(chosen) > 1:
        raise Failure("predict: with --results, --gpu names the GPU that was timed: give one")
    if results is not None and keys[0] not in results["targets"]:
        raise Failure(f"predict: {path} has no times of {keys[0]}: omit --gpu or --results")
    return chosen


def launch_on(gpu, results):
    """The cost of a launch: the measured one, or the default."""
    empty = measured_figure(results, gpu.key, "sentinels_ns", "empty") if results is not None else None
    if empty is not None:
        return Launch(float(empty), "as an empty kernel took in a CUDA graph in this run")
    return Launch(SINGLE_LAUNCH_NS, "assumed for a single launch: none was measured")


def ask_programs(build):
    """Each comparison's cases and their work, by id: from the model's program, which also knows the blocks, else
    from the GPU's."""
    programs = {}
    for suffix in (MODEL, GPU):
        folder, paths = find_build(build, suffix)
        for path in paths:
            programs.setdefault(comparison_of(path), path)
    programs.pop("selftest", None)
    if not programs:
        raise Failure(f"predict: {folder}: holds no program NAME.model or NAME.gpu: build it, or name a folder with --build DIR")
    answers = Answers(QUERY, folder, list(programs.values())).answers
    return {entry["case"]: entry for answer in answers for entry in answer.document["cases"]}


def read_counters(options, results):
    """The CPU model's counters by case and name: from the results, else from the baseline. Both omit counters of 0."""
    path = os.path.join(options.baselines or default_folder(), f"{MODEL_KEY}.json")
    baseline = load(path)
    if baseline is None and options.baselines is not None:
        raise Failure(f"{path}: there is no such file: {COUNTERS_REMEDY}")
    counted = {case.id: {name: metric.value for name, metric in case.metrics.items()}
               for case in (baseline.cases.values() if baseline else ())}
    for entry in results["cases"] if results is not None else ():
        if entry["target"] == MODEL_KEY:
            values = {name: metric["value"] for name, metric in entry["metrics"].items() if metric.get("value") is not None}
            wrong = [name for name, value in values.items() if not 0 <= value <= LARGEST_FIGURE]
            if wrong:
                raise Failure(f"{options.results}: {entry['case']}: {wrong[0]}: is not what the CPU model counts: {COUNTERS_REMEDY}")
            counted[entry["case"]] = values
    return counted


def counters_of(metrics):
    """The counters of a case that has any."""
    if metrics is None:
        return {}
    counters = {**dict.fromkeys(COUNTERS, 0.0), **metrics}
    unique = ("unique_bytes_read", "unique_bytes_written")
    if not any(counters[name] for name in unique):  # also absent if only some blocks ran
        for name in unique:
            del counters[name]
    return counters


def job_of(entry, metrics):
    """The work of a case, from its program or from a run's results."""
    def amount(value, name):
        found = member(value, name)
        return float(found) if is_number(found) and 0 <= found <= LARGEST_AMOUNT else None
    work = member(entry, "work")
    kind = text_of(entry, "type")
    return Job(kind or Job.type, amount(work, "operations"), amount(work, "bytes"),
               amount(entry, "bytes_to_device"), amount(entry, "bytes_to_host"), amount(entry, "blocks"), counters_of(metrics))


def timed_cases(results, target, listed, counted):
    """The cases that a target timed. A case that no program has any more is predicted from the work in its results."""
    def time(entry, metric):
        value = member(entry["metrics"].get(metric), "value")
        return value if is_number(value) and value > 0 and not is_dismissed(entry["verdict"]) else None
    for entry in results["cases"]:
        case = entry["case"]
        hot = time(entry, "time_ns")
        if entry["target"] == target and hot is not None:
            yield Case(case, job_of(listed.get(case, entry), counted.get(case)), hot, time(entry, "cold_time_ns"))


def is_measured(entry):
    """Whether a case is timed or counted, not only checked."""
    return any(purpose != "check" for purpose in list_of(entry, "purposes"))


def choose_cases(cases, listed, globs, timed_on):
    """The cases that the filter and KG_FILTER select. Failure if a glob matches none."""
    cases = [case for case in cases if filter_takes(case.id)]
    missed = [glob for glob in globs if not any(globs_take_from(glob, case.id) for case in cases)]
    missed += [] if cases or missed or not os.environ.get("KG_FILTER") else [os.environ["KG_FILTER"]]
    if missed:
        known = list(dict.fromkeys([*listed, *(case.id for case in cases)]))
        nearest = None if any(globs_take_from(missed[0], case) for case in known) else nearest_case(missed[0], known)
        if nearest:
            raise Failure(f'predict: no case matches {missed[0]}; did you mean "{nearest}"?')
        if timed_on:
            raise Failure(f"predict: {missed[0]} takes no case that was timed on {timed_on}: give another, or none")
        raise Failure(f"predict: {missed[0]} takes no case that is timed or counted: `kernelgate list` has the cases")
    if not cases and timed_on:
        raise Failure(f"predict: no case was timed on {timed_on}: run kernelgate gate --target gpu there")
    if not cases:
        raise Failure("predict: the programs have no case that is timed or counted: mark a size as such in their tables")
    return [case for case in cases if not globs or any(globs_take_from(glob, case.id) for glob in globs)]


def list_cases(options, results, target):
    globs = [glob for glob in (options.filter or "").split(",") if glob]
    if options.filter is not None and not globs:
        raise Failure(f'predict: the filter "{options.filter}" contains no glob: omit it to select all')
    listed = ask_programs(options.build)
    counted = read_counters(options, results)
    if results is not None:
        cases = list(timed_cases(results, target, listed, counted))
    else:
        cases = [Case(case, job_of(entry, counted.get(case))) for case, entry in listed.items() if is_measured(entry)]
    return choose_cases(cases, listed, globs, f"{target} ({options.results})" if results is not None else None)


class Predictions:
    """Cases on GPUs, and the measurements of the first GPU if there are results."""

    def __init__(self, cases, gpus, launches, results):
        self.cases, self.gpus, self.launches = cases, gpus, launches
        self.timed = results is not None
        self.copy_rate = measured_figure(results, gpus[0].key, "limits", "copy_bytes_per_second") if self.timed else None
        self.held = Held(list(self._measured()) if self.timed else [])

    def of(self, gpu, case, hot=False):
        return predict(self.gpus[gpu].figures, case.job, hot, self.launches[gpu].ns)

    def _measured(self):
        for case in self.cases:
            hot, cold = self.of(0, case, True), self.of(0, case)
            if case.cold_ns is not None:
                yield Measured(case.id, cold.body_ns, case.cold_ns, cold.is_memory_bound())
            # The hot time of a case with a cold one counts, but not as another memory-bound case.
            yield Measured(case.id, hot.body_ns, case.hot_ns, case.cold_ns is None and hot.is_memory_bound())


def _known(members):
    """The known members, as JSON numbers."""
    return {name: value for name, value in members.items() if value is not None and math.isfinite(value)}


def _document_of(prediction, measured):
    def key(resource):
        return f"{resource.lower().replace('/', '_')}_ns"
    body = prediction.body_ns
    return {"bounds": {key(resource): bound for resource, bound in prediction.bounds.items()},
            "absent": {key(resource): why for resource, why in prediction.absent.items()},
            **_known({"body_ns": body, "total_ns": prediction.total_ns, "measured_ns": measured,
                      "share": None if body is None or measured is None else body / measured}),
            **({"bound_by": prediction.bound_by} if body is not None else {})}


def document(predictions):
    gpus, entries = {}, []
    for number, (gpu, launch) in enumerate(zip(predictions.gpus, predictions.launches)):
        gpus[gpu.key] = {"name": gpu.name, "launch_ns": {"value": launch.ns, "source": launch.source},
                         **{name: {"value": value, "source": gpu.sources[name]} for name, value in gpu.figures.items()}}
        for case in predictions.cases:
            job = case.job
            work = _known({name: value for name, value in vars(job).items() if name not in ("type", "counters")})
            entries.append({"case": case.id, "gpu": gpu.key, "work": {"type": job.type, **work, "counters": job.counters},
                            "cold": _document_of(predictions.of(number, case), case.cold_ns),
                            "hot": _document_of(predictions.of(number, case, True), case.hot_ns)})
    held = predictions.held
    found = {"schema": "kernelgate-predictions/1", "gpus": gpus, "predictions": entries}
    if held.nearest is not None:
        found["held"] = {"times": len(held.measured), "violated": len(held.violated), "nearest": held.nearest.case,
                         "memory_bound": held.memory_bound, **_known({"median_measured_over_predicted": held.median})}
    return found


def _figure(value):
    return UNKNOWN if value is None else show_figure(value)


def _describe(job):
    def shown(value):
        return show_figure(math.nan if value is None else value)
    count = job.counters
    text = f"{shown(job.operations)} operations ({job.type}), {shown(job.bytes)} bytes"
    if "unique_bytes_read" in count:
        text += (f"; counted: {shown(count['unique_bytes_read'])} bytes read and {shown(count['unique_bytes_written'])} written, "
                 f"{shown(count['global_load_sectors'] + count['global_store_sectors'])} sectors")
    return text + (f"; {shown(job.blocks)} blocks" if job.blocks is not None else "")


def _bounds_table(rows, resources):
    """Predictions by the name of their row."""
    titles = (*resources, "body", "bound by", "launch", "total")
    table = Table([Column("ns"), *(Column(title, right=True) for title in titles)])
    for name, prediction in rows:
        table.add(name, *(_figure(prediction.bounds.get(resource)) for resource in resources), _figure(prediction.body_ns),
                  prediction.bound_by or UNKNOWN, _figure(prediction.launch_ns), _figure(prediction.total_ns))
    return table


def _measured_table(predictions):
    titles = ("cold bound", "by", "measured", "share", "hot bound", "by", "measured", "share")
    table = Table([Column("ns"), *(Column(title, right=True) for title in titles)])
    for case in predictions.cases:
        cells = []
        for hot, measured in ((False, case.cold_ns), (True, case.hot_ns)):
            prediction = predictions.of(0, case, hot)
            body = prediction.body_ns if measured is not None else None
            cells += [_figure(body), UNKNOWN if body is None else prediction.bound_by, _figure(measured),
                      UNKNOWN if body is None else show_percent(body / measured)]
        table.add(case.id, *cells)
    return table


def _tables(predictions):
    """Each table with its title and the line below it."""
    crosses = any(case.job.bytes_to_device or case.job.bytes_to_host for case in predictions.cases)
    resources = [resource for resource in RULES if resource != "bus" or crosses]
    if predictions.timed:
        yield f"{predictions.gpus[0].name}, predicted and measured", "", _measured_table(predictions)
    elif len(predictions.gpus) == 1:
        rows = ((case.id, predictions.of(0, case)) for case in predictions.cases)
        yield predictions.gpus[0].name, "", _bounds_table(rows, resources)
    else:
        for case in predictions.cases:
            rows = ((gpu.name, predictions.of(number, case)) for number, gpu in enumerate(predictions.gpus))
            yield case.id, _describe(case.job), _bounds_table(rows, resources)


def _absences(predictions):
    """The absent bounds, with the number of cases and the reason; GPUs with the same text are grouped."""
    for resource in RULES:
        said = {}
        for number, gpu in enumerate(predictions.gpus):
            reasons = [why for why in (predictions.of(number, case).absent.get(resource) for case in predictions.cases) if why]
            if reasons:
                said.setdefault((len(reasons), reasons[-1]), []).append(gpu.name)
        for (count, why), names in said.items():
            shared = f" ({', '.join(names)})" if len(predictions.gpus) > 1 else ""
            yield f"no bound by {resource} for {count} of {len(predictions.cases)} cases: {why}{shared}"


def _notes(predictions):
    launches = [f"the launch overhead is {launch.ns:.0f} ns, {launch.source}" for launch in predictions.launches]
    if len(set(launches)) == 1:
        yield launches[0]
    else:
        yield from (f"{gpu.name}: {launch}" for gpu, launch in zip(predictions.gpus, launches))
    yield from _absences(predictions)
    if predictions.copy_rate is not None:
        yield f"the copy sentinel of this run moved {predictions.copy_rate / 1e9:.0f} GB/s"
    held = predictions.held
    for bound in held.violated:
        yield f"bound violated: {bound.case}: at least {bound.body_ns:.0f} ns predicted, {bound.measured_ns:.0f} measured"
    if held.nearest is not None:
        yield (f"{len(held.violated)} of {len(held.measured)} times are below their bound by more than {100 * TOLERANCE:.0f} %; "
               f"nearest to its bound: {held.nearest.case}, {100 * held.nearest.share:.1f} %")
    if held.median is not None:
        yield (f"measured over predicted, median of the {held.memory_bound} memory-bound cases above 10 µs: "
               f"{held.median:.2f}")


def show(predictions, form):
    text = ""
    for title, about, table in _tables(predictions):
        text += f"### {escape_markdown(title)}\n\n" if form == "markdown" else f"{clean(title)}\n"
        text += about + ("\n\n" if form == "markdown" else "\n") if about else ""
        text += table.format(form) + "\n"
    return text + "".join(f"{'- ' if form == 'markdown' else ''}{clean(note)}\n" for note in _notes(predictions))


def add_arguments(parser):
    add_filter(parser)
    parser.add_argument("--gpu", metavar="KEY[,KEY]", help="the GPUs to predict for (default: that of --results)")
    parser.add_argument("--gpus", metavar="FILE", help="figures of more GPUs, or other figures of known ones")
    parser.add_argument("--results", metavar="FILE", help="compare the predictions with the times of a run")
    parser.add_argument("--build", metavar="DIR",
                        help="the folder of the programs (default: the command's own, else build/gpu or build/cpu)")
    parser.add_argument("--baselines", metavar="DIR",
                        help="the folder with the CPU model's counters (default: KG_BASELINES, else baselines)")
    add_format(parser, ("text", "markdown", "json"))
    parser.epilog = """\
Each resource of the GPU is a bound: what the case needs of it, by its suite and the CPU
model's counters, at the resource's peak rate. The largest is the body; the launch
overhead is added to it (docs/predicting.md). FILTER is globs on case ids, as KG_FILTER
is; one without its last parts, such as pair_means, matches all that begin so.
exit: 0 printed; 1 a time of --results is below its bound by more than 5 %; 2 an error
"""


def main(options):
    if options.gpu is None and options.results is None:
        raise Failure("predict: name a GPU: --gpu KEY, such as nvidia-h200, or --results FILE")
    results = load_figures(options.results) if options.results is not None else None
    gpus = choose_gpus(options, results)
    launches = [launch_on(gpu, results) for gpu in gpus]
    predictions = Predictions(list_cases(options, results, gpus[0].key), gpus, launches, results)
    if options.format == "json":
        print_output("predict", json_text(document(predictions)))
    else:
        print_output("predict", show(predictions, options.format))
    return 1 if predictions.held.violated else 0
