"""kernelgate baseline retire: removes cases from a baseline by name."""

from kernelgate.baseline.file import lock, open_named, path_of, save, split_path
from kernelgate.base.common import JSON_OPTION, Command, Failure, Option, complain, json_text, print_output
from kernelgate.base.programs import globs_take
from kernelgate.base.text import clean


def check_globs(baseline, globs):
    """Complains about each glob that takes no case; True where there is none."""
    unknown = [glob for glob in globs if not any(globs_take(glob, case) for case in baseline.ids())]
    for glob in unknown:
        nearest = baseline.nearest(glob)
        complain(f'{baseline.path} has no case "{glob}"'
                 + (f"{nearest} Nothing is removed" if nearest
                    else f": nothing is taken out (kernelgate baseline show {baseline.path} lists them)"))
    return not unknown


def render(baseline, retired, before, options):
    if options["json"]:
        return json_text({
            "schema": "kernelgate-retired/1", "file": baseline.path, "dry_run": options["dry-run"], "retired": retired,
            "cases_before": before
        })
    what = "would be retired" if options["dry-run"] else "retired"
    lines = [
        *(f"{case}: {what}" for case in retired),
        f"{clean(baseline.path)}: {len(retired)} of {before} cases {what}{'; nothing is written' if options['dry-run'] else ''}"
    ]
    return "\n".join(lines) + "\n"


COMMAND = Command(
    "baseline retire",
    options=(
        Option("--dry-run", None, "say what would be taken out, and write nothing"),
        JSON_OPTION,
    ),
    details="""\
In a glob, * also matches slashes. Quote it for the shell. If a glob matches no case,
nothing is removed.
exit: 0 taken out; 2 no such file or case, or it cannot be written: the file is as it
was, unless the message says that it was written and only the output lost
""",
    takes_operands=True,
)


def main(arguments):
    options = COMMAND.parse(arguments)
    if len(options["operands"]) < 2:
        raise Failure("baseline retire: takes a file or key and the cases to take out: kernelgate baseline retire cpu-model "
                      "'matmul_f32/old/*'")
    name, *globs = options["operands"]
    with lock(split_path(path_of(name))[0], "baseline retire"):
        baseline = open_named(name)
        before = len(baseline.ids())
        if not check_globs(baseline, globs):
            return 2
        retired = baseline.remove(globs)
        if not options["dry-run"]:
            save(baseline)
    print_output("baseline retire" + ("" if options["dry-run"] else f": {baseline.path} was written, but its report is lost"),
                 render(baseline, retired, before, options))
    return 0
