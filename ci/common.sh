# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables set here are for the scripts that source this
#
# What the scripts in this folder share; they source it. Defines $home, kernelgate's own folder, $root, that of the project
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

# Runs a command whose own lines on the standard output are meant for the runner, but what it starts may write to the standard
# error. Returns the command's exit code.
with_errors_passed_on() {
    { "$@" 2>&1 1>&3 3>&- | pass_on >&2; } 3>&1
}

# Where progress goes: a descriptor.
progress=1

# Prints one line of progress. Without it a failure would look like a finding: it is an error.
say() {
    printf 'kernelgate: %s\n' "$(one_line "$*")" 1>&"$progress" 2>/dev/null || stop 2 'the standard output cannot be written: see where it goes'
}

# Prints one line on the standard error and ends the script with the exit code $1.
stop() {
    local code=$1
    shift
    printf '%s: %s\n' "$script" "$(one_line "$*")" >&2
    exit "$code"
}

[[ -z ${CTEST_PARALLEL_LEVEL-} || $CTEST_PARALLEL_LEVEL =~ ^[1-9][0-9]{0,5}$ ]] ||
    stop 2 "CTEST_PARALLEL_LEVEL='$CTEST_PARALLEL_LEVEL' is not a number of tests: set it to 1 or more, or unset it"

# Whether the text $1 is a number from $2 to $3, as harness/suite/settings.c takes one.
is_number_within() {
    [[ $1 =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$ ]] &&
        LC_ALL=C awk -v least="$2" -v most="$3" -v number="$1" \
            'BEGIN { exit !(number + 0 >= least + 0 && number + 0 <= most + 0) }'
}

# Ends the script if the limits of a case are not numbers: the programs would complain only after the build.
need_clear_limits() {
    local name least most
    while read -r name least most; do
        [[ -z ${!name-} ]] || is_number_within "${!name}" "$least" "$most" ||
            stop 2 "$name='${!name}' is not a number of seconds from $least to $most: set it to one, or unset it"
    done <<'END'
KG_CASE_TIMEOUT 0.001 1000000
KG_CASE_SECONDS 0.05 3600
END
}

# Ends the script if a path has a character that breaks a build (cmake/KgPaths.cmake has the same list) or, for
# an installed copy, a separator of search paths.
need_plain_paths() {
    local folder odd='[][;#"<>*?\|[:cntrl:]]|\$[A-Z]*\{'
    for folder in "$root" "$home"; do
        [[ ! $folder =~ $odd ]] ||
            stop 2 "$folder: this path holds '${BASH_REMATCH[0]/[[:cntrl:]]/a control character}', which CMake, Ninja or the compiler takes for something else: move it to a folder without"
    done
    [[ ${kernelgate_ROOT-} != *:* ]] || stop 2 "$kernelgate_ROOT: this path holds ':', which separates paths: install kernelgate to a folder without"
}

# Ends the script if there is nothing to build.
need_project() {
    need_plain_paths
    [[ -f $root/CMakePresets.json ]] ||
        stop 2 "$root is not a project to gate, since it has no CMakePresets.json: run this in the project's folder, or name it in KG_PROJECT"
}

# Prints the comment at the head of the script as its help.
print_help() {
    sed -n '2,/^$/ { s/^# \{0,1\}//; p; }' "$0"
}

# For a script without arguments: prints the help for --help, and ends the script on any other
# argument, also an empty one.
take_no_arguments() {
    (($#)) || return 0
    case $1 in
    --help | -h)
        print_help
        exit 0
        ;;
    *) stop 2 "takes no arguments, not '$1'; see $script --help" ;;
    esac
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

# Whether process $1 lives that started $2 clock ticks after the machine did: another one of the same number does not count,
# nor does one that died and was not waited for.
is_alive() {
    local text facts
    if text=$(cat "/proc/$1/stat" 2>/dev/null); then
        read -r -a facts <<<"${text##*) }"
        [[ ${facts[0]} != [ZX] && ${facts[19]} == "$2" ]]
    else
        # Another user's process may be hidden.
        kill -0 "$1" 2>/dev/null || [[ $(LC_ALL=C kill -0 "$1" 2>&1) == *'not permitted'* ]]
    fi
}

# Whether this script is process $1 or descends from it.
descends_from() {
    local process=$$ text facts
    while [[ $process != "$1" ]] && text=$(cat "/proc/$process/stat" 2>/dev/null); do
        read -r -a facts <<<"${text##*) }"
        process=${facts[1]}
    done
    [[ $process == "$1" ]]
}

# Reads which process has locked a folder from its file $1 into $holder, $holder_started, $holder_host, $holder_what and $holder_since; all
# are empty if none has. tools/kernelgate/base/run_lock.py describes the file.
read_holder() {
    local word value
    holder='' holder_started='' holder_host='' holder_what='' holder_since=''
    while read -r word value; do
        case $word in
        process) holder=$value ;;
        started) holder_started=$value ;;
        host) holder_host=$value ;;
        what) holder_what=$value ;;
        since) holder_since=$value ;;
        esac
    done < <(head -c 1024 -- "$1" 2>/dev/null | tr -d '\0')
    [[ ! -s $1 || ($holder =~ ^[1-9][0-9]{0,9}$ && $holder_started =~ ^[0-9]{1,19}$ && -n $holder_host) ]] ||
        stop 2 "$1: does not say who holds this folder: if no run is in progress here, remove it"
}

held=()

# Locks the folder $1 until this script ends, unless the caller of the script has locked it; ends the script if another
# process has. $2 says how to go on without that folder.
lock_folder() {
    local folder=$1 lock=$1/run.lock otherwise=$2 file host cause
    host=$(</proc/sys/kernel/hostname)
    cause=$(LC_ALL=C mkdir -p -- "$folder" 2>&1) ||
        stop 2 "$folder: the folder cannot be made: ${cause##*: }: check what is there and who may write to it, or $otherwise"
    [[ ! -L $lock && (! -e $lock || -f $lock) ]] || stop 2 "$lock: is not a regular file: remove it, or $otherwise"
    { exec {file}<>"$lock"; } 2>/dev/null || stop 2 "$lock: cannot be written: make it writable for $(id -un), or $otherwise"
    flock -w 10 "$file" || stop 2 "$lock: a process has kept it open for 10 s: end that process (fuser $lock names it), or $otherwise"
    read_holder "$lock"
    if [[ -n $holder && $holder_host != "$host" ]]; then
        stop 2 "$folder: held by $holder_what, process $holder on $holder_host, since $holder_since: wait until it finishes, or $otherwise; if it is gone, remove $lock"
    elif [[ -n $holder ]] && is_alive "$holder" "$holder_started"; then
        descends_from "$holder" ||
            stop 2 "$folder: held by $holder_what, process $holder, since $holder_since: wait until it finishes, or $otherwise"
    else
        local text facts
        text=$(<"/proc/$$/stat")
        read -r -a facts <<<"${text##*) }"
        printf 'process %s\nstarted %s\nhost %s\nwhat %s\nsince %s\n' "$$" "${facts[19]}" "$host" "$script" \
            "$(date -u '+%Y-%m-%d %H:%M:%S UTC')" 2>/dev/null >"$lock" || {
            : >"$lock"
            stop 2 "$lock: cannot be written: free some disk space, or $otherwise"
        }
        held+=("$folder")
    fi
    exec {file}>&-
}

# Unlocks what this script has locked; a script with its own EXIT trap calls it there.
# shellcheck disable=SC2317 # called at exit
unlock_folders() {
    local folder file
    for folder in "${held[@]}"; do
        { exec {file}<>"$folder/run.lock"; } 2>/dev/null || continue
        if flock -w 10 "$file"; then
            [[ $(sed -n 's/^process //p' "$folder/run.lock") != "$$" ]] || : >"$folder/run.lock"
        fi
        exec {file}>&-
    done
}
trap unlock_folders EXIT

# Shows the errors in the log $1 and ends the script, for a step that failed: "$2 failed". With several compilers
# at once, the error can be far above the log's end: what follows the first that failed for Ninja, else the first error.
stop_with_log() {
    local begin part='the log, from its first error on'
    begin=$(grep -n -m 1 -E '^(FAILED: |CMake Error)' -- "$1" || grep -n -m 1 -E '(^|[: ])error:' -- "$1") || part='the last lines of the log'
    printf '%s\n' "--- $part:" >&2
    if [[ -n $begin ]]; then
        tail -n "+${begin%%:*}" -- "$1" | awk '!/^\[[0-9]+\/[0-9]+\] / && shown++ < 40'
    else
        tail -n 40 -- "$1"
    fi | pass_on >&2
    stop 2 "$2 failed: the whole log is in $1"
}

# Runs the module that compares the contents of a build with those of its sources.
contents() {
    PYTHONPATH=$home/tools python3 -B -m kernelgate.base.contents "$@"
}

# Configures and builds preset $1, or target $2 of it alone; configures only when something that it depends on changed (ninja itself sees changed CMake
# files). Quiet unless it fails: the log is build/<preset>/build.log.
build_preset() {
    need_plain_paths
    local preset=$1 folder=$root/build/$1 werror=() cuda='' wanted begun
    # Whether another project's warnings are errors is that project's to say.
    [[ $root != "$home" ]] || werror=("-DKG_WERROR=$([[ ${CI-} == true ]] && echo ON || echo OFF)")
    # Of every preset: whichever compiler there is generates the code that is judged.
    ! find_nvcc || cuda=$CUDACXX
    if ! mkdir -p -- "$folder" 2>/dev/null || [[ ! -w $folder ]]; then
        stop 2 "cannot write to $folder: make it writable for $(id -un), or remove it"
    fi
    lock_folder "$folder" 'work in a checkout of its own (git worktree add)'
    local log=$folder/build.log stamp=$folder/configured
    wanted="root=$root home=$home werror=${werror[*]} CC=${CC-} CXX=${CXX-} CUDACXX=$cuda CFLAGS=${CFLAGS-} CXXFLAGS=${CXXFLAGS-} LDFLAGS=${LDFLAGS-} CUDAFLAGS=${CUDAFLAGS-} CUDAHOSTCXX=${CUDAHOSTCXX-} CUDAARCHS=${CUDAARCHS-} NVCC_PREPEND_FLAGS=${NVCC_PREPEND_FLAGS-} NVCC_APPEND_FLAGS=${NVCC_APPEND_FLAGS-} presets=$(cksum <"$root/CMakePresets.json")"

    begun=$(milliseconds)
    : >"$log"
    # Ninja goes by times alone, which a copy may set back; and the first configuration of a folder finds the compilers.
    [[ ! -f $folder/build.ninja ]] || contents "$folder" | pass_on >&"$progress"
    [[ $(stat -c %Y -- "$folder/build.ninja" 2>/dev/null) != 1 ]] || rm -f -- "$stamp"
    if [[ ! -f $folder/build.ninja || ! -f $stamp || $(<"$stamp") != "$wanted" ]]; then
        say "configuring and building $folder"
        rm -f -- "$stamp"
        cd -- "$root" || exit 2
        run_stoppable cmake --fresh --preset "$preset" "${werror[@]}" >>"$log" 2>&1 ||
            stop_with_log "$log" "configuring preset $preset"
        printf '%s\n' "$wanted" >"$stamp"
    else
        say "building $folder"
    fi
    run_stoppable cmake --build "$folder" ${2:+--target "$2"} >>"$log" 2>&1 ||
        stop_with_log "$log" "building preset $preset"
    # Shows warnings, which the log would hide.
    grep -E 'warning:|CMake Warning' -- "$log" | sort -u | head -n 10 | pass_on >&2 || true
    say "built in $(seconds_since "$begun")"
}

# The command that preset $1 was built with, below $root where it is in it.
kernelgate_command() {
    local command
    command=$(cat -- "$root/build/$1/kernelgate.path" 2>/dev/null) || stop 2 "the project has no gate: end its CMakeLists.txt with kg_finish_gate()"
    printf '%s' "${command#"$root/"}"
}

# Ends the script if there is no ctest.
need_ctest() {
    command -v ctest >/dev/null || stop 2 'ctest is not on the PATH: install the package cmake, 3.25 or newer, which brings it'
}

# Removes the log $1 of an earlier run, so that it is not read if ctest fails to write its own.
forget_log() {
    rm -f -- "$1" 2>/dev/null || stop 2 "$1: left by an earlier run, and cannot be removed: make its folder writable for $(id -un)"
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

# Finds NVIDIA's compute-sanitizer, along PATH or in the CUDA Toolkit, and exports its path as COMPUTE_SANITIZER; fails when
# there is none.
find_compute_sanitizer() {
    local toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
    export_first COMPUTE_SANITIZER "${COMPUTE_SANITIZER-}" compute-sanitizer \
        "${CUDACXX:+$(dirname -- "$CUDACXX")/compute-sanitizer}" "$toolkit/bin/compute-sanitizer" \
        "$toolkit/compute-sanitizer/compute-sanitizer" /usr/local/cuda/bin/compute-sanitizer
}

# True when an NVIDIA display or 3D controller is on the PCI bus.
nvidia_gpu_on_bus() {
    local device
    for device in /sys/bus/pci/devices/*; do
        [[ -r $device/vendor && -r $device/class ]] || continue
        [[ $(<"$device/vendor") == 0x10de && $(<"$device/class") == 0x03* ]] && return 0
    done
    return 1
}

# Looks for NVIDIA GPUs. Sets gpu_state to "usable", "broken" (a GPU, but no working driver) or "none", and gpu_text to the GPUs' names
# or to what is wrong.
look_for_gpu() {
    local tool='' candidate answer node
    gpu_state=none gpu_text='no NVIDIA GPU in this machine'
    if [[ -n ${CUDA_VISIBLE_DEVICES+set} && (-z $CUDA_VISIBLE_DEVICES || $CUDA_VISIBLE_DEVICES == -1) ]]; then
        gpu_text='CUDA_VISIBLE_DEVICES hides every GPU'
        return
    fi
    for candidate in nvidia-smi /usr/local/nvidia/bin/nvidia-smi /usr/lib/wsl/lib/nvidia-smi; do
        if tool=$(command -v -- "$candidate"); then
            break
        fi
    done
    if [[ -n $tool ]]; then
        if answer=$(timeout 60 "$tool" --query-gpu=name --format=csv,noheader 2>&1) && [[ -n $answer && $answer != 'No devices'* ]]; then
            gpu_state=usable
            gpu_text=$(sort <<<"$answer" | uniq -c | sed -E 's/^ *1 //; s/^ *([0-9]+) /\1 x /' | paste -sd , | sed 's/,/, /g')
            return
        fi
        answer=${answer%%$'\n'*}
    fi
    for node in /dev/nvidia[0-9]*; do
        [[ -e $node ]] || continue
        if [[ -z $tool ]] && { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | grep -q 'libcuda\.so\.1'; then
            gpu_state=usable gpu_text="$node"
        else
            gpu_state=broken gpu_text="$node is there, but its driver does not answer${answer:+ (${tool##*/}: $answer)}"
        fi
        return
    done
    if nvidia_gpu_on_bus; then
        gpu_state=broken gpu_text="an NVIDIA GPU is on the PCI bus, but its driver does not work${answer:+ (${tool##*/}: $answer)}"
    fi
}

# One line on how to enable the GPU target where a GPU is usable but nvcc is missing.
nvcc_advice='install the CUDA Toolkit, 12.4 or newer (https://developer.nvidia.com/cuda-downloads), and put nvcc on the PATH or its path into CUDACXX'
