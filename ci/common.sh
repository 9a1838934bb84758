# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # the variables set here are for the scripts that source this
#
# What ci/setup, ci/test and the scripts in tools/dev share; they source it. Defines $home, kernelgate's own folder, $root, that of the project
# that is built and gated, and the functions below. The two are one, unless a project that uses kernelgate called the script
# with its folder in KG_PROJECT.

home=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
root=$(cd -- "${KG_PROJECT:-$home}" 2>/dev/null && pwd -P) || root=${KG_PROJECT-}
# What is run from here on is run for this project, and what it runs need not be.
unset KG_PROJECT
# The name of a link is not the script's.
script=$(readlink -f -- "$0") || script=$0
script=${script#"$home/"}
[[ $script == tools/dev/* ]] || script=ci/${script##*/}

# Prints $* as one line: control characters, for example of a path, become spaces, as in kernelgate's own messages, and no
# part of it is a workflow command.
one_line() {
    local line="${*//[[:cntrl:]]/ }"
    printf '%s' "${line//'##['/'# ['}"
}

# Passes on lines that others wrote so that the runner of GitHub Actions takes none for a workflow command: one that begins
# with "::", whatever space is before it, or has "##[" in it, as kg__disarm() of harness/base/message.h has it. For the runner a
# carriage return ends a line too.
pass_on() {
    LC_ALL=C sed -u -E 's/\r+$//; s/\r/ /g; s/^([^!-~]*:):/\1 /; s/##\[/# [/g'
}

# Prints one line of progress. Without it a failure would look like a finding: it is an error.
say() {
    printf 'kernelgate: %s\n' "$(one_line "$*")" 2>/dev/null || stop 2 'the standard output cannot be written: see where it goes'
}

# Prints one line on the standard error and ends the script with the exit code $1.
stop() {
    local code=$1
    shift
    printf '%s: %s\n' "$script" "$(one_line "$*")" >&2
    exit "$code"
}

# Prints the comment at the head of the script as its help.
print_help() {
    sed -n '2,/^$/ { s/^# \{0,1\}//; p; }' "$0"
}

# Prints the help and ends the script where $1 asks for it.
answer_help() {
    [[ ! ${1-} =~ ^(--help|-h)$ ]] || { print_help && exit 0; }
}

# For a script without arguments: prints the help for --help, and ends the script on any other
# argument, also an empty one.
take_no_arguments() {
    (($#)) || return 0
    answer_help "$1"
    stop 2 "unexpected argument '$1'; see $script --help"
}

# The value of option $1 of a command line whose remaining arguments are the rest; ends the script when there is none.
option_value() {
    [[ $# -ge 2 && -n $2 ]] || stop 2 "$1 needs a value; see $script --help"
    printf '%s' "$2"
}

# The time in milliseconds, for differences.
milliseconds() {
    local now=${EPOCHREALTIME/[^0-9]/}
    printf '%s' "${now%???}"
}

# The time since $1 milliseconds as seconds with one decimal.
seconds_since() {
    local tenths=$((($(milliseconds) - $1 + 50) / 100))
    printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

running=

# Ends process group $1 once this script is gone: a killed script ends nothing, and what it started would write where
# the next run does.
end_orphans() {
    while [[ -e /proc/$$/exe ]]; do
        sleep 1
    done
    kill -TERM -- "-$1"
    sleep 2
    kill -KILL -- "-$1"
}

# Runs a command in a process group of its own and waits for it, so that a signal to this script ends the command and all
# that it started. Returns the command's exit code.
run_stoppable() {
    local code=0 watcher
    set -m
    "$@" </dev/null &
    running=$!
    set +m
    end_orphans "$running" </dev/null >/dev/null 2>&1 &
    watcher=$!
    wait "$running" || code=$?
    running=
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    return "$code"
}

# Ends what runs, then the script with the exit code $1.
stop_running() {
    trap '' INT TERM HUP
    if [[ -n $running ]]; then
        kill -TERM -- "-$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    printf '%s: stopped by a signal\n' "$script" >&2
    exit "$1"
}

# Has signals end what runs; a subshell must call it for itself.
heed_signals() {
    trap 'stop_running 130' INT
    trap 'stop_running 143' TERM
    trap 'stop_running 129' HUP
}
heed_signals

# Shows the end of the log $1 and ends the script, for a step that failed: "$2 failed".
stop_with_log() {
    tail -n 40 -- "$1" | pass_on >&2
    stop 2 "$2 failed: the whole log is in $1"
}

# Runs a module of the package.
package() {
    KG_PROJECT=$root PYTHONPATH=$home/tools python3 -B -m "$@"
}

# Configures and builds preset $1, or the targets $2, ... of it, whose folder this script then holds until it ends.
build_preset() {
    run_stoppable package kernelgate.run.build "$$" "$@" || exit 2
}

# Ends the script if there is no ctest.
need_ctest() {
    command -v ctest >/dev/null || stop 2 'ctest is not on the PATH: install the package cmake, 3.25 or newer, which brings it'
}

# How many tests ctest runs at a time: CTest's own variable, else one per processor.
parallel_tests() {
    printf '%s' "${CTEST_PARALLEL_LEVEL:-$(nproc 2>/dev/null || echo 2)}"
}

# Exports the path of the first of some programs that is there under the name $1; fails when none is.
export_first() {
    local variable=$1 candidate found
    shift
    for candidate in "$@"; do
        if [[ -n $candidate ]] && found=$(command -v -- "$candidate"); then
            export "$variable=$found"
            return 0
        fi
    done
    return 1
}

# Finds the CUDA compiler and exports it as CUDACXX for CMake; fails when there is none.
find_nvcc() {
    export_first CUDACXX "${CUDACXX-}" nvcc "${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}/bin/nvcc" /usr/local/cuda/bin/nvcc
}

# Sets $gpu_text to the names of the GPUs, and CUDACXX; ends the script without a working GPU or without nvcc.
need_gpu() {
    gpu_text=$(package kernelgate.run.gpu) && find_nvcc || exit 2
}
