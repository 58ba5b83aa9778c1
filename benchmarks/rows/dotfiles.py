"""E: the agent memory of the dotfiles: `,agent-memory`, `,blackboard` and `,ai-kb`, by the examples of its document."""

from __future__ import annotations

import json
import os
import shutil

from benchmarks.rows import row
from benchmarks.rows.ai_memory import work
from benchmarks.rows.place import Place

CHEZMOI = (
    'gitmem remember "Keep generated state out of git; verified in src/auth/jwt.py:1." --title "chezmoi: generated state '
    'must stay out of git" --kind principle --workspace . --confidence 0.9 --tag lint --verified-by reviewer --key state'
)
PANE = 'gitmem remember "tmux capture-pane reuses the buffer of the pane" --kind gotcha --key pane'


def begin(place: Place, *, branch: str = "") -> None:
    """Set up a store as users of the dotfiles do; on a branch of their own if it has a name."""
    place.type("gitmem init --profile ai-kb && gitmem install claude-code")
    if branch:
        place.type(f"git switch -q -c {branch}")


@row("E1", "Session memory per workspace and topic")
def e1(place: Place) -> None:
    """`status`, `use` and `wipe` of topics: main has a topic of each session, a branch one of its own, others stay."""
    begin(place)
    place.shell_event("make one")
    place.shell_event("make two", session_id="s2")
    place.type("gitmem session status --session s1", "make one", hides=["make two"])
    place.type('gitmem session use ledger "Move invoices to the new ledger"', "ledger")
    place.type("gitmem session status", "Move invoices")
    place.type("gitmem session use current", status=2)
    place.type("git switch -q -c feature && gitmem session use mail 'Mend mails'", "mail")
    place.type("gitmem session wipe", "mail")
    place.type("gitmem session status mail; true", hides=["Mend mails"])
    place.type("git switch -q main && gitmem session status", "Move invoices")


@row("E2", "Worklog recorder: compact JSONL, trimmed on write")
def e2(place: Place) -> None:
    """Commands, an edit and a failure become lines of JSON in the topic's worklog, which stays small after 300 more."""
    begin(place, branch="feature")
    place.shell_event("make test")
    place.edit_event("src/new.py", "x = 1\n")
    place.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make lint"}, tool_use_id="f1",
               error="Exit code 2\nlint failed", is_interrupt=False)  # fmt: skip
    place.type("gitmem session status", "make test", "src/new.py", "make lint")
    (path,) = place.repo.glob(".git/gitmem/sessions/**/worklog.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    place.need(len(rows) == 3, f"{len(rows)} entries, not 3")
    path.write_text(path.read_text() * 3000)
    place.shell_event("make last")
    place.need(path.stat().st_size < 300_000, f"the worklog has {path.stat().st_size} bytes")
    place.need("make last" in path.read_text(), "the newest entry is not in the worklog")


@row(
    "E3",
    "Verification-discipline prefix once a session, from one file for each clone or person; nothing sliced; off switches",
)
def e3(place: Place) -> None:
    """A prefix of the person's own file; a huge specification is left out with a pointer; review topics start clean; off is off."""
    begin(place)
    place.write(place.top / "prefix.txt", "Anchor every claim in a file or a command.\n")
    place.type('git config --global gitmem.discipline "$PWD/../prefix.txt"')
    place.hook("SessionStart", "Anchor every claim", "gitmem session use", source="startup")
    place.hook("UserPromptSubmit", hides=["Anchor every claim"], prompt="Go on")
    long = "Move invoices to the new ledger. " * 900
    place.type("gitmem session use ledger -", stdin=long)
    text = place.hook(
        "SessionStart",
        "its specification (",
        hides=["Move invoices to the new ledger. Move"],
        session_id="s2",
        source="startup",
    )
    place.need("ledger" in text, "an oversized specification is left out without a word")
    place.type("gitmem session use review-7 'We believe that the ledger is right'")
    place.hook("SessionStart", hides=["We believe"], session_id="s3", source="startup")
    place.type("gitmem session use mail 'Mend mails' && gitmem session off")
    place.hook("SessionStart", hides=["Mend mails", "Anchor"], session_id="s4", source="startup")
    place.type("gitmem session off --undo")
    place.hook("SessionStart", "Mend mails", session_id="s5", source="startup")
    place.env["GITMEM_CONTEXT"] = "0"
    place.hook("SessionStart", hides=["Mend mails", "Anchor"], session_id="s6", source="startup")


@row("E4", "Wired to Cursor, Claude Code, Codex, OpenCode, Gemini, pi")
def e4(place: Place) -> None:
    """Each of the six is installed with its own file, its hook answers a start of its own, and is taken away again."""
    begin(place)
    place.type(PANE)
    files = {"cursor": ".cursor/hooks.json", "claude-code": ".claude/settings.json", "codex": ".codex/hooks.json",
             "opencode": ".opencode/plugins/gitmem.ts", "gemini": ".gemini/settings.json", "pi": ".pi/extensions/gitmem.ts"}  # fmt: skip
    place.type(f"gitmem install {' '.join(files)}")
    for client, path in files.items():
        place.type(f"cat {path}", f"hook {client}" if not path.endswith(".ts") else "gitmem hook")
    start = {"session_id": "c1", "cwd": str(place.repo), "hook_event_name": "SessionStart", "source": "startup",
             "conversation_id": "c1", "workspace_roots": [str(place.repo)], "transcript_path": None}  # fmt: skip
    for client, event in (("codex", "SessionStart"), ("cursor", "sessionStart")):
        payload = json.dumps(start | {"hook_event_name": event, "session_id": client, "conversation_id": client})
        place.type(f"gitmem hook {client}", "1 memory", stdin=payload)
    place.type(f"gitmem uninstall {' '.join(files)}")
    place.type("git status --short --ignored", hides=[".cursor", ".codex", ".pi"])


@row("E5", "Run blackboard with typed, linked entries; many writers; resumable")
def e5(place: Place) -> None:
    """Six types, sources and links; six workers post at once; a repeated post writes nothing; the run goes on later."""
    begin(place)
    place.type('gitmem board open audit-7 --goal "Find out why requests time out"', "audit-7")
    for kind in ("observation", "analysis", "calculation", "strategy", "gap", "contradiction"):
        place.type(
            f'gitmem board post audit-7 "A {kind} about the pool" --type {kind} --source-ref src/auth/jwt.py:1 --confidence 0.8 --worker w1'
        )
    posted = place.at_once(*(
        (place.repo, ["gitmem", "board", "post", "audit-7", f"Worker {n} saw timeout {n * 17}", "--supports", "e2"], {"GITMEM_AGENT": f"w{n}"}, "")
        for n in range(6)
    ))  # fmt: skip
    place.need([status for status, _ in posted] == [0] * 6, f"posts at once: {posted}")
    rows = [json.loads(line) for line in place.type("gitmem board export audit-7").splitlines()]
    place.need(sum("saw timeout" in json.dumps(one) for one in rows) == 6, "an entry is lost")
    again = place.type(
        'gitmem board post audit-7 "A gap about the pool" --type gap --source-ref src/auth/jwt.py:1 --confidence 0.8 --worker w1'
    )
    place.need(
        len(place.type("gitmem board export audit-7").splitlines()) == len(rows), f"a repeated post writes: {again}"
    )
    place.terminal("gitmem board open audit-7 && gitmem board show audit-7 e2", "src/auth/jwt.py:1", "w1")
    place.type("gitmem board show audit-7 --type contradiction", "A contradiction", hides=["A gap"])


@row("E6", "Signals: open questions, `gate`, `waive`, `survival`")
def e6(place: Place) -> None:
    """The gate is shut by a critical and a high question until one is answered and one waived; a report must say it all."""
    begin(place)
    place.type("gitmem board open audit-7 && gitmem board gate audit-7")
    place.type('gitmem board post audit-7 "p95 latency is 840 ms" --type calculation --must-surface')
    place.type('gitmem board signal audit-7 "Does it happen with TLS?" --severity critical', "s1")
    place.type('gitmem board signal audit-7 "Is the backup readable?" --severity high', "s2")
    place.type('gitmem board signal audit-7 "Which colour has the lamp?" --severity low', "s3")
    place.type("gitmem board gate audit-7", "s1", "s2", status=1)
    place.type('gitmem board post audit-7 "It happens with TLS 1.3" --addresses s1')
    place.type("gitmem board waive audit-7 s2", status=2)
    place.type('gitmem board waive audit-7 s2 --reason "staging is down"')
    place.type("gitmem board gate audit-7")
    place.write("report.md", "The p95 latency is 840 ms.\n")
    place.type("gitmem board survival audit-7 --report report.md", "backup", status=1)
    place.write(
        "report.md", "The p95 latency is 840 ms. Waived: Is the backup readable? Open: Which colour has the lamp?\n"
    )
    place.type("gitmem board survival audit-7 --report report.md")


@row("E7", "Capsules by kind and scope; role preferences logged for replay")
def e7(place: Place) -> None:
    """The document's capsule keeps every field; each role gets its kinds, and what a start gave is in the log."""
    begin(place)
    place.type(CHEZMOI)
    place.type("gitmem show state", "principle", "0.9", "reviewer", "lint")
    place.type('gitmem fact "Tokens are signed with RS256" --contains RS256 --in src/auth/jwt.py --key rs256')
    for kind in ("gotcha", "pattern", "anti_pattern", "recipe", "doc"):
        place.type(
            f'gitmem remember "tmux {kind} about the capture of panes" --kind {kind} --key {kind.replace("_", "-")} --force'
        )
    for role, sees, hides in (
        ("executor", "recipe\t", "state\t"),
        ("reviewer", "gotcha\t", "recipe\t"),
        ("re_reviewer", "state\t", "recipe\t"),
    ):
        place.type(f"gitmem list --role {role}", sees, hides=[hides])
    place.type("gitmem list --role planner", "recipe\t", "state\t", "doc\t", "rs256\t")
    place.type("git config gitmem.domains auth")
    place.type(
        'gitmem remember "Auth tokens live an hour" --scope domain --domain auth && gitmem list --domain auth', "domain"
    )
    place.type("gitmem session use panes 'How tmux captures panes'")
    place.hook("SessionStart", "tmux", source="startup")
    place.type("gitmem session log", "start")


@row("E8", "supersedes and superseded_by, both ways, validated; superseded ones leave search")
def e8(place: Place) -> None:
    """A capsule replaces an older one: each names the other, search has the newer, and an unknown key is refused."""
    begin(place)
    place.type(PANE)
    place.type(
        'gitmem remember "tmux capture-pane needs -J for joined lines" --kind gotcha --supersedes pane --key joined'
    )
    place.type("gitmem show pane", "joined")
    place.type("gitmem show joined", "pane")
    place.type("gitmem recall tmux capture-pane", "joined", hides=["pane\tgotcha"])
    place.type("gitmem recall --all tmux capture-pane reuses buffer", "pane\tgotcha")
    place.type('gitmem remember "x y z is new here" --supersedes nothing-like-this', status=2)
    place.type("gitmem doctor", "well formed")


@row("E9", "Hybrid retrieval: BM25 and dense, RRF, MMR, filters, workspace boost")
def e9(place: Place) -> None:
    """Words and meaning find together, under filters; near copies do not fill the list; a workspace's own comes first."""
    begin(place)
    place.type('gitmem remember "The login page redirects" --kind decision --key page --workspace src/gateway')
    place.type('gitmem remember "The login page is red" --kind gotcha --key red --force')
    if place.has_model():
        place.type("gitmem recall authentication", "page")
        place.type("gitmem recall authentication --kind gotcha", "red", hides=["page\t"])
    text = place.type("cd src/gateway && gitmem recall login page", "page", "red")
    place.need(text.index("page\t") < text.index("red\t"), "the workspace's own memory is not first")
    place.type("gitmem recall login page --explain", "workspace")


@row("E10", "Absolute gate and relative floor; per-session seen list")
def e10(place: Place) -> None:
    """A prompt about tmux brings the capsule once; an unrelated one brings nothing; a far worse hit is left out."""
    begin(place)
    place.type(PANE)
    place.type('gitmem remember "Invoices are rounded half even in the ledger" --key round')
    prompt = "Why does tmux capture-pane reuse the buffer of the pane?"
    place.hook("UserPromptSubmit", "[pane]", hides=["[round]"], prompt=prompt)
    place.hook("UserPromptSubmit", hides=["[pane]"], prompt=prompt + " Again.")
    place.hook("UserPromptSubmit", "[pane]", prompt=prompt, session_id="s2")
    place.hook(
        "UserPromptSubmit",
        hides=["[pane]", "[round]"],
        prompt="Please rename the variable in this file",
        session_id="s3",
    )


@row("E11", "Per-turn recall on the prompt; warm start at session start")
def e11(place: Place) -> None:
    """A named topic with a specification starts warm; without a name it does not; a prompt and a sub-agent get what fits."""
    begin(place)
    place.type(CHEZMOI)
    place.type(PANE)
    place.hook("SessionStart", hides=["[state]", "[pane]"], source="startup")
    place.type("gitmem session use state 'Move the generated state of chezmoi out of git'")
    place.hook("SessionStart", "generated state must stay out", hides=["[pane]"], session_id="s2", source="startup")
    place.hook(
        "UserPromptSubmit",
        "[pane]",
        hides=["[state]"],
        prompt="Does tmux capture-pane reuse the buffer of the pane?",
        session_id="s2",
    )
    task = {"prompt": "Find out whether tmux capture-pane reuses the buffer of the pane", "subagent_type": "Explore"}
    place.hook("PreToolUse", tool_name="Task", tool_use_id="t1", tool_input=task, session_id="s3")
    place.hook("SubagentStart", "[pane]", hides=["[state]"], agent_id="a1", agent_type="Explore", session_id="s3")


@row("E12", "ingest, reembed, curate dedupe, decay, contradiction, doctor")
def e12(place: Place) -> None:
    """Documents are cut at headings, once per content, and plain recall finds them; the curators and doctor find theirs."""
    begin(place)
    place.write(
        "docs/ops.md",
        "# Operations\n\n## Backups\n\nThe vault is copied at night.\n\n## Turbines\n\nThe valve sticks in frost.\n",
    )
    place.commit("docs: operations")
    place.type("gitmem sources add docs --path docs && gitmem pull docs")
    place.type("gitmem list --source docs", "Backups", "Turbines")
    place.type("gitmem recall the valve sticks in frost", "Turbines")
    first = place.type("git rev-parse refs/gitmem/sources/docs")
    place.type("gitmem pull docs")
    place.need(place.type("git rev-parse refs/gitmem/sources/docs") == first, "the same documents are read again")
    place.type("gitmem import --chunk docs/ops.md && gitmem list --kind doc", "Turbines")
    place.type(PANE)
    place.type('gitmem remember "tmux capture-pane reuses the buffer of each pane" --kind gotcha --force --key same')
    place.type("gitmem curate dedupe", "pane", "same", status=1)
    place.type("gitmem curate dedupe --apply && gitmem curate dedupe")
    place.type("gitmem curate decay")
    place.type(
        'gitmem remember "The cache is enabled by default" --key on && gitmem remember "The cache is not enabled by default" --key off --force'
    )
    place.type("gitmem curate contradictions", "on", "off", status=1)
    if place.has_model():
        place.type("gitmem embed rebuild --all && gitmem embed status")
    place.type("gitmem doctor", "well formed")


@row("E13", "`LEARNING:` lines are captured; a finished run is summarized")
def e13(place: Place) -> None:
    """An agent's answer has a `LEARNING:` line; a finished run is distilled by `--from-run`, for which there is a prompt."""
    begin(place)
    place.hook("Stop", last_assistant_message="Done.\nLEARNING: tmux needs -J for joined lines\n")
    place.type("gitmem recall tmux joined lines", "needs -J")
    body = "    if joined:\n        return lines\n"
    run = [{"kind": "gotcha", "title": "Panes reuse their buffer", "body": body, "confidence": 0.8, "refs": ["run-7"]},
           {"kind": "recipe", "title": "Capture a pane with -J and -p"}]  # fmt: skip
    place.write("run.json", json.dumps(run))
    place.type("gitmem remember --from-run run.json && gitmem list", "gotcha", "recipe")
    place.type("gitmem show panes-reuse-their-buffer", "\n    if joined:\n        return lines")
    place.write("bad.json", json.dumps([{"kind": "gotcha"}, run[1]]))
    place.type("gitmem remember --from-run bad.json", status=2)
    place.type(
        "gitmem remember --from-run --help; gitmem help agents; cat .claude/skills/gitmem/SKILL.md", "--from-run"
    )
    work(place)
    place.type("gitmem session summarize", "claude-code-")


@row("E14", "Terminal browser; shell completions")
def e14(place: Place) -> None:
    """In a terminal: a search as it is typed, down, enter, escape and q; completions in the shells that are here."""
    begin(place)
    place.type(PANE)
    place.type(CHEZMOI)
    screen = place.browse("tmux capture", "pane")
    place.need("reuses the buffer" in screen, f"the browser does not find it: {screen[-300:]!r}")
    for shell in ("bash", "zsh", "fish"):
        place.type(f"gitmem completion {shell}", "gitmem")
    if shutil.which("fish"):
        place.type("gitmem completion fish --install && fish -c \"complete -C 'gitmem show sta'\"", "state\tchezmoi")
        place.type("fish -c \"complete -C 'git mem show pan'\"", "pane\ttmux")
    else:
        place.untried.append("fish is not installed")


@row("E15", "Traces survive a purge of temporary folders")
def e15(place: Place) -> None:
    """Temporary folders are emptied: the topic, its worklog, its evidence and a run's board are still there."""
    begin(place, branch="feature")
    place.env["TMPDIR"] = str(place.top / "tmp")
    os.mkdir(place.env["TMPDIR"])
    place.type("gitmem session use ledger 'Move invoices'")
    place.shell_event("make ledger")
    place.type('gitmem session evidence "No cent is lost" --ref src/auth/jwt.py:1')
    place.type('gitmem board open audit-7 && gitmem board post audit-7 "The pool is empty"')
    shutil.rmtree(place.env["TMPDIR"])
    os.mkdir(place.env["TMPDIR"])
    place.type("gitmem session status", "Move invoices", "make ledger", "No cent is lost")
    place.type("gitmem board show audit-7", "The pool is empty")
    name = place.type("gitmem session archive").strip().splitlines()[0]
    place.type(f"gitmem session status {name}", "Move invoices")
