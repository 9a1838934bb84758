#!/usr/bin/env bash
# usage: on a runner, in a folder that no job can write to: ACTIONS_RUNNER_HOOK_JOB_STARTED=/opt/kernelgate/runner-hook.sh
#
# Keeps code that no maintainer has accepted off a self-hosted runner. GitHub's runner starts this script before the first
# step of each job. A workflow cannot keep a fork's code away by itself, since a pull request brings its own workflows;
# this file belongs to the runner.
#
# A job may run if it is of the repository $KG_RUNNER_REPOSITORY (OWNER/NAME, set where the hook is) and if only people
# with write access can cause its event: a push, a merge queue, a start by hand or by a schedule, or a pull request from
# a branch of the same repository. Everything else is refused, and so is an event that cannot be read.
#
# For the runner this script is only a step. If it fails, steps with always() or failure() still run, and so do the pre
# and post steps of actions. A refusal therefore ends the runner, and does not return while a step could follow.
#
# exit: 0 the job may run

# SPDX-License-Identifier: MIT
set -euo pipefail
# The runner's own is read from its file .path, and what is found first there an earlier job may have left.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin

# What the Worker or a terminal sends must not end this script before the Worker is shutting down. SIGKILL still does.
trap '' HUP INT PIPE TERM

# Sets `worker`, the process that runs the steps of this job, and `listener`, the process that takes jobs. Both are empty
# if they are not found. Only ancestors of this script count: another runner on this machine has the same process names.
# Fails if an ancestor cannot be read.
find_runner() {
    local pid=$$ status name parent
    worker='' listener=''
    while ((pid > 0)); do
        # One line, "PID (NAME) STATE PARENT ...". The longer file "status" may change while a shell reads it line by line.
        if ! read -r status 2>/dev/null <"/proc/$pid/stat"; then
            ((pid == 1)) # hidden where users do not see each other's processes
            return
        fi
        name=${status#*(} name=${name%)*}
        read -r _ parent _ <<<"${status##*)}"
        [[ $parent =~ ^[0-9]+$ ]] || return 1
        case $name in
        Runner.Worker) worker=${worker:-$pid} ;;
        Runner.Listener) [[ -z $worker ]] || listener=${listener:-$pid} ;;
        esac
        pid=$parent
    done
}

# Ends this runner, and returns when its Worker is gone; fails if there is no Worker among the ancestors.
#
# SIGINT is how a service manager stops the Listener: it takes no more jobs, tells the Worker to shut down, and exits with
# 0, so that it is not started again. A Worker that shuts down skips all steps without evaluating their conditions, kills
# this script after 10 s, and uploads the log with the reason. If it is still there after 30 s (it was told to cancel the
# job first, or the Listener ignores SIGINT), it is killed. Then the Listener is stopped, not killed: RunnerService.js
# would start a killed one again.
end_runner() {
    local seconds
    find_runner
    [[ -n $worker ]] || return 1
    printf 'This runner ends now: no step of this job runs, and no other job is taken until somebody starts it again.\n'
    [[ -z $listener ]] || kill -INT "$listener"
    for ((seconds = 0; ; seconds++)); do
        if find_runner && [[ -z $worker ]] && ((seconds > 30)); then
            return 0
        fi
        if [[ -z $listener ]] || ((seconds >= 30)); then
            [[ -z $listener ]] || kill -STOP "$listener"
            [[ -z $worker ]] || kill -KILL "$worker"
        fi
        sleep 1
    done
}

# Prints the reason, which the page of the job shows, and refuses the job.
refuse() {
    set +e
    trap - EXIT
    printf '::error title=refused by the runner::%s\n' "$*"
    end_runner && exit 1
    printf '::error title=refused by the runner::%s\n' \
        'No Runner.Worker is among the ancestors of this hook. The job is held here: cancel it, and end this runner by hand.'
    while :; do
        sleep 60
    done
}
trap 'refuse "The hook ended unexpectedly, with code $?: see its messages above."' EXIT

[[ -n ${KG_RUNNER_REPOSITORY-} ]] ||
    refuse 'KG_RUNNER_REPOSITORY is not set for this runner: set it to OWNER/NAME, where the hook is set.'
[[ ${GITHUB_REPOSITORY-} == "$KG_RUNNER_REPOSITORY" ]] || refuse 'This runner works for another repository.'
case ${GITHUB_EVENT_NAME-} in
push | merge_group | workflow_dispatch | schedule | pull_request) ;;
*) refuse 'This runner takes no jobs of this kind of event.' ;;
esac
command -v python3 >/dev/null || refuse 'python3, which reads the event, is not installed on this runner: install it.'

# An event with a pull request is judged as one, whatever its name is.
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

trap - EXIT
