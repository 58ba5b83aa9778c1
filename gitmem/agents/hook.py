"""Handle a call of a hook by a harness: read its JSON, act on the event, print the answer.

Whatever goes wrong here is not a concern of the session that runs in front of it: it is noted for ``gitmem doctor``
(``gitmem.store.hook_log``), it prints nothing, and the status is 0. A hook that fails is shown to the person by some
harnesses and stops the agent's turn in others (an exit status of 2).
"""

from __future__ import annotations

# ``signal`` imports enum: 1.7 ms (measured).
import _signal as signal  # type: ignore[import-not-found]
import os

from gitmem.agents import ALIASES, HARNESSES
from gitmem.agents import event as happened
from gitmem.agents.once import has_own_hooks, is_first
from gitmem.agents.stdin import HookInput, read_input
from gitmem.config import home, is_switched_off
from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.frozen import replace
from gitmem.git.repository import discover
from gitmem.store import hook_log
from gitmem.store.remove_links import remove_links
from gitmem.text.json_values import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.memory.memory import Memory

# The functions of ``agents.on_event`` that do what an event asks for; what they return, the agent is told.
ACTIONS = {
    happened.START: "session_started",
    happened.PROMPT: "prompted",
    happened.TOOL: "tool_used",
    happened.RESPONSE: "responded",
    happened.STOP: "stopped",
    happened.SUBAGENT_START: "subagent_started",
    happened.SUBAGENT_STOP: "subagent_stopped",
    happened.COMPACT: "compacting",
    happened.END: "session_ended",
}
# Characters that are printed: Claude Code and Codex replace more than 10,000 by a preview (seen with 2.1.330, 0.169.0).
ANSWER_LIMIT = 8_000
# Seconds that an event may take: less than what harnesses are told to wait (`gitmem install`), and than the 3 s that
# Codex gives the end of a session at most. A hook that is cut off from outside is shown to the person.
LIMITS_S = {happened.PROMPT: 4.0, happened.END: 2.5}
LIMIT_S = 8.0
LEFT_OUT = "(truncated; gitmem context shows everything)"
UNWRITABLE = "gitmem could not save captured memories, and could not log the failure: {}. Tell the person."
# Set to `off`, hooks of harnesses do nothing.
SWITCH = "GITMEM_HOOKS"


class HookCall:
    """One call of a hook: what it answers, and how far it came, for who asks after it failed.

    Attributes:
        harness: Who called, as found out so far.
        event: What happened, None until that is known.
        state: The state folder of the repository, empty until that is known.
    """

    def __init__(self, harness: str, named: str, *, is_users: bool = False) -> None:
        self.harness = ALIASES.get(harness, harness)
        self._called = self.harness
        self._is_users = is_users
        self.event: Event | None = None
        self.state = ""
        self._named = named

    def answer(self, fd: int, limit: Limit) -> str:
        """Return what is printed for a payload that a descriptor brings; raises whatever goes wrong."""
        received = read_input(fd)
        if is_switched_off(SWITCH) or received.is_empty:
            return self.silence()
        payload = received.payload()
        named, self.harness = self.harness, sender(self.harness, payload)
        if named != self.harness == "cursor" and has_own_hooks(payload.get("workspace_roots"), home()):
            return self.silence()
        adapter = load(self.harness)
        self.event = known(adapter.parse(payload, self._named))
        if self.event is None:
            return self.silence()
        limit.set(LIMITS_S.get(self.event.name, LIMIT_S))
        text = self._happened(self.event, received)
        return fitting(adapter, self.event, text)

    def silence(self) -> str:
        """Return what the harness takes for nothing to say."""
        return str(load(self.harness).SILENT) if self.harness in HARNESSES else ""

    @property
    def place(self) -> str:
        """Return the folder that the event is about; the current one where that is not said, or gone."""
        return self.event.folder if self.event and os.path.isdir(self.event.folder) else os.curdir

    def note(self, err: BaseException) -> str:
        """Note what went wrong, where there is a repository; return what is printed: a failure that no disk takes."""
        state = self.state or find_state(self.place)
        is_noted = hook_log.note(state, self.harness, self.event.name if self.event else "", err)
        if is_noted or self.event is None or not isinstance(err, OSError):
            return self.silence()
        return fitting(load(self.harness), self.event, UNWRITABLE.format(err.strerror or type(err).__name__))

    def _happened(self, event: Event, received: HookInput) -> str:
        """Let the memory do its part, and return the agent's context."""
        from gitmem.agents import on_event
        from gitmem.memory.memory import Memory
        from gitmem.store.acceptance import is_accepted

        try:
            memory = Memory(self.place)
        except NoRepositoryError:
            return ""
        with memory:
            self.state = memory.repository.git.repository.state
            if not memory.repository.has_store():
                return ""
            if not is_accepted(self.state):
                has_hooks = self._has_hooks(memory)
                if self._is_users or not has_hooks:
                    # The project's own hooks, where it has any, answer for it.
                    is_line = event.name == happened.START and not has_hooks and self._is_first(received)
                    return on_event.not_accepted(memory) if is_line else ""
            if not self._is_first(received):
                return ""
            return str(getattr(on_event, ACTIONS[event.name])(memory, event) or "")

    def _is_first(self, received: HookInput) -> bool:
        return is_first(self.state, received.mark, f"{self._called}{'+user' if self._is_users else ''}")

    def _has_hooks(self, memory: Memory) -> bool:
        """Return whether the project itself has this harness call gitmem."""
        from gitmem.commands.install import agents, place  # 15 ms, and only in a clone that nobody accepted

        try:
            project = place.of_project(memory.repository.git)
        except GitmemError:
            return False
        return any(agents.is_installed(project, name, user=False) for name in {self._called, self.harness})


class Limit:
    """A limit of time, as a context manager: what takes longer is interrupted by TimeoutError, again and again.

    It is the process's alarm (setitimer(2)), so only a program's main thread has one; elsewhere there is no limit.
    Within it, SIGTERM is not obeyed: `claude -p` sends it to hooks in the background as soon as its agent has answered,
    and SIGKILL about a second later (seen with 2.1.331). A capture takes less, and processes that it starts obey it.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._former: Any = None
        self._terminated: Any = None

    def __enter__(self) -> Limit:
        """Begin."""
        try:
            self._former = signal.signal(signal.SIGALRM, _interrupt)
            self._terminated = signal.signal(signal.SIGTERM, _go_on)
        except (ValueError, AttributeError):  # another thread; Windows
            return self
        self.set(self._seconds)
        return self

    def set(self, seconds: float) -> None:
        """Let the limit be so many seconds from now."""
        if self._former is not None:
            signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)

    def __exit__(self, *_: object) -> None:
        """Lift the limit."""
        if self._former is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._former)
        if self._terminated is not None:
            signal.signal(signal.SIGTERM, self._terminated)


def _interrupt(*_: object) -> None:
    raise TimeoutError("it took too long")


def _go_on(*_: object) -> None:
    """Finish the hook; a signal that is ignored instead would be ignored by the processes that it starts, too."""


def serve(harness: str, named: str = "", *, fd: int = 0, is_users: bool = False) -> str:
    """Return what a hook prints; whatever goes wrong is noted, and it prints nothing then.

    Args:
        harness: Whose hook it is, as the command line names it.
        named: The event as the command line names it, for a harness whose payloads do not.
        fd: The descriptor that brings the payload.
        is_users: Whether the person's own settings call, which hold for all projects.
    """
    hook = HookCall(harness, named, is_users=is_users)
    try:
        with Limit(LIMIT_S) as limit:
            return hook.answer(fd, limit)
    except BaseException as err:  # noqa: BLE001 - also an interrupt: the turn goes on in any case
        return hook.note(err)


def sender(harness: str, payload: Mapping[str, Any]) -> str:
    """Return which harness a payload comes from: several read the settings of Claude Code."""
    if "cursor_version" in payload:
        return "cursor"
    if harness != "claude-code":
        return harness
    path = payload.get("transcript_path")
    if "turn_id" in payload or (isinstance(path, str) and os.path.basename(path).startswith("rollout-")):
        return "codex"
    if "timestamp" not in payload:
        return harness
    # VS Code names the time as well; but not every event of Gemini, and not always the file of the session.
    is_gemini = "transcript_path" in payload and payload.get("hook_event_name") in load("gemini").EVENTS
    return "gemini" if is_gemini else "copilot"


def find_state(folder: str) -> str:
    """Return the state folder of the repository that holds a folder, or an empty string: asked when all else failed."""
    try:
        state = discover(os.path.abspath(folder)).state
        remove_links(state)
        return state
    except (OSError, GitmemError):
        return ""


def known(event: Event | None) -> Event | None:
    """Return an event whose start comes from one of the sources that we know: a new one is a start like any other."""
    if event is None or event.name != happened.START or event.source in happened.SOURCES:
        return event
    return replace(event, source=happened.STARTUP)


def load(harness: str) -> ModuleType:
    """Return the module of one harness.

    Raises:
        UnusableError: There is no harness of this name.
    """
    if harness not in HARNESSES:
        raise hook_log.UnusableError(f"unknown harness; choose one of {', '.join(HARNESSES)}")
    # ``importlib`` costs 0.5 ms (measured), and every hook comes here.
    found: ModuleType = __import__(f"gitmem.agents.harness.{HARNESSES[harness]}", fromlist=("parse",))
    return found


def fitting(adapter: ModuleType, event: Event, text: str) -> str:
    """Return what is printed; where it would be too long, without lines above the last one, which ends a fence."""
    printed: str = adapter.answer(event, text)
    *lines, end = text.split("\n")
    while len(printed) > ANSWER_LIMIT and lines:
        over = len(printed) - ANSWER_LIMIT
        while lines and over > 0:
            over -= len(format_json(lines.pop()))
        printed = adapter.answer(event, "\n".join([*lines, end, LEFT_OUT]))
    return printed if len(printed) <= ANSWER_LIMIT else str(adapter.SILENT)
