# SPDX-License-Identifier: MIT
"""kernelgate comment: results as a comment in a pull request."""

import re

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure
from kernelgate.base.results import Run, load
from kernelgate.pulls.post import AUTHOR, post_all
from kernelgate.report.comment import Facts, write_comment


def add_arguments(parser):
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="the results.json of one or more runs")
    parser.add_argument("--job", metavar="URL", default="", help="the link to the job")
    parser.add_argument("--page", metavar="URL", default="", help="the link to the page of the run")
    parser.add_argument("--post", action="store_true",
                        help="in a workflow on workflow_run: comment in the pull request of the run that ended")
    parser.add_argument("--author", metavar="LOGIN", default=AUTHOR, help=f"with --post: who comments (default: {AUTHOR})")
    parser.epilog = """\
Prints Markdown of at most 60 KiB: the verdict, the failures, the metrics that moved.

With --post it takes the artifacts kernelgate-* of the run that ended, and makes or updates
one comment. Environment: GITHUB_TOKEN (actions: read, pull-requests: write), GITHUB_REPOSITORY,
GITHUB_EVENT_PATH and GITHUB_API_URL, which GitHub Actions sets but for the first.

exit: 0 printed, posted, or nothing to comment on; 2 an error
"""


def main(options):
    if options.post == bool(options.results):
        raise Failure("comment: name results files, or give --post in a workflow on workflow_run: one of them")
    if options.post:
        print_output("comment", "".join(f"kernelgate: {line}\n" for line in post_all(options.author)))
        return 0
    for name in ("job", "page"):
        if getattr(options, name) and not re.fullmatch(r"https?://[^\s()<>`\\]+", getattr(options, name)):
            raise Failure(f"comment: --{name}: expected a link that begins with https://, without blanks and brackets")
    runs = [Run(load(path)) for path in options.results]
    print_output("comment", write_comment(runs, Facts(options.job, options.page)))
    return 0
