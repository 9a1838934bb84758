# SPDX-License-Identifier: MIT
# Completion for bash: the command, by argcomplete, writes what may follow to descriptor 8.
_kernelgate() {
    mapfile -t COMPREPLY < <(_ARGCOMPLETE=1 _ARGCOMPLETE_IFS=$'\n' _ARGCOMPLETE_SUPPRESS_SPACE=1 COMP_LINE=$COMP_LINE \
        COMP_POINT=$COMP_POINT _ARGCOMPLETE_COMP_WORDBREAKS=$COMP_WORDBREAKS "$1" 8>&1 9>/dev/null >/dev/null 2>&1)
}
complete -o default -F _kernelgate kernelgate
