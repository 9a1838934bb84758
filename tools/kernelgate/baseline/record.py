# SPDX-License-Identifier: MIT
"""kernelgate baseline record: measures comparisons in new processes and stores the results."""

import os
import re
import tempfile

from kernelgate.base.added_programs import added_tests
from kernelgate.baseline.change_log import change_baselines
from kernelgate.base.command_line import add_json
from kernelgate.base.errors import Failure
from kernelgate.base.contents import refuse_stale
from kernelgate.baseline.noise import SESSIONS_MAXIMUM, SESSIONS_MINIMUM
from kernelgate.base.observers import stoppable
from kernelgate.base.programs import MODEL
from kernelgate.base.settings import MODEL as MODEL_KIND
from kernelgate.baseline.counting import Counting
from kernelgate.baseline.timing import Timing
from kernelgate.baseline.recorder import Recorder

PARTLY = 1  # the exit code if cases were left out


def read_sessions(text):
    if re.fullmatch("[0-9]{1,4}", text) and SESSIONS_MINIMUM <= int(text) <= SESSIONS_MAXIMUM:
        return int(text)
    raise Failure(f"--sessions {text}: not a number from {SESSIONS_MINIMUM} to {SESSIONS_MAXIMUM}: fewer are not enough to "
                  "estimate the noise")


def add_arguments(parser):
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--build", metavar="DIR", help="record what kg_add_program() gates in this build folder too, on the CPU model")
    parser.add_argument("--sessions", metavar="N", type=read_sessions, default=SESSIONS_MINIMUM,
                        help="processes that time each comparison (default: 5, the minimum; counts take two)")
    parser.add_argument("--baselines", metavar="DIR", required=True, help="the folder of the baseline files")
    parser.add_argument("--commit", metavar="NAME", help="the commit that the programs were built from (default: from git)")
    parser.add_argument("--replace", action="store_true",
                        help="forget the earlier sessions of the cases that are recorded, of all boards")
    add_json(parser)
    parser.epilog = """\
A program NAME.gpu is timed on this machine's GPU, a program NAME.model is counted on
the CPU model; one call takes programs of one target. Refuses on a failed check, other
processes on the GPU, an unstable launch overhead, sessions that disagree, counts that
do not repeat, and while another process changes baselines in DIR. A case during which
the GPU was throttled is timed again, up to three times a session; one that still was
is named and left out, and keeps its line; more than one in ten are refused.
Sessions are added to those in DIR/sessions, of this board and others of its model,
unless those are of other code; a line of the baseline is rewritten only if it moved.
Bands edited by hand ("band_by": "hand") stay. A time with a band above 5 % is recorded,
and not gated. KG_FILTER selects the cases to record.
exit: 0 recorded (or nothing moved); 1 recorded, except for what was left out; 2
refused, and no file is touched, unless the message says that it was written and only
the output lost
"""


def is_of_model(options):
    """Whether the programs, all of one target, are for the CPU model. Failure if the arguments are inconsistent."""
    models = sum(program.endswith(MODEL) for program in options.programs)
    if not options.programs and not options.build:
        raise Failure("baseline record: needs a PROGRAM, or --build DIR: name what is to be measured")
    if 0 < models < len(options.programs) or options.build and models < len(options.programs):
        raise Failure("baseline record: programs for a GPU and for the CPU model: each target is recorded on its own")
    if models and options.replace:
        raise Failure("--replace: is for times: the CPU model's counts have no sessions")
    return models > 0 or not options.programs


def record(options, log, model):
    """Measures and stores; the exit code."""
    programs = options.programs
    added = list(added_tests(options.build, (MODEL_KIND,)).values()) if options.build else []
    if not programs and not added:
        log.refuse(f"{options.build}: kg_add_program() gates no program there: name another build folder")
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="kernelgate-record.") as scratch:
            recorder = Recorder(log, options.baselines, options.commit, scratch)
            recording = Counting(recorder, programs, added) if model else Timing(recorder, programs, options.sessions, options.replace)
            recording.measure()
            recording.save()
    except OSError as error:
        log.refuse(f"{error.filename}: {error.strerror}: set TMPDIR to a folder that can be written to")
        return 2
    return PARTLY if log.document["left_out"] else 0


def main(options):
    model = is_of_model(options)
    built = [os.path.dirname(os.path.abspath(program)) for program in options.programs]
    for folder in {*built, *([options.build] if options.build else [])}:
        refuse_stale(folder)
    with stoppable():
        return change_baselines("baseline record", options, lambda log: record(options, log, model), options.replace)
