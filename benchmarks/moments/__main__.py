"""Measure whether a memory reaches a coding agent at the moment it matters, and whether nothing else does.

Each folder has ``stores.jsonl`` (small repositories and their memories) and ``events.jsonl`` (what happens in sessions,
and what must and must not be shown). gitmem is used only as a person and a client use it: its commands write the
memories, its ``install`` writes the hooks of Claude Code, and each event calls the hooks that the written settings name
for it. The form of the events, and how truth was judged, is in README.md here.
"""

import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from gitmem.index.catalog import SHORT_ID
from gitmem.index.catalog.inserts import letters_of

OWN = Path(__file__).parent
# The half that is not the project's own, beside a clone where it is developed.
PUBLIC = OWN.parents[2] / "shared/bench/moments"
GITMEM = str(Path(sys.executable).with_name("gitmem"))
LIMIT = 90  # seconds of patience for one command, also on a busy machine
WORDS = 6  # a memory is named by its first words
LIST = 12  # what was shown earlier in a longer list than this does not count as known
STATUS = {  # words that tell an agent not to believe an entry
    "FAILED": r"\bfail|no longer (true|holds?)|not true (now|any ?more)|\bbroken\b",
    "SUSPECT": r"\bsuspect|rests on something",
    "STALE": r"\bstale\b|out of date|(has|have|is|are) (changed|gone|moved|deleted)|says something else now",
}


def flat(text: str) -> str:
    r"""Return text for comparison: small letters, no Markdown signs, one space; \x01 begins each entry or heading."""
    lines = []
    for line in text.splitlines():
        starts = "\x01" if re.match(r"\s*([-*•] |\[|#|\d+\. )", line) else " "
        lines.append(starts + " ".join(re.sub(r"[*`_\"'“”‘’]", "", line).lower().split()))
    return "".join(lines)


def plain(text: str) -> str:
    """Return text without Markdown signs, on one line."""
    return " ".join(flat(text).replace("\x01", " ").split())


class Memory:
    """A memory of a store: how to write it, and how to recognise it in an answer."""

    def __init__(self, data: dict):
        self.data, self.key, self.text = data, data["key"], data.get("fact") or data["text"]
        self.mark, self.title = plain(data["mark"]), " ".join(plain(self.text).split()[:WORDS])
        if self.mark not in plain(self.text):
            raise SystemExit(f"{self.key}: its mark is not in its text")

    def command(self) -> list[str]:
        """Return the command that writes it."""
        one = self.data
        if "fact" in one:
            head = ["fact", one["fact"], *one["check"], *(["--body", one["body"]] if "body" in one else [])]
        else:
            head = ["remember", one["text"], "--kind", one["kind"]]
        for name in ("path", "ref", "requires", "supersedes", "tag"):
            head += [part for value in one.get(name, []) for part in (f"--{name}", value)]
        return [*head, "--key", self.key]


class World:
    """One scratch repository with a memory, and the client that calls the hooks."""

    def __init__(self, store: dict, gitmem: str, base: Path):
        self.name, self.root, self.home = (
            store["scenario"],
            base / store["scenario"],
            base / f"home-{store['scenario']}",
        )
        self.bin = base / "bin"
        for folder in (self.root, self.home, self.bin):
            folder.mkdir(exist_ok=True)
        if not (self.bin / "gitmem").exists():
            (self.bin / "gitmem").symlink_to(gitmem)
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        self.cpu, self.background, self.slow, self.transcripts = {}, 0.0, [], {}
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ana")
        self.git("config", "user.email", "ana@example.org")
        self.write(store["files"])
        self.commit("Start")
        for step in store.get("commits", []):
            self.do(step)
        self.call("gitmem", "init")
        self.call("gitmem", "install", "claude-code", status=None)
        self.commit("Install the agent's hooks")
        self.memories = {one.key: one for one in map(Memory, store["memories"])}
        for number, one in enumerate(self.memories.values(), 1):
            if number > len(self.memories) - 6:  # times have seconds: so it is certain which ones are the newest
                time.sleep(1.1)
            self.call("gitmem", *one.command())
        settings = json.loads((self.root / ".claude/settings.json").read_text())
        self.hooks = settings.get("hooks", {})

    def call(self, *command: str, status: int | None = 0) -> str:
        """Run a program; stop if it ends with another status."""
        ran = subprocess.run(
            command, cwd=self.root, env=self.env, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        if status is not None and ran.returncode != status:
            raise SystemExit(
                f"{self.name}: {' '.join(command)[:200]}\nends with {ran.returncode}: {ran.stderr or ran.stdout}"
            )
        return ran.stdout

    def git(self, *args: str) -> str:
        """Run git."""
        return self.call("git", *args)

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def write(self, files: dict[str, str]) -> None:
        """Write files."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def do(self, step: dict) -> None:
        """Do what a person does between events: write, replace, delete, commit, or run git or gitmem."""
        self.write(step.get("write", {}))
        for name, old, new in step.get("replace", []):
            text = (self.root / name).read_text()
            if old not in text:
                raise SystemExit(f"{self.name}: {name} does not contain {old!r}")
            self.write({name: text.replace(old, new)})
        for name in step.get("delete", []):
            (self.root / name).unlink()
        for command in step.get("git", []):
            self.git(*command)
        if "commit" in step:
            self.commit(step["commit"])
        for command in step.get("gitmem", []):
            self.call("gitmem", *command, status=None)

    def tell(self, session: str, role: str, content: str | list) -> None:
        """Add what was said or done to the session's file, as the client does."""
        path = Path(self.transcripts[session])
        one = {
            "type": role,
            "uuid": str(uuid.uuid4()),
            "sessionId": session,
            "cwd": str(self.root),
            "isSidechain": False,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
            "message": {"role": role, "content": content},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(one) + "\n")

    def hook(self, session: str, name: str, on: str = "", **more: object) -> tuple[str, str]:
        """Call the hooks of an event; return what the agent gets now, and what comes too late (``async``)."""
        payload = {
            "session_id": session,
            "transcript_path": self.transcripts[session],
            "cwd": str(self.root),
            "permission_mode": "acceptEdits",
            "hook_event_name": name,
            **more,
        }
        env = {**self.env, "CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": str(self.root)}
        now, late = [], []
        for group in self.hooks.get(name, []):
            if group.get("matcher") not in (None, "", "*") and not re.fullmatch(group["matcher"], on):
                continue
            for hook in group["hooks"]:
                begun, before = time.monotonic(), used()
                try:
                    ran = subprocess.run(
                        ["sh", "-c", hook["command"]],
                        input=json.dumps(payload),
                        cwd=self.root,
                        env=env,
                        timeout=LIMIT,
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    (late if hook.get("async") else now).append(context_of(ran.stdout, name))
                except subprocess.TimeoutExpired:
                    pass
                self.cpu.setdefault(name, []).append(used() - before)
                if time.monotonic() - begun > hook.get("timeout", 60):
                    self.slow.append(name)
                before = used()
                reap()
                self.background += used() - before
        return "\n".join(filter(None, now)), "\n".join(filter(None, late))


def context_of(output: str, name: str) -> str:
    """Return the text for the agent in the output of a hook."""
    try:
        said = json.loads(output)
    except ValueError:
        return output.strip() if name in ("SessionStart", "UserPromptSubmit") else ""
    if not isinstance(said, dict):
        return ""
    inner = said.get("hookSpecificOutput") or {}
    parts = [inner.get("additionalContext"), inner.get("permissionDecisionReason"), said.get("additionalContext")]
    return "\n".join(filter(None, [*parts, said.get("reason") if said.get("decision") == "block" else None]))


def used() -> float:
    """Return the CPU seconds of the programs that have ended."""
    rusage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return rusage.ru_utime + rusage.ru_stime


def reap() -> None:
    """Wait for processes that a hook left in the background (they are ours: see main)."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            return


def happen(world: World, event: dict, session: str) -> tuple[str, str]:
    """Let an event happen; return what the agent is shown at it, and what comes too late or goes to another agent."""
    kind, agent = (
        event["event"],
        {"agent_id": event["agent"], "agent_type": "general-purpose"} if "agent" in event else {},
    )
    if kind == "SessionStart":
        return world.hook(session, kind, event["source"], source=event["source"])
    if kind == "UserPromptSubmit":
        world.tell(session, "user", event["prompt"])
        return world.hook(session, kind, prompt=event["prompt"])
    if kind == "Stop":
        world.tell(session, "assistant", [{"type": "text", "text": event["says"]}])
        return world.hook(session, kind, stop_hook_active=False, last_assistant_message=event["says"])
    if kind == "Compact":
        first = world.hook(session, "PreCompact", "auto", trigger="auto", custom_instructions=None)
        shown, late = world.hook(session, "SessionStart", "compact", source="compact")
        return shown, "\n".join(filter(None, [*first, late]))
    if kind == "SubagentStart":
        call = {"description": "Look into it", "prompt": event["prompt"], "subagent_type": event["agent_type"]}
        world.tell(session, "assistant", [{"type": "tool_use", "id": "toolu_a", "name": "Agent", "input": call}])
        first = world.hook(session, "PreToolUse", "Agent", tool_name="Agent", tool_input=call, tool_use_id="toolu_a")
        shown, late = world.hook(
            session, kind, event["agent_type"], agent_id=event["agent"], agent_type=event["agent_type"]
        )
        return shown, "\n".join(filter(None, [*first, late]))
    # A tool: before it, its effect, after it.
    tool, given = event["tool"], dict(event["input"])
    if "file_path" in given:
        given["file_path"] = str(world.root / given["file_path"])
    use = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{uuid.uuid4().hex[:12]}", **agent}
    if not agent:  # what a sub-agent does is in a file of its own
        world.tell(session, "assistant", [{"type": "tool_use", "id": use["tool_use_id"], "name": tool, "input": given}])
    before = world.hook(session, "PreToolUse", tool, **use)
    if "fails" in event:
        done(world, session, use, event["fails"], agent)
        after = world.hook(
            session, "PostToolUseFailure", tool, **use, error=event["fails"], is_interrupt=False, duration_ms=900
        )
    else:
        answer: object = {"stdout": event.get("output", ""), "stderr": "", "interrupted": False, "isImage": False}
        if tool == "Edit":
            world.do({"replace": [[event["input"]["file_path"], given["old_string"], given["new_string"]]]})
            answer = {
                "filePath": given["file_path"],
                "oldString": given["old_string"],
                "newString": given["new_string"],
            }
        elif tool == "Write":
            world.write({event["input"]["file_path"]: given["content"]})
            answer = {"type": "create", "filePath": given["file_path"], "content": given["content"]}
        elif tool == "Read":
            text = Path(given["file_path"]).read_text()
            answer = {"type": "text", "file": {"filePath": given["file_path"], "content": text, "startLine": 1}}
        world.do({"replace": event.get("effect", [])})
        done(world, session, use, event.get("output", "ok"), agent)
        after = world.hook(session, "PostToolUse", tool, **use, tool_response=answer, duration_ms=5)
    return tuple("\n".join(filter(None, two)) for two in zip(before, after, strict=True))


def done(world: World, session: str, use: dict, text: str, agent: dict) -> None:
    """Add the result of a tool to the session's file."""
    if not agent:
        result = {
            "type": "tool_result",
            "tool_use_id": use["tool_use_id"],
            "content": text,
            "is_error": text.startswith("Exit code"),
        }
        world.tell(session, "user", [result])


def kind_of(event: dict) -> str:
    """Return the moment of an event, a row of the table."""
    if event["event"] != "Tool":
        return {"UserPromptSubmit": "prompt", "SubagentStart": "sub-agent"}.get(event["event"], event["event"].lower())
    if event["tool"] == "Bash":
        if "fails" in event:
            return "shell fails"
        return "shell edits" if event.get("effect") else "shell reads"
    return event["tool"].lower() + (" fails" if "fails" in event else "")


def find(memories: dict[str, Memory], item: str, answer: str) -> tuple[bool, list[int]]:
    """Return whether an item's text is in an answer, and the places where the answer names it."""
    signs = (
        [plain(item[5:])]
        if item.startswith("text:")
        else [
            memories[item].mark,
            memories[item].title,
            f"[{item.lower()}]",
            f"[{letters_of(item.lower())[:SHORT_ID]}]",
        ]
    )
    joined = answer.replace("\x01", " ")  # the same length, so places are the same
    return signs[0] in joined, [hit.start() for sign in signs for hit in re.finditer(re.escape(sign), joined)]


def is_marked(answer: str, place: int, status: str) -> bool:
    """Return whether the entry at a place, or the heading above it, says what is wrong with it."""
    entries = [(one.start(), one.group()) for one in re.finditer(r"\x01?[^\x01]+", answer)]
    at = max(number for number, (start, _) in enumerate(entries) if start <= place)
    heading = next((text for _, text in reversed(entries[:at]) if text.startswith("\x01#")), "")
    return any(re.search(STATUS[one], entries[at][1] + " " + heading, re.I) for one in status.split("|"))


def judge(world: World, event: dict, answer: str, late: str, state: dict) -> dict:
    """Compare an answer with what was expected of it."""
    state["marks"].update(event.get("marks", {}))
    context = state["contexts"].setdefault((event["session"], event.get("agent")), {})
    if event["event"] == "Compact" or event.get("source") == "clear":
        context.clear()
    text, result = (
        flat(answer),
        {"id": event["id"], "kind": kind_of(event), "scenario": world.name, "session": event["session"]},
    )
    misses, shown, earlier, unmarked, named, seen = [], 0, 0, 0, set(), set()
    for key in [*world.memories, *(item for item in event.get("must", []) if item.startswith("text:"))]:
        full, places = find(world.memories, key, text)
        named |= {key} if places else set()
        status = state["marks"].get(key)
        wrong = status is not None and not all(is_marked(text, place, status) for place in places)
        if wrong:
            unmarked += 1
            misses.append(f"UNMARKED {key} (is {status})")
        seen |= {key} if full and not wrong else set()
    if len(named) <= LIST:
        context.update({key: state["marks"].get(key) for key in seen})
    for item in event.get("must", []):
        before = context.get(item, "never") == state["marks"].get(item)
        if find(world.memories, item, text)[0]:
            shown += 1
        elif before:
            shown, earlier = shown + 1, earlier + 1
        else:
            misses.append(
                f"NOT SHOWN {item}" + (" (only named)" if item in named else "") + (" (late)" if late else "")
            )
    bad = [item for item in event.get("must_not", []) if find(world.memories, item, text)[1]]
    misses += [f"SHOWN THOUGH NOT NEEDED {item}" for item in bad]
    noisy = bool(event.get("silent") and (answer or late))
    misses += [f"NOT SILENT: {' '.join((answer or late).split())[:300]}"] if noisy else []
    known = {*event.get("must", []), *event.get("must_not", [])}
    return {
        **result,
        "must": len(event.get("must", [])),
        "shown": shown,
        "earlier": earlier,
        "must_not": len(event.get("must_not", [])),
        "bad": len(bad),
        "unmarked": unmarked,
        "silent": bool(event.get("silent")),
        "noisy": noisy,
        "others": len(named - known),
        "tokens": round((len(answer) + len(late)) / 4),
        "misses": misses,
        "why": event["why"],
    }


def load(file: Path) -> list[dict]:
    """Return the lines of a file."""
    return [json.loads(line) for line in file.read_text().splitlines() if line]


def run(folder: Path, gitmem: str, only: str | None) -> dict:
    """Play the events of a folder; return each event's result and the CPU time of the hooks."""
    own = folder / "stores.jsonl"
    stores, events = load(own if own.exists() else folder.parent / own.name), load(folder / "events.jsonl")
    base, results, cpu, slow, behind = Path(tempfile.mkdtemp(prefix="moments-")), [], {}, [], 0.0
    try:
        for store in stores:
            if only and store["scenario"] != only:
                continue
            world = World(store, gitmem, base)
            state, label, session = {"marks": {}, "contexts": {}}, None, ""
            for event in (one for one in events if one["scenario"] == world.name):
                for item in [*event.get("must", []), *event.get("must_not", []), *event.get("marks", {})]:
                    if not item.startswith("text:") and item not in world.memories:
                        raise SystemExit(f"{event['id']}: there is no memory {item}")
                if event["session"] != label:
                    if session:
                        world.hook(session, "SessionEnd", "other", reason="other")
                    label, session = event["session"], str(uuid.uuid4())
                    world.transcripts[session] = str(world.home / f".claude/projects/{world.name}/{session}.jsonl")
                for step in event.get("before", []):
                    world.do(step)
                results.append(judge(world, event, *happen(world, event, session), state))
            world.hook(session, "SessionEnd", "other", reason="other")
            for name, times in world.cpu.items():
                cpu.setdefault(name, []).extend(times)
            slow, behind = slow + world.slow, behind + world.background
    finally:
        shutil.rmtree(base, ignore_errors=True)
    medians = {name: statistics.median(times) for name, times in cpu.items()}
    return {"folder": folder.resolve().name, "events": results, "cpu": medians, "background": behind, "slow": slow}


def table(report: dict, *, verbose: bool) -> str:
    """Return the figures as a table."""
    events, lines = report["events"], []

    def total(name: str, some: list[dict] | None = None) -> int:
        return sum(one[name] for one in (events if some is None else some))

    sessions: dict = {}
    for one in events:
        sessions[one["scenario"], one["session"]] = sessions.get((one["scenario"], one["session"]), 0) + one["tokens"]
    lines += [
        f"{len(events)} events, {len(sessions)} sessions ({report['folder']})",
        "",
        f"must, shown               {total('shown'):4} of {total('must')} ({total('earlier')} earlier in its context)",
        f"must not, shown           {total('bad'):4} of {total('must_not')}",
        f"unmarked                  {total('unmarked'):4}",
        f"should be silent, are not {total('noisy'):4} of {total('silent')}",
        f"others, named             {total('others'):4}",
        f"tokens of a session       {statistics.median(sessions.values()):4.0f} (median)",
        f"over the client's limit   {len(report['slow']):4} calls {' '.join(sorted(set(report['slow'])))}",
        "",
        f"{'moment':14}{'events':>7}{'must':>9}{'must not':>10}{'unmarked':>10}{'not silent':>12}"
        f"{'others':>8}{'tokens':>8}",
    ]
    for kind in dict.fromkeys(one["kind"] for one in events):
        some = [one for one in events if one["kind"] == kind]
        pairs = [
            f"{total(a, some)}/{total(b, some)}"
            for a, b in (("shown", "must"), ("bad", "must_not"), ("noisy", "silent"))
        ]
        lines.append(
            f"{kind:14}{len(some):7}{pairs[0]:>9}{pairs[1]:>10}{total('unmarked', some):10}{pairs[2]:>12}"
            f"{total('others', some):8}{total('tokens', some):8}"
        )
    lines += [
        "",
        "CPU seconds of a hook call, median: "
        + ", ".join(f"{name} {spent:.3f}" for name, spent in report["cpu"].items()),
        f"CPU seconds in the background, in all: {report['background']:.1f}",
    ]
    if verbose:
        lines += [
            "",
            *(f"{one['id']} {one['kind']}: {miss}\n     {one['why']}" for one in events for miss in one["misses"]),
        ]
    return "\n".join(lines)


def main() -> int:
    """Print the tables of some folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="*", help="the folders; by default this one, and the shared one")
    parser.add_argument("--gitmem", default=GITMEM, help="the program to measure (the one of this Python)")
    parser.add_argument("--only", metavar="SCENARIO", help="one repository only")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each miss and why it is one")
    options = parser.parse_args()
    if sys.platform == "linux":  # processes that hooks leave behind become ours, so that reap can wait for them
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    for folder in options.folder or [one for one in (OWN, PUBLIC) if one.is_dir()]:
        report = run(folder, os.path.abspath(options.gitmem), options.only)
        print(json.dumps(report, indent=1) if options.json else table(report, verbose=options.verbose), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
