"""Shell completion scripts, and the files in which each shell looks for them.

A script only calls ``gitmem complete``, which knows the candidates. ``git mem`` is completed like ``gitmem``.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.config import home, variable
from gitmem.errors import ConflictError
from gitmem.system import read_regular
from gitmem.system.atomic_write import write

SHELLS = ("bash", "zsh", "fish", "tcsh")
# The line that identifies files written by gitmem.
MARK = "# Completion for gitmem and git mem: `gitmem uninstall completion` removes this file."
# git's bash completion calls _git_mem, which it loads from a file named git-mem (git-completion.bash); zsh's calls
# _git-mem.
BASH = """
_gitmem_of() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(command gitmem complete bash "${COMP_TYPE:-9}" "$@" 2>/dev/null)
}
_gitmem() {
    _gitmem_of "${COMP_WORDS[@]:1:COMP_CWORD}"
}
_git_mem() {
    local at=1
    while [ "$at" -lt "$cword" ] && [ "${words[at]}" != mem ]; do at=$((at + 1)); done
    _gitmem_of "${words[@]:at+1:cword-at}"
}
complete -o bashdefault -o default -F _gitmem gitmem git-mem
"""
ZSH = """
_gitmem() {
    local line value about
    local -a values shown
    while IFS=$'\\t' read -r value about; do
        values+=("$value")
        shown+=("${value}${about:+  -- $about}")
    done < <(command gitmem complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#values} )); then
        compadd -l -d shown -a values
    else
        _files
    fi
}
_git-mem() {
    _gitmem "$@"
}
if [ "${funcstack[1]}" = _gitmem ]; then
    _gitmem "$@"
else
    compdef _gitmem gitmem git-mem
fi
"""
# fish's completions for git know programs whose names begin with git- (seen with fish 3.6.0).
FISH = """
function __gitmem_complete
    set -l words (commandline -opc)
    set -l at 1
    test "$words[1]" = git; and set at (contains -i -- mem $words)
    set -l more
    test (count $words) -gt $at; and set more $words[(math $at + 1)..]
    command gitmem complete fish $more (commandline -ct) 2>/dev/null
end
complete -c gitmem -f -a '(__gitmem_complete)'
complete -c gitmem -n 'test (count (__gitmem_complete)) = 0' -F
complete -c git-mem -f -a '(__gitmem_complete)'
complete -c git -n 'contains -- mem (commandline -opc)' -f -a '(__gitmem_complete)'
"""
TCSH = """
complete gitmem 'p@*@`gitmem complete tcsh`@'
"""
TEXTS = {"bash": BASH, "zsh": ZSH, "fish": FISH, "tcsh": TCSH}


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    head = "#compdef gitmem git-mem\n" if shell == "zsh" else ""
    return f"{head}{MARK}{TEXTS[shell]}"


def files(shell: str) -> dict[Path, str]:
    """Return the texts of the files in which a shell finds its completions, by path.

    Source: the README of bash-completion; zshcompsys(1), Autoloaded files; fish-language(1), Configuration files.
    """
    data = Path(variable("XDG_DATA_HOME") or Path(home()) / ".local" / "share")
    if shell == "bash":
        folder = Path(variable("BASH_COMPLETION_USER_DIR") or data / "bash-completion") / "completions"
        return {folder / name: script(shell) for name in ("gitmem", "git-mem")}
    if shell == "zsh":
        folder = data / "zsh" / "site-functions"
        of_git = f'#autoload\n{MARK}\n_gitmem "$@"\n'
        return {folder / "_gitmem": script(shell), folder / "_git-mem": of_git}
    if shell == "fish":
        # Not in completions/, which is only read for gitmem: `git mem` is completed by git's completions.
        folder = Path(variable("XDG_CONFIG_HOME") or Path(home()) / ".config") / "fish" / "conf.d"
        return {folder / "gitmem.fish": script(shell)}
    return {}


def install(shell: str) -> list[tuple[Path, bool]]:
    """Write the files of a shell; return each with whether it was written (False if it was up to date).

    Raises:
        ConflictError: A file exists that gitmem did not write.
    """
    wanted = files(shell)
    for path in wanted:
        if os.path.lexists(path) and not _is_ours(path):
            message = f"{path} exists, and gitmem did not write it"
            raise ConflictError(
                message, hint="move it away, or print the script and place it yourself: gitmem completion bash"
            )
    written = []
    for path, text in wanted.items():
        is_new = not path.exists() or read_regular(path) != text.encode()
        if is_new:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, text.encode())
        written.append((path, is_new))
    return written


def list_installed() -> list[Path]:
    """Return the installed completion files of any shell."""
    return [path for shell in SHELLS for path in files(shell) if _is_ours(path)]


def uninstall() -> list[Path]:
    """Delete the installed completion files, and return them."""
    installed = list_installed()
    for path in installed:
        path.unlink(missing_ok=True)
    return installed


def _is_ours(path: Path) -> bool:
    """Return whether gitmem wrote a file; a link was made by someone else."""
    if path.is_symlink() or not path.is_file():
        return False
    return MARK.encode() in read_regular(path)[:500]
