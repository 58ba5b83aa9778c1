"""An optional log of what agents did before each stop: local state, never a memory.

It is off unless the policy or this clone's settings switch it on. Secrets that gitmem knows are removed, the file is
bounded, and gitmem itself never reads it.
"""

from __future__ import annotations

import os

from gitmem.errors import suppress
from gitmem.system import append_file
from gitmem.text import format_json
from gitmem.text.secrets import safe_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

OFF, ACTIVITY, RESPONSES = "off", "activity", "responses"
FOLDER = "sessions"
NAME = "activity.jsonl"
# At most twice this many bytes are stored: about 2,000 stops, or 200 with long responses. Our choices.
LIMIT = 524_288
TEXT_LIMIT = 2_000


def path_of(state_folder: str | os.PathLike[str]) -> str:
    """Return the path of the log."""
    return os.path.join(state_folder, FOLDER, NAME)


def log(repository: OpenRepository, event: Event, text: str = "") -> None:
    """Log an event, with the agent's message if wanted; a disk error is ignored."""
    wanted = repository.config.stop_log or repository.policy().stops.log
    if wanted == OFF:
        return
    entry: dict[str, object] = {"at": repository.now, "client": event.client, "event": event.name}
    about = {"session": event.session, "agent": event.agent, "type": event.agent_type, "tool": event.tool_name}
    entry |= {name: safe_output(value, 200) for name, value in about.items() if value}
    entry |= {"branch": safe_output(repository.git.read_head()[0].removeprefix("refs/heads/"), 200)}
    if wanted == RESPONSES and text:
        entry["text"] = safe_output(text[-10 * TEXT_LIMIT :], TEXT_LIMIT)
    line = format_json(entry, is_ascii=True).encode("ascii") + b"\n"
    path = path_of(repository.git.repository.state)
    with suppress(OSError):
        if os.path.exists(path) and os.stat(path).st_size > LIMIT:
            os.replace(path, f"{path}.1")
        append_file(path, line)
