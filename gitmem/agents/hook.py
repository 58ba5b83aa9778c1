"""Handle a hook call by a client: read its JSON, act on the event, print the answer.

A failure here must not disturb the session: it is logged for ``gitmem doctor`` (``gitmem.store.state.hook_log``),
nothing is printed, and the status is 0. Some clients show a failed hook to the person; in others it stops the agent's
turn (exit status 2).
"""

from __future__ import annotations

# ``signal`` imports enum: 1.7 ms (measured).
import _signal as signal  # type: ignore[import-not-found]
import os
from time import monotonic

from gitmem.agents import clients, trouble
from gitmem.agents import event as happened
from gitmem.agents.clients import CLIENTS, find_name
from gitmem.agents.repeated_events import is_first
from gitmem.agents.stdin import HookInput, read_input
from gitmem.config import home
from gitmem.errors import BusyError, ConfigError, GitmemError, NoRepositoryError
from gitmem.frozen import replace
from gitmem.git.repository import discover
from gitmem.store.state import hook_log
from gitmem.store.state.foreign_files import remove_links
from gitmem.system.environment import is_switched_off
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.memory import Memory

# The functions of ``agents.on_event`` that handle events; their results are shown to the agent.
ACTIONS = {
    happened.START: "session_started",
    happened.PROMPT: "answer_prompt",
    happened.TOOL: "tool_used",
    happened.RESPONSE: "save_learnings",
    happened.STOP: "end_turn",
    happened.DISPATCH: "subagent_dispatched",
    happened.COMMAND: "command_announced",
    happened.SUBAGENT_START: "subagent_started",
    happened.SUBAGENT_STOP: "subagent_stopped",
    happened.COMPACT: "save_before_compaction",
    happened.END: "session_ended",
}
# The longest output: Claude Code and Codex replace more than 10,000 by a preview (seen with 2.1.330, 0.169.0).
ANSWER_LIMIT = 8_000
# Seconds that an event may take: less than the timeout that clients get from `gitmem install`, and less than the 3 s
# that Codex allows for the end of a session. The person sees an error if the client itself cuts a hook off.
LIMITS_S = {happened.PROMPT: 4.0, happened.END: 2.5}
LIMIT_S = 4.5
LEFT_OUT = "(truncated; gitmem context shows everything)"
# Where a line about trouble reaches the agent.
SAID_AT = (happened.START, happened.PROMPT, happened.TOOL)
UNWRITABLE = "gitmem could not save captured memories, and could not log the failure: {}. Tell the person."
# If set to `off`, hooks of clients do nothing.
SWITCH = "GITMEM_HOOKS"


class HookCall:
    """One call of a hook, with its progress so far for error reports.

    Attributes:
        client: The calling client, as far as known.
        event: The event; None until it is parsed.
        state: The state folder of the repository; empty until the memory is open.
    """

    def __init__(self, client: str, named: str, *, is_users: bool = False) -> None:
        self.client = find_name(client) or client
        self._called = self.client
        self._is_users = is_users
        self.event: Event | None = None
        self.state = ""
        self._named = named
        self._began, self._had_waited_s = monotonic(), trouble.cpu_wait_s()

    def answer(self, fd: int, limit: Limit) -> str:
        """Return the output for the payload on a descriptor; any exception is passed on."""
        received = read_input(fd)
        if is_switched_off(SWITCH) or received.is_empty:
            return self.silence()
        payload = received.payload()
        adapter = load(self.client)
        if hasattr(adapter, "sender") and (sender := adapter.sender(payload)) != self.client:
            self.client, adapter = sender, load(sender)
            if hasattr(adapter, "has_own_hooks") and adapter.has_own_hooks(payload, home()):
                return self.silence()
        self.event = normalize_event(adapter.parse(payload, self._named))
        if self.event is None:
            return self.silence()
        # Marks may be read before links are removed, which takes a moment; ``Memory`` removes them.
        state, session = _state_in(self.place), self._waiting
        if trouble.has(state, session, trouble.SILENT):
            if self.event.name != happened.START:
                return self.silence()
            trouble.clear(find_state(self.place), session)  # resumed: another try
        limit.set(min(self._limit_s, max(trouble.LOST_S + 1 - trouble.lost_s(state, session), trouble.SLOW_S)))
        text = self._handle(self.event, received)
        if self.event.name == happened.START and trouble.is_no_folder(self.state):
            text = "\n\n".join(filter(None, (trouble.NO_FOLDER.format(self.state), text)))
        text = "\n\n".join(filter(None, (text, self._slow_line(self.state))))
        return fit_output(adapter, self.event, text)

    @property
    def _cpu_wait_s(self) -> float:
        return trouble.cpu_wait_s() - self._had_waited_s

    @property
    def _waiting(self) -> str:
        """Return who waits for this event: the session, or one sub-agent of it; empty without a session."""
        if self.event is None or not self.event.session or not self.event.agent:
            return self.event.session if self.event else ""
        return f"{self.event.session}/{self.event.agent}"

    @property
    def _limit_s(self) -> float:
        return LIMITS_S.get(self.event.name, LIMIT_S) if self.event else LIMIT_S

    def _slow_line(self, state: str) -> str:
        """Count this event if it was slow; if the session has lost enough, silence it and return a line about it."""
        took = monotonic() - self._began - self._cpu_wait_s
        if not self._waiting or not state or took < trouble.SLOW_S:
            return ""
        lost = trouble.add_lost(state, self._waiting, took)
        is_enough = lost >= trouble.LOST_S and trouble.note(state, self._waiting, trouble.SILENT)
        return trouble.TOO_SLOW.format(lost) if is_enough else ""

    def silence(self) -> str:
        """Return the output that this client takes as no answer."""
        return str(load(self.client).SILENT) if self.client in CLIENTS else ""

    @property
    def place(self) -> str:
        """Return the folder that the event is about; the current one if it is missing or not reported."""
        return self.event.folder if self.event and os.path.isdir(self.event.folder) else os.curdir

    def note(self, err: BaseException) -> str:
        """Log a failure in the repository, if any; return the output, a message only if the log cannot be written."""
        state = self.state or find_state(self.place)
        is_noted = hook_log.note(state, self.client, self.event.name if self.event else "", err)
        if isinstance(err, TimeoutError) and self.event is not None:
            if self._cpu_wait_s > self._limit_s / 2:
                return self.silence()  # the machine was busy: the next event may be quick
            is_new = trouble.note(state, self._waiting, trouble.SILENT)
            text = trouble.TIMED_OUT.format(self._limit_s) if is_new and self._waiting else ""
            return fit_output(load(self.client), self.event, text)
        if self.event is not None and (line := self._slow_line(state)):
            return fit_output(load(self.client), self.event, line)
        if is_noted or self.event is None or not isinstance(err, OSError):
            return self.silence()
        return fit_output(load(self.client), self.event, UNWRITABLE.format(err.strerror or type(err).__name__))

    def _handle(self, event: Event, received: HookInput) -> str:
        """Handle the event, and return context for the agent."""
        from gitmem.agents import on_event
        from gitmem.memory import Memory
        from gitmem.store.state.registration import is_accepted

        try:
            memory = Memory(self.place)
        except NoRepositoryError:
            return ""
        with memory:
            self.state = memory.repository.git.repository.state
            try:
                has_store = memory.repository.has_store()
            except TimeoutError:
                raise
            except (GitmemError, OSError) as err:
                return self._rescue(memory, event, err)
            if not has_store:
                return self._rescue(memory, event) if memory.repository.has_branch() else ""
            if not is_accepted(self.state):
                has_hooks = self._has_hooks(memory)
                if self._is_users or not has_hooks:
                    # If the project has hooks of its own, those handle the event.
                    is_line = event.name == happened.START and not has_hooks and self._is_first(received)
                    return on_event.not_accepted(memory) if is_line else ""
            if not self._is_first(received):
                return ""
            try:
                return str(getattr(on_event, ACTIONS[event.name])(memory, event) or "")
            except (ConfigError, BusyError):
                raise  # about this clone's settings, or another process; the log quotes it
            except (GitmemError, ValueError) as err:
                return self._rescue(memory, event, err)

    def _rescue(self, memory: Memory, event: Event, err: Exception | None = None) -> str:
        """Save the words of an event although the memory cannot be read, and return a line about it, once a session."""
        from gitmem.agents import on_event
        from gitmem.store.state.registration import is_accepted

        if not (is_accepted(self.state) or self._has_hooks(memory)):
            return ""
        if err is not None:
            hook_log.note(self.state, self.client, event.name, err)
        on_event.save_words(memory, event)
        is_new = trouble.note(self.state, event.session, trouble.UNREADABLE)
        return trouble.CANNOT_READ if is_new and event.name in SAID_AT else ""

    def _is_first(self, received: HookInput) -> bool:
        return is_first(self.state, received.mark, f"{self._called}{'+user' if self._is_users else ''}")

    def _has_hooks(self, memory: Memory) -> bool:
        """Return whether the project's own settings make this client call gitmem."""
        from gitmem.commands.install import agents, place  # 15 ms, and only in a clone that has not been accepted

        try:
            project = place.of_project(memory.repository.git)
        except GitmemError:
            return False
        return any(agents.is_installed(project, name, user=False) for name in {self._called, self.client})


class Limit:
    """A time limit as a context manager: code that exceeds it is interrupted by TimeoutError, repeatedly.

    It uses the process's alarm (setitimer(2)), so it works only in a program's main thread; elsewhere there is no
    limit. Within it, SIGTERM is ignored: `claude -p` sends it to background hooks as soon as its agent has answered,
    and SIGKILL about a second later (seen with 2.1.331). A capture takes less, and child processes do obey it.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._former: Any = None
        self._terminated: Any = None

    def __enter__(self) -> Limit:
        """Begin."""
        try:
            self._former = signal.signal(signal.SIGALRM, _interrupt)
            self._terminated = signal.signal(signal.SIGTERM, _ignore_signal)
        except (ValueError, AttributeError):  # another thread; Windows
            return self
        self.set(self._seconds)
        return self

    def set(self, seconds: float) -> None:
        """Set the limit to this many seconds from now."""
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


def _ignore_signal(*_: object) -> None:
    """Ignore a signal, and finish the hook; SIG_IGN would be inherited by child processes."""


def serve(client: str, named: str = "", *, fd: int = 0, is_users: bool = False) -> str:
    """Return the output of a hook; on any failure, log it and print nothing.

    Args:
        client: The client, as the command line names it.
        named: The event named on the command line, for a client whose payloads do not name it.
        fd: The descriptor to read the payload from.
        is_users: Whether the call comes from the person's own settings, which apply to all projects.
    """
    hook = HookCall(client, named, is_users=is_users)
    try:
        with Limit(LIMIT_S) as limit:
            return hook.answer(fd, limit)
    except BaseException as err:  # noqa: BLE001 - also an interrupt: the turn goes on in any case
        return hook.note(err)


def find_state(folder: str) -> str:
    """Return the state folder of the repository that contains a folder, without links in it; or ""."""
    state = _state_in(folder)
    try:
        remove_links(state)
        return state
    except (OSError, GitmemError):
        return ""


def _state_in(folder: str) -> str:
    try:
        return discover(os.path.abspath(folder)).state
    except (OSError, GitmemError):
        return ""


def normalize_event(event: Event | None) -> Event | None:
    """Return the event with an unknown source of its start replaced: it is treated as any other start."""
    if event is None or event.name != happened.START or event.source in happened.SOURCES:
        return event
    return replace(event, source=happened.STARTUP)


def load(client: str) -> ModuleType:
    """Return the module of one client.

    Raises:
        UnusableError: There is no client of this name.
    """
    if client not in CLIENTS:
        raise hook_log.UnusableError(f"unknown client; choose one of {', '.join(CLIENTS)}")
    return clients.load(client)


def fit_output(adapter: ModuleType, event: Event, text: str) -> str:
    """Return the output, shortened if too long: lines above the last one, which ends a fence, are dropped."""
    printed: str = adapter.answer(event, text)
    *lines, end = text.split("\n")
    while len(printed) > ANSWER_LIMIT and lines:
        over = len(printed) - ANSWER_LIMIT
        while lines and over > 0:
            over -= len(format_json(lines.pop()))
        printed = adapter.answer(event, "\n".join([*lines, end, LEFT_OUT]))
    return printed if len(printed) <= ANSWER_LIMIT else str(adapter.SILENT)
