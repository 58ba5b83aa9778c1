"""Capture from tool use: comments, note files, code patterns, and commands that failed and then passed.

The agent is not asked and not notified. Most tool uses have nothing to capture; checking a few words finds that
out before anything is loaded.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.clients import find_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# The programs that write comments, and their sub-commands for it: a line without one of each has no comment.
TOOLS = frozenset(("bd", "beads", "gh"))
VERBS = ("comment", "note", "close", "review")
# Folders of the work tree in which agents write notes. A person may name others (`gitmem.captureNotes`); the policy,
# which others write, can only switch notes off.
FOLDERS = ("memory", "notes")
# A shorter text has fewer than 50 tokens (`patterns`): a word has at least two characters on average.
CODE_AT_LEAST = 80
_QUOTES = str.maketrans("\"'`()", "     ")


def capture(repository: OpenRepository, event: Event) -> None:
    """Save the captures from a tool use as entries of the spool; a background process commits them.

    Raises:
        OSError: It cannot be saved: the disk is full or read-only.
    """
    if event.name != happened.TOOL:
        return
    if event.tool == happened.SHELL:
        _ran(repository, event)
    elif event.edits and event.failed is not True:
        _capture_edit(repository, event)


def may_comment(line: str) -> bool:
    """Return whether a command line may write a comment, judging by its words."""
    if not any(verb in line for verb in VERBS):
        return False
    return any(word.rsplit("/", 1)[-1] in TOOLS for word in line.translate(_QUOTES).split())


def may_note(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path, as a client names it, may be a note file, judging by its folders."""
    plain = path.replace("\\", "/")
    return any(f"/{folder.strip('/')}/" in f"/{plain}" for folder in folders)


def _ran(repository: OpenRepository, event: Event) -> None:
    if event.failed is not True and may_comment(event.command):
        from gitmem.agents.capture.record import keep_comments

        keep_comments(repository, event)
    if event.failed is None or not event.session:
        return
    from gitmem.agents.capture.state import is_kept, session_file

    path = session_file(repository, event.session)
    if not event.failed and not is_kept(path):
        return
    from gitmem.agents.capture.state import rules_of

    rules = rules_of(repository)
    if not rules.fixes or (event.agent_type and event.agent_type in rules.exempt):
        return
    if event.failed:
        from gitmem.agents.capture.fixes import remember_failure

        remember_failure(event, path=path)
        return
    from gitmem.agents.capture.record import keep_fix  # compiles 30 patterns, which a failure does not need

    keep_fix(repository, event, path)


def _capture_edit(repository: OpenRepository, event: Event) -> None:
    from gitmem.agents.capture.state import is_kept, rules_of, session_file

    path = session_file(repository, event.session)
    table = find_table(event.client)
    own = table.note_folders if table is not None else ()
    folders = (*own, *FOLDERS, *repository.config.capture_notes)
    may_be_notes = any(may_note(edit.path, folders) for edit in event.edits)
    has_failed = is_kept(path)
    if not (may_be_notes or has_failed or any(len(edit.after) > CODE_AT_LEAST for edit in event.edits)):
        return
    rules = rules_of(repository)
    wants_code = (repository.config.capture_edits or rules.edits) == "patterns"
    if has_failed or (may_be_notes and rules.notes) or wants_code:
        from gitmem.agents.capture.record import keep_edits

        keep_edits(repository, event, path if has_failed else "", folders if rules.notes else (), wants_code=wants_code)
