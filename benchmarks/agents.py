"""Time the hooks of coding agents: one call, many calls at once, and calls of which some are killed.

    python benchmarks/agents.py                     8 hooks at once for 30 s against 8 bare starts at once
    python benchmarks/agents.py --kill --calls 1000 1,000 calls, a third of them killed at some moment

Prints JSON. Exits 1 if an acknowledged capture is lost.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.measure import BenchmarkError, Command
from benchmarks.questions import QUESTIONS
from benchmarks.stores import Stores, gitmem

CLIENT = "claude-code"
AT_ONCE = 8
# What a hook that is timed by itself is told of.
KINDS = ("nothing", "captured", "edit", "failed", "start", "prompt")
# What a learning is made of: any six of them are like no other six.
WORDS = re.findall(
    r"\w+",
    """
    gateway retry idle socket timeout cache token signer ledger invoice worker queue shard replica lease probe header
    cursor schema column index vacuum snapshot restore migration tenant quota throttle beacon metric sampler tracer
    builder linker wheel locale charset encoder parser lexer router proxy mirror bucket digest nonce cipher keyring
    """,
)


def told(event: str, session: str, folder: Path, **fields: Any) -> bytes:
    """Return a payload of Claude Code's."""
    payload = {
        "session_id": session,
        "transcript_path": f"{folder}/nowhere.jsonl",
        "cwd": str(folder),
        "hook_event_name": event,
        "permission_mode": "acceptEdits",
        **fields,
    }
    return json.dumps(payload).encode()


def ran(session: str, folder: Path, call: str, command: str) -> bytes:
    """Return what is told when a shell command has ended well."""
    answer = {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False}
    return told(
        "PostToolUse",
        session,
        folder,
        tool_name="Bash",
        tool_input={"command": command},
        tool_response=answer,
        tool_use_id=call,
    )


def edited(seed: str, session: str, folder: Path) -> bytes:
    """Return what is told of an edit of a file that the session did not touch before."""
    files = sorted(str(path) for path in folder.glob("src/*/*.py"))
    given = {"file_path": files[int(seed) % len(files)], "old_string": "a", "new_string": "b"}
    fields = {"tool_name": "Edit", "tool_input": given, "tool_response": {}, "tool_use_id": f"call-{seed}"}
    return told("PostToolUse", f"{session}-{seed}", folder, **fields)


def failed(seed: str, session: str, folder: Path) -> bytes:
    """Return the payload of a command that failed with an error about which there is no memory."""
    words = QUESTIONS[int(seed) % len(QUESTIONS)]
    error = f"Exit code 1\nTraceback (most recent call last):\n  File 'a.py', line 3\nValueError: {words} ({seed})"
    fields = {"tool_name": "Bash", "tool_input": {"command": "make check"}, "tool_use_id": f"call-{seed}"}
    return told("PostToolUseFailure", f"{session}-{seed}", folder, error=error, is_interrupt=False, **fields)


def learning(seed: str) -> str:
    """Return a learning like no other of another seed."""
    random = Random(seed)
    return f"the {' '.join(random.sample(WORDS, 6))} fails with code {random.randrange(10**9)}"


def taught(seed: str, session: str, folder: Path) -> bytes:
    """Return what is told of a comment that has a learning."""
    return ran(session, folder, f"call-{seed}", f'bd comments add shop-12 "LEARNED: {learning(seed)}"')


def hook_command(stores: Stores, name: str, size: str) -> Command:
    """Return a hook of one kind: nothing to capture, something captured, an edit, a failure, a start, a prompt."""
    path = stores.path(size)
    began = time.time_ns()
    payload = stores.folder / f"{name}.json"
    kind = name.split("-")[1]
    makes: dict[str, Callable[[str, str], bytes]] = {
        "nothing": lambda seed, session: ran(session, path, f"call-{seed}", f"ls {seed}"),
        "captured": lambda seed, session: taught(seed, session, path),
        "edit": lambda seed, session: edited(seed, session, path),
        "failed": lambda seed, session: failed(seed, session, path),
        "start": lambda seed, session: told("SessionStart", f"{session}-{seed}", path, source="startup"),
        "prompt": lambda seed, session: told(
            "UserPromptSubmit", f"{session}-{seed}", path, prompt=f"{QUESTIONS[int(seed) % len(QUESTIONS)]}?"
        ),
    }

    def write(number: int) -> None:
        payload.write_bytes(makes[kind](str(began + number), f"session-{began}"))

    says = kind == "start"
    return Command(name, lambda _: [gitmem(), "hook", CLIENT], path, before=write, stdin=payload, says_something=says)


def call(payload: bytes, folder: Path, env: Mapping[str, str], *, killed_after_s: float = 0.0) -> tuple[int, float]:
    """Call a hook as a client does; return its status (negative for a signal) and the seconds it took."""
    began = time.perf_counter()
    hook = subprocess.Popen(
        [gitmem(), "hook", CLIENT],
        cwd=folder,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    timer = threading.Timer(killed_after_s, hook.send_signal, (signal.SIGKILL,)) if killed_after_s else None
    if timer:
        timer.start()
    try:
        hook.communicate(payload)
    except BrokenPipeError:
        hook.wait()
    if timer:
        timer.cancel()
    return hook.returncode, time.perf_counter() - began


def soak(
    folder: Path, env: Mapping[str, str], *, calls: int, at_once: int = AT_ONCE, kills: float = 0.3
) -> tuple[set[str], int]:
    """Call hooks that capture, many at once, and kill some of them at some moment.

    Args:
        folder: A repository with a store.
        env: The environment of the hooks.
        calls: How many calls.
        at_once: How many at once.
        kills: The share of the calls that are killed, if they still run then.

    Returns:
        The learnings whose hook said that all is well, and how many hooks were killed.

    Raises:
        BenchmarkError: A hook ended with another status than 0 by itself.
    """
    numbers = iter(range(calls))
    lock, acknowledged, killed, wrong = threading.Lock(), set[str](), [0], list[int]()
    run = f"{time.time_ns()}"

    def work() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            seed = f"{run}-{number}"
            random = Random(seed)
            after = random.uniform(0.005, 0.25) if random.random() < kills else 0.0
            status, _ = call(taught(seed, f"session-{number % 7}", folder), folder, env, killed_after_s=after)
            with lock:
                if status == 0:
                    acknowledged.add(learning(seed))
                elif status == -signal.SIGKILL:
                    killed[0] += 1
                else:
                    wrong.append(status)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise BenchmarkError(f"hooks ended with {sorted(set(wrong))}")
    return acknowledged, killed[0]


def lost(folder: Path, env: Mapping[str, str], learnings: Iterable[str]) -> list[str]:
    """Return the learnings that the memory branch does not have, once everything that waits was written."""
    subprocess.run([gitmem(), "background", "spool"], cwd=folder, env=dict(env), check=True, capture_output=True)
    subprocess.run([gitmem(), "doctor", "--fix"], cwd=folder, env=dict(env), check=False, capture_output=True)
    kept = subprocess.run(
        ["git", "grep", "-h", "fails with code", "memory"], cwd=folder, env=dict(env), check=False, capture_output=True
    ).stdout.decode()
    return sorted(one for one in learnings if one not in kept)


def press(folder: Path, env: Mapping[str, str], *, seconds: float, slices: int = 6) -> dict[str, Any]:
    """Call hooks and bare starts, eight at once, in turns of some seconds; return seconds taken, and what was lost.

    Every other hook captures something.
    """
    took: dict[str, list[float]] = {"bare": [], "hook": []}
    acknowledged: set[str] = set()
    lock, numbers = threading.Lock(), iter(range(10**9))
    run = f"{time.time_ns()}"

    def start(_: int) -> None:
        began = time.perf_counter()
        argv = [sys.executable, "-c", "pass"]
        subprocess.run(argv, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, check=True, capture_output=True)
        took["bare"].append(time.perf_counter() - began)

    def hook(number: int) -> None:
        seed, session = f"{run}-{number}", f"session-{number % AT_ONCE}"
        captures = number % 2 == 0
        payload = taught(seed, session, folder) if captures else ran(session, folder, seed, f"ls {number}")
        status, spent = call(payload, folder, env)
        if status != 0:
            raise BenchmarkError(f"a hook ended with {status}")
        with lock:
            took["hook"].append(spent)
            acknowledged.update([learning(seed)] if captures else [])

    def work(what: Callable[[int], None], until: float) -> None:
        while time.perf_counter() < until:
            with lock:
                number = next(numbers)
            what(number)

    for what in [start, hook] * slices:
        until = time.perf_counter() + seconds / slices
        threads = [threading.Thread(target=work, args=(what, until)) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {
        "calls": {name: len(times) for name, times in took.items()},
        "p99_s": {name: _percentile(times, 99) for name, times in took.items()},
        "median_s": {name: round(statistics.median(times), 4) for name, times in took.items()},
        "ratio_p99": round(_percentile(took["hook"], 99) / _percentile(took["bare"], 99), 2),
        "ratio_median": round(statistics.median(took["hook"]) / statistics.median(took["bare"]), 2),
        "captured": len(acknowledged),
        "lost": lost(folder, env, acknowledged),
        "load": [round(one, 1) for one in os.getloadavg()],
    }


def _percentile(times: Sequence[float], percent: int) -> float:
    return round(statistics.quantiles(times, n=100)[percent - 1], 4)


def main() -> int:
    """Press or soak in a fresh store, and print what came of it."""
    parser = argparse.ArgumentParser(description="Many hooks at once.")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long hooks are called (bare starts as long)")
    parser.add_argument("--kill", action="store_true", help="soak: some of the hooks are killed")
    parser.add_argument("--calls", type=int, default=1000, help="of the soak")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-hooks-") as place:
        stores = Stores(Path(place).resolve())
        folder = stores.path("1k")
        if options.kill:
            acknowledged, killed = soak(folder, stores.env, calls=options.calls)
            missing = lost(folder, stores.env, acknowledged)
            found: dict[str, Any] = {"acknowledged": len(acknowledged), "killed": killed, "lost": missing}
        else:
            found = press(folder, stores.env, seconds=options.seconds)
        print(json.dumps(found, indent=2))
    return 1 if found["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
