#!/usr/bin/env bash
# usage: on a runner, copied to where no job can write, ACTIONS_RUNNER_HOOK_JOB_STARTED=/opt/kernelgate/runner-hook.sh
#
# Keeps code that no maintainer has let in off a self-hosted runner. GitHub's runner calls it before the first step of
# each job, and a job whose hook fails runs nothing. A workflow cannot keep a fork's code away by itself, since a pull
# request brings its own workflows; this file is the runner's.
#
# A job may run when it is of the repository $KG_RUNNER_REPOSITORY (OWNER/NAME, set in the runner's .env beside the hook)
# and its event is one that only those with write access cause: a push, a merge queue, a start by hand or by a schedule,
# or a pull request from a branch of the same repository. Whatever else comes is refused, and what cannot be read too.
#
# exit: 0 the job may run; 1 it may not

set -euo pipefail

# Prints one line, shown on the page of the job, and refuses it.
refuse() {
    printf '::error title=refused by the runner::%s\n' "$*"
    exit 1
}

[[ -n ${KG_RUNNER_REPOSITORY-} ]] || refuse 'KG_RUNNER_REPOSITORY is not set in the .env of this runner: set it to OWNER/NAME'
[[ ${GITHUB_REPOSITORY-} == "$KG_RUNNER_REPOSITORY" ]] || refuse 'This runner works for another repository.'
case ${GITHUB_EVENT_NAME-} in
push | merge_group | workflow_dispatch | schedule | pull_request) ;;
*) refuse 'This runner takes no jobs of this kind of event.' ;;
esac
command -v python3 >/dev/null || refuse 'python3, which reads the event, is not installed on this runner: install it'

# An event with a pull request is judged as one, whatever its name.
origin=$(python3 -I - "${GITHUB_EVENT_PATH-}" "$GITHUB_EVENT_NAME" 2>/dev/null <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    event = json.load(file)
if "pull_request" in event or sys.argv[2] == "pull_request":
    print(event["pull_request"]["head"]["repo"]["full_name"])
else:
    print(event["repository"]["full_name"])
PYTHON
) || refuse 'The event cannot be read, or its fork is gone.'
[[ $origin == "$KG_RUNNER_REPOSITORY" ]] ||
    refuse 'This is code of a fork. A maintainer who has read it pushes its commit to a branch gated/NUMBER: see docs/ci.md.'
