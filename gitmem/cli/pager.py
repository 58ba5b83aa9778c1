"""The pager for output that is longer than the screen: ``GITMEM_PAGER``, or git's (``core.pager``, ``PAGER``, less)."""

from __future__ import annotations

from gitmem.cli.terminal import is_interactive
from gitmem.config import variable, variables
from gitmem.errors import ProcessError
from gitmem.git.repository import core_pager
from gitmem.system import process

# The shell's exit statuses if the pager is missing or cannot be run (POSIX.1-2017, Shell Command Language, 2.8.2).
NOT_STARTED = (126, 127)
# The defaults that git sets for less and lv (git-config(1), core.pager).
DEFAULTS = ': "${LESS=FRX}" "${LV=-c}"; export LESS LV; '


def show(text: str) -> bool:
    """Show text in the pager; return False if there is none, or no terminal to read keys from."""
    if not is_interactive():
        return False
    command = variables(("GITMEM_PAGER",)).get("GITMEM_PAGER")
    if command is None:  # git's own order (git-var(1), GIT_PAGER)
        command = variable("GIT_PAGER") or core_pager() or variable("PAGER") or "less"
    if command.strip() in ("", "cat"):
        return False
    try:
        process.run_interactive(
            ["sh", "-c", f"{DEFAULTS}{command}"], what="the pager", input=text.encode("utf-8", "backslashreplace")
        )
    except ProcessError as err:
        return err.status not in NOT_STARTED
    return True
