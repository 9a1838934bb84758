"""kernelgate begin: the begin of a run. Makes the folder of its results, and clears what an earlier run left there."""

from kernelgate.base.common import Command, Failure, Option
from kernelgate.base.contents import refuse_stale
from kernelgate.base.programs import filter_takes, glob_meant
from kernelgate.run.expected import list_tests
from kernelgate.run.merge import filter_error
from kernelgate.run.run_files import begin, whose_run
from kernelgate.base.settings import is_strict, refuse_hidden_filter, results_folder, setting


def _refuse_empty_filter(programs, kinds):
    """A KG_FILTER that takes no case of the programs is refused before anything is cleared."""
    globs = setting("KG_FILTER")
    if globs is None or programs is None:
        return
    cases = [case for listed in list_tests(programs, kinds).values() for case in listed]
    if not any(map(filter_takes, cases)):
        raise Failure(filter_error(f"KG_FILTER={globs}", glob_meant(globs, cases)))


COMMAND = Command(
    "begin",
    options=(
        Option("--out", "DIR", "the folder of the results (default: KG_OUT, else out)"),
        Option("--programs", "FILE", "refuse a KG_FILTER that takes no case of the programs which FILE lists, one per line"),
        Option("--build", "DIR", "refuse a build folder whose programs were made of other files than there are now"),
        Option("--target", "KIND", "with --programs: of their tests those of gpu, model or sm alone; may be repeated", repeated=True),
    ),
    details="""\
CTest calls this before the first test of a run. Files of other names stay. The folder
is held for whoever called until kernelgate results: another run there is refused.
What is refused leaves the folder as it was.
""",
)


def main(arguments):
    options = COMMAND.parse(arguments)
    refuse_hidden_filter(is_strict())
    _refuse_empty_filter(options["programs"], options["target"])
    if options["build"] is not None:
        refuse_stale(options["build"])
    begin(results_folder(options["out"]), whose_run())
    return 0
