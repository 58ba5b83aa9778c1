"""State of capture between two hooks of a session, and a copy of the policy: small files in the state folder.

One process at a time reads and writes a session's file; the kernel releases the lock if that process dies. A session's
name may be anything: only its plain letters and a checksum go into the file name.
"""

from __future__ import annotations

import os
import time
from binascii import crc32

from gitmem.agents.session.places import change_table, read_table
from gitmem.errors import suppress
from gitmem.frozen import fields_of, replace
from gitmem.store.state.plain_files import HELD_S, has_overdue_captures
from gitmem.system import discard, make_folder, write_text
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.policy.settings import CaptureSettings
    from gitmem.repository import OpenRepository

FOLDER = "capture"
SESSIONS = "sessions"
RULES = "rules.json"
FORMAT = 2
BMAD = "bmad"
# Suffix of the empty file that dates the last end of a session that committed its captures.
ENDED = ".ended"
SIZE_LIMIT = 64 * 1024
# A session that was quiet for this long is over, and this is the most that a machine has at once.
QUIET_S = 2 * 86_400.0
SESSIONS_AT_MOST = 200


def rules_of(repository: OpenRepository) -> CaptureSettings:
    """Return the section ``[capture]`` of the policy, cached by the store's commit so that a hook opens no catalog."""
    from gitmem.policy.settings import CaptureSettings

    path = os.path.join(repository.git.repository.state, FOLDER, RULES)
    tip = repository.find_tip() or ""
    stored = read_table(path, SIZE_LIMIT)
    if stored.get("tip") == tip and stored.get("format") == FORMAT:
        try:
            stored["capture"]["exempt"] = tuple(stored["capture"]["exempt"])
            return CaptureSettings(**stored["capture"])
        except (KeyError, TypeError):
            pass
    policy = repository.policy()
    rules = policy.capture
    if policy.session.profile == BMAD and rules.edits == "off":  # its method stores what each story built
        rules = replace(rules, edits="patterns")
    with suppress(OSError):  # else it is read again next time
        write_text(path, format_json({"format": FORMAT, "tip": tip, "capture": fields_of(rules)}, is_ascii=True))
    return rules


def session_file(repository: OpenRepository, session: str) -> str:
    """Return the path of a session's state; empty for a session without a name."""
    if not session:
        return ""
    plain = "".join(char for char in session[:64] if (char.isalnum() and char.isascii()) or char in "-_")
    name = f"{plain}-{crc32(session.encode('utf-8', 'surrogatepass')):08x}.json"
    return os.path.join(repository.git.repository.state, FOLDER, SESSIONS, name)


def commits_at_end(repository: OpenRepository, session: str) -> bool:
    """Return whether the end of a session commits what was captured; note the time if it does.

    A client that resumes a session in a process of its own ends it each time (40 of the 62 commits of a day were made
    by such processes): after the first end, captures wait until they are overdue or another session ends.
    """
    path = session_file(repository, session)
    if not path:
        return True
    path += ENDED
    try:
        is_again = 0 <= time.time() - os.stat(path).st_mtime < HELD_S
    except OSError:
        is_again = False
    if is_again and not has_overdue_captures(repository.git.repository.state):
        return False
    with suppress(OSError):  # else the next end commits as well
        write_text(path, "")
    return True


def change(path: str, how: Callable[[dict[str, Any]], None]) -> None:
    """Change a session's state: the table that *how* leaves is saved; an empty one removes the file.

    Raises:
        OSError: It cannot be written.
    """
    folder = os.path.dirname(path)
    if not os.path.exists(path):
        make_folder(folder)
        _sweep(folder)
    change_table(path, how, limit=SIZE_LIMIT)


def is_kept(path: str) -> bool:
    """Return whether a session has any state."""
    try:
        return bool(path) and os.stat(path).st_size > 0
    except OSError:
        return False


def _sweep(folder: str) -> None:
    """Remove the files of sessions that are over."""
    now, files = time.time(), []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                files.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
            except OSError:
                continue
    files.sort(reverse=True)
    for number, (at, path) in enumerate(files):
        if number >= SESSIONS_AT_MOST or now - at > QUIET_S:
            discard(path)
