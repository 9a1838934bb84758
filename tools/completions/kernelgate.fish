# SPDX-License-Identifier: MIT
# Completion for fish: the command, by argcomplete, writes what may follow to descriptor 8.
function __kernelgate_complete
    set -lx _ARGCOMPLETE 1
    set -lx _ARGCOMPLETE_IFS \n
    set -lx _ARGCOMPLETE_SUPPRESS_SPACE 1
    set -lx COMP_LINE (commandline -p)
    set -lx COMP_POINT (string length (commandline -cp))
    set -l command (commandline -op)[1]
    $command 8>&1 9>/dev/null >/dev/null 2>&1
end
complete --command kernelgate --arguments '(__kernelgate_complete)'
