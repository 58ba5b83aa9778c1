"""Hooks of clients in every place, on every bad day: status 0, and only what the client accepts is printed."""

from __future__ import annotations

import fcntl
import json
import os
import termios
from pathlib import Path

import pytest
from conftest import Ran, git
from e2e.test_disk import Inside
from support.console import GITMEM, SCRIPTS, Console, environment, needs_namespaces, run, start, untouched, wait_until
from support.fork_server import run_forked
from support.payloads import payload

from benchmarks import agents
from gitmem.agents.clients import CLIENTS
from gitmem.agents.hook import ANSWER_LIMIT
from gitmem.agents.stdin import PARSED_AT_MOST
from gitmem.store.state import hook_log

# One payload of each kind of event.
KINDS = (
    *("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "PostToolUse.Edit", "PostToolUseFailure.Bash"),
    *("PreCompact", "Stop", "SubagentStop", "SessionEnd"),
)


def hook(folder: Path, client: str, report: object, **env: str) -> Ran:
    """Call a hook in a folder as a client does."""
    content = report if isinstance(report, bytes) else json.dumps(report).encode()
    status, out, err = run_forked(["hook", client], str(folder), environment(**env), timeout=180, stdin=content)
    return Ran(status, out.decode(), err.decode())


def is_accepted(done: Ran) -> bool:
    """Return whether a hook ended well, and printed nothing or one JSON object."""
    quiet = done.status == 0 and done.err == "" and len(done.out) <= ANSWER_LIMIT + 1
    return quiet and (done.out == "" or isinstance(json.loads(done.out), dict))


@pytest.fixture
def service(repo: Path) -> Path:
    """Return a repository with a memory."""
    console = Console(repo)
    console.ok("init")
    console.ok("remember", "The gateway drops idle connections after a minute")
    return repo


def bare(service: Path) -> Path:
    git(service, "clone", "-q", "--bare", ".", "../bare.git")
    return service.parent / "bare.git"


def submodule(service: Path) -> Path:
    outer = service.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(service), "inner")
    git(outer / "inner", "branch", "memory", "origin/memory")
    return outer / "inner"


def linked(service: Path) -> Path:
    git(service, "worktree", "add", "-q", "--detach", "../linked")
    return service.parent / "linked"


def locked(service: Path) -> Path:
    (service / ".git" / "refs" / "heads" / "memory.lock").write_text("")
    return service


def no_store(service: Path) -> Path:
    git(service, "branch", "-D", "memory")
    return service


def no_repository(service: Path) -> Path:
    return service.parent


def broken_ref(service: Path) -> Path:
    (service / ".git" / "refs" / "heads" / "memory").write_text("no commit\n")
    return service


def wrong_setting(service: Path) -> Path:
    git(service, "config", "gitmem.recallLimit", "many")
    return service


def damaged_catalog(service: Path) -> Path:
    for path in (service / ".git" / "gitmem").glob("catalog.sqlite*"):
        path.write_bytes(b"no database at all" * 500)
    return service


def state_in_the_way(service: Path) -> Path:
    for name in ("hooks", "sessions", "spool", "capture"):
        folder = service / ".git" / "gitmem" / name
        if folder.exists():
            folder.rename(folder.with_name(f"{name}.away"))
        folder.write_text("a file is in the way")
    return service


PLACES = (
    *(bare, submodule, linked, locked, no_store, no_repository, broken_ref, wrong_setting, damaged_catalog),
    state_in_the_way,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_every_event_ends_well_in_every_place(service: Path, place) -> None:
    folder = place(service)
    before = untouched(folder) if place not in (no_repository, broken_ref) else {}

    done = [hook(folder, "claude-code", payload(f"claude-code/{name}", cwd=str(folder))) for name in KINDS]

    assert [one for one in done if not is_accepted(one)] == []
    if before:
        assert untouched(folder) == before


@pytest.mark.whole_system
@needs_namespaces
def test_read_only_disk_stops_no_agent(service: Path) -> None:
    fill = 'mount -t tmpfs none "$1" && cp -a "$2/." "$1" && cd "$1" && XDG_STATE_HOME="$1" "$3" init > "$1/done"'
    inside = Inside(f'{fill} && cd / && mount -o remount,bind,ro "$1"', "/mnt", str(service), str(GITMEM))
    try:
        report = service.parent / "told"
        for name in KINDS:
            report.write_text(json.dumps(payload(f"claude-code/{name}", cwd="/mnt")))
            done = inside(Path("/"), "sh", "-c", f"cd /mnt && '{GITMEM}' hook claude-code < '{report}'")
            assert is_accepted(done), done
    finally:
        inside.close()


@needs_namespaces
def test_capture_that_can_neither_be_written_nor_noted_is_reported_at_once(service: Path) -> None:
    fill = 'mount -t tmpfs none "$1" && cp -a "$2/." "$1" && cd "$1" && XDG_STATE_HOME="$1" "$3" init > "$1/done"'
    inside = Inside(f'{fill} && cd / && mount -o remount,bind,ro "$1"', "/mnt", str(service), str(GITMEM))
    command = {"command": 'bd comment s-1 "LEARNED: pelicans cache what herons fetch"'}
    report = service.parent / "told"
    report.write_text(json.dumps(payload("claude-code/PostToolUse.Bash", cwd="/mnt", tool_input=command)))
    try:
        done = inside(Path("/"), "sh", "-c", f"cd /mnt && XDG_STATE_HOME=/mnt '{GITMEM}' hook claude-code < '{report}'")
    finally:
        inside.close()

    assert is_accepted(done)
    assert "gitmem could not save captured memories" in done.out
    assert "Read-only file system" in done.out


def test_very_large_payload_is_left_alone(service: Path) -> None:
    message = b'{"hook_event_name": "PostToolUse", "tool_response": "' + b"x" * 2 * PARSED_AT_MOST + b'"}'

    done = {client: hook(service, client, message) for client in CLIENTS}

    assert [client for client, one in done.items() if not is_accepted(one)] == []
    assert sum("larger than" in failure.what for failure in hook_log.list_failures(service / ".git" / "gitmem")) == len(
        CLIENTS
    )


REDIRECTED = {
    "no standard output": ">&-",
    "a full disk behind it": "> /dev/full",
    "nobody who reads": "| true",
    "no standard input": "<&-",
    "no standard error": "2>&-",
    "none of them": "<&- >&- 2>&-",
}


@pytest.mark.parametrize("how", REDIRECTED.values(), ids=REDIRECTED)
def test_missing_ends_are_no_failure(service: Path, how: str) -> None:
    report = service.parent / "told"
    report.write_text(json.dumps(payload("cursor/sessionStart", workspace_roots=[str(service)])))

    done = run(["bash", "-o", "pipefail", "-c", f"'{GITMEM}' hook cursor < '{report}' {how}"], service)

    assert (done.status, done.err) == (0, "")


def test_folder_that_is_deleted_is_no_failure(service: Path) -> None:
    line = f"mkdir gone && cd gone && rmdir ../gone && '{GITMEM}' hook gemini < /dev/null"

    done = run(["bash", "-c", line], service)

    assert (done.status, done.out, done.err) == (0, "{}\n", "")


def test_locale_changes_nothing_of_what_is_printed(service: Path) -> None:
    printed = []
    for number, locale in enumerate(("C", "POSIX", "C.UTF-8")):
        # A start shows what is new since the one before.
        Console(service).ok("remember", "Der Zähler läuft über", "--kind", "gotcha", "--key", f"g{number}", "--force")
        report = json.dumps(payload("claude-code/SessionStart.startup", cwd=str(service), session_id=f"s{number}"))
        env = environment(LC_ALL=locale, PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
        done = run([str(GITMEM), "hook", "claude-code"], service, env=env, input=report)
        assert (done.status, done.err) == (0, "")
        printed.append(json.loads(done.out)["hookSpecificOutput"]["additionalContext"])

    assert all("Der Zähler läuft über" in text for text in printed)


def test_interrupt_is_no_failure(service: Path) -> None:
    read, write = os.pipe()
    with start([str(GITMEM), "hook", "gemini"], service, stdin=read) as child:
        os.write(write, b"{")  # it waits for the rest
        assert wait_until(lambda: fcntl.ioctl(read, termios.FIONREAD, bytes(4)) == bytes(4))
        child.send_signal(2)
        out, err = child.communicate(timeout=180)
    os.close(read)
    os.close(write)

    assert (child.returncode, out, err) == (0, b"{}\n", b"")


@pytest.mark.whole_system
def test_captures_that_were_acknowledged_outlive_kills(service: Path) -> None:
    calls = int(os.environ.get("SOAK_CALLS", "24"))
    env = environment(PATH=f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")

    acknowledged, killed = agents.soak(service, env, calls=calls, at_once=4, kills=0.4)

    assert len(acknowledged) + killed == calls
    assert len(acknowledged) > calls // 3
    assert agents.lost(service, env, acknowledged) == []
