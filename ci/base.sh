# shellcheck shell=bash
# shellcheck disable=SC2154 # $root is set in common.sh
#
# The base that ci/gate --base compares this tree with; it sources this after common.sh.

# Finds the commit of $1: sets $base_ref, $base_commit, and $base_prefix, the place of this tree in its checkout. Ends the
# script if there is none.
find_base() {
    local prefix
    base_ref=$1
    command -v git >/dev/null || stop 2 "--base $base_ref: git is not installed: install it, or omit the option"
    # In a hook git's variables name the index of the commit that is being made, which the worktree of the base would overwrite.
    # shellcheck disable=SC2046 # names without spaces
    unset $(git rev-parse --local-env-vars)
    prefix=$(git -C "$root" rev-parse --show-prefix 2>&1) ||
        stop 2 "--base $base_ref: git finds no checkout in $root (${prefix%%$'\n'*}): run the gate in a clone"
    base_prefix=$prefix
    base_commit=$(git -C "$root" rev-parse --verify --quiet --end-of-options "$base_ref^{commit}" 2>/dev/null) || base_commit=
    # git takes "^main" for all but that.
    [[ $base_commit =~ ^[0-9a-f]{40,}$ ]] ||
        stop 2 "--base $base_ref: git knows no such commit here: name a branch, a tag or a commit, and fetch it first where the checkout is shallow"
}

# Whether this tree equals the base's, file by file.
is_base() {
    git -C "$root" diff --quiet --no-ext-diff "$base_commit" -- . 2>/dev/null &&
        [[ -z $(git -C "$root" ls-files --others --exclude-standard -- . 2>/dev/null) ]]
}

# shellcheck disable=SC2317 # called by a trap
remove_base_tree() {
    # Twice forced, since git locks a worktree while it makes it, and leaves it so where it is killed.
    git -C "$root" worktree remove --force --force "$base_tree" >/dev/null 2>&1 || true
    rm -rf -- "$base_tree"
    git -C "$root" worktree prune >/dev/null 2>&1 || true
}

# The options of CMake that make the base's build like that of this tree, one line each, from its cache.
like_this_build() {
    sed -nE 's/^(CMAKE_(C|CXX|CUDA)_(COMPILER|FLAGS)|CMAKE_CUDA_(ARCHITECTURES|HOST_COMPILER)|CMAKE_BUILD_TYPE|kernelgate_DIR|KERNELGATE_SOURCE):[A-Z]+=(.+)$/-D\1=\5/p' \
        "$root/build/gpu/CMakeCache.txt"
}

# Builds the GPU programs of the source folder $1 and nothing else.
build_gpu_programs() {
    local options programs
    mapfile -t options < <(like_this_build)
    cmake --fresh -S "$1" -B "$base_build" --preset gpu -DKG_WERROR=OFF "${options[@]}" || return 1
    mapfile -t programs < <(ninja -C "$base_build" -t targets all | sed -nE 's/^([a-z0-9_]+\.gpu): .*/\1/p')
    ((${#programs[@]})) || return 1
    cmake --build "$base_build" --target "${programs[@]}"
}

# shellcheck disable=SC2317 # called by run_stoppable
# Builds the base in a worktree of its own, which lives no longer than that: with this tree's harness, so that both are timed
# alike, or with its own if that fails. A project that uses kernelgate has no harness: its base is built with the
# kernelgate of this tree's build. Writes the stamp $base_build/built.
make_base() {
    local source=$base_tree/$base_prefix
    exec >"$base_log" 2>&1
    heed_signals
    trap remove_base_tree EXIT
    remove_base_tree
    git -C "$root" -c core.hooksPath=/dev/null worktree add --force --force --detach "$base_tree" "$base_commit" || return 1
    if [[ $root == "$home" ]]; then
        rm -rf -- "${source:?}/harness"
        cp -a -- "$root/harness" "$source/harness" || return 1
    fi
    if build_gpu_programs "$source"; then
        printf '%s\nharness=this\n' "$base_wanted" >"$base_build/built"
        return 0
    fi
    [[ $root == "$home" ]] || return 1
    printf 'with the harness of this tree it does not build; now with its own\n'
    rm -rf -- "${source:?}/harness"
    git -C "$source" checkout --quiet --force HEAD -- . || return 1
    build_gpu_programs "$source" || return 1
    printf '%s\nharness=own\n' "$base_wanted" >"$base_build/built"
}

# The checksum of what the base is built with: this tree's harness, or the command of the kernelgate that a project uses.
harness_of_base() {
    if [[ $root == "$home" ]]; then
        (cd -- "$root/harness" && find . -type f -exec cksum {} + | sort | cksum)
    else
        (cd -- "$root" && cksum <"$(kernelgate_command gpu)")
    fi
}

# Builds the base that find_base() found, unless the last run has, and sets $base_build to the folder with its programs. Fails,
# with a line that says why, if it does not build or is this tree.
build_base() {
    local folder=$root/build/base name begun other how=''
    name=$base_ref
    [[ $base_commit == "$base_ref"* ]] || name="$base_ref (${base_commit:0:10})"
    if is_base; then
        say "the base $name is this tree itself: what got slower is confirmed against the stored baseline instead"
        return 1
    fi
    base_tree=$folder/tree base_log=$root/build/base.log base_build=$folder/${base_commit:0:12}
    mkdir -p -- "$base_build" || stop 2 "cannot write to $folder: make it writable for $(id -un), or remove it"
    for other in "$folder"/*; do
        [[ $other == "$base_build" || $other == "$base_tree" ]] || rm -rf -- "$other"
    done
    base_wanted="commit=$base_commit harness=$(harness_of_base) options=$(like_this_build | paste -sd ' ') compiler=$(contents --compilers "$root/build/gpu" | cksum)"
    if [[ -f $base_build/built && $(head -n 1 -- "$base_build/built") == "$base_wanted" ]]; then
        say "the base $name is built already, in $base_build"
    else
        say "building the base $name in $base_build"
        begun=$(milliseconds)
        rm -f -- "$base_build/built"
        run_stoppable make_base || true
        if [[ ! -f $base_build/built ]]; then
            say "the base $name does not build (see $base_log): what got slower is confirmed against the stored baseline instead"
            return 1
        fi
        say "built in $(seconds_since "$begun")"
    fi
    [[ $(tail -n 1 -- "$base_build/built") == harness=this ]] || how=', with its own harness, since with this one it does not build'
    say "what got slower is compared with $name$how"
}
