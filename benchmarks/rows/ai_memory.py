"""C: the AI Memory Module for the BMAD method, by the examples of its document."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager

from benchmarks.rows import row
from benchmarks.rows.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HELPER = (
    "JWT middleware with RS256: one helper signs every token, and a second one validates it in two phases. The refresh "
    "token is rotated at each use, so that a stolen one is noticed at its second use. Errors are mapped to 401 in one place, "
    "src/auth/jwt.py:4-5, and tests sign with a key of their own."
)
CODE = "def verify(token):\n" + "".join(
    f"    if not token.check({n}, 'RS256'):\n        raise ValueError({n})\n" for n in range(6)
)
# How its beginning is shown: as part of a list's item, whose lines are indented by two spaces.
SHOWN = "\n  def verify(token):\n      if not token.check(0, 'RS256'):\n          raise ValueError(0)\n"
SUMMARY = {
    "content": "Session summary: Fixed Grafana dashboards by updating Prometheus queries. Modified "
    "memory-overview.json to use correct metric names. Verified dashboards show data.",
    "group_id": "shop", "type": "session_summary", "session_id": "sess_abc123",
    "timestamp": "2026-01-15T20:30:00Z", "importance": "high",
}  # fmt: skip


def begin(place: Place) -> None:
    """Set up a store as users of the module do."""
    place.type("gitmem init --profile bmad && gitmem install claude-code")


def fill(place: Place) -> None:
    """Put something into each of the first three collections."""
    place.write("summary.jsonl", json.dumps(SUMMARY) + "\n")
    place.type("gitmem import summary.jsonl && rm summary.jsonl")
    place.type("gitmem decide 'JWT token over cookies, since mobile needs it' --role pm --component auth --key chosen")
    place.type(f'gitmem post-work "{HELPER}" --role dev --story AUTH-12 --component auth --key built')
    place.type("gitmem remember 'Every JWT token lives an hour' --collection conventions --key lives")


@contextmanager
def tracker(place: Place) -> Iterator[Any]:
    """Start GitHub and Jira on this machine, with the tokens in the environment."""
    from support.tracker_server import tracking

    with tracking() as found:
        place.env |= found.environment()
        yield found


def work(place: Place) -> None:
    """Write the transcript of a session in which the gateway was mended, and tell the hook of its first prompt."""
    from support.transcripts import edited, message_line, prompt_line, ran

    lines = [
        prompt_line("Make the gateway retry requests that time out. It fails in production."),
        ran("pytest -q tests/test_retry.py", "E   AssertionError: 3 != 5\n1 failed, 4 passed in 1s"),
        edited(place.repo / "src/gateway/retry.py"),
        ran("pytest -q tests/test_retry.py", "5 passed in 1s"),
        message_line("The gateway retries five times now, since 504s come in bursts of four."),
    ]
    place.write(place.transcript, "\n".join(lines) + "\n")
    place.hook("UserPromptSubmit", prompt="Make the gateway retry requests that time out.")


@row(
    "C1",
    "Five collections with their own rules, readers and routing of prompts ([collections.md](../../docs/collections.md))",
)
def c1(place: Place) -> None:
    """Four prompts (how, a path, best practice, a plain one) each get what the document's matrix routes to them."""
    begin(place)
    fill(place)
    for name, key in (("discussions", "chosen"), ("code-patterns", "built"), ("conventions", "lives")):
        place.type(f"gitmem list --collection {name}", key)
    place.type("gitmem remember 'A helper' --kind code_pattern --ref src/auth/jwt.py:1", "code-patterns", status=2)
    place.hook("UserPromptSubmit", hides=["[built]", "[lives]", "[chosen]"], prompt="How do we sign a JWT token?")
    place.write(
        ".memory/gitmem.toml",
        (place.repo / ".memory/gitmem.toml").read_text().replace("prompt = false", "prompt = true"),
    )
    place.type("gitmem save")
    routes = {
        "how do we sign a JWT token": ("[built]", "[lives]"),
        "refresh token in src/auth/jwt.py": ("[built]", "[lives]"),
        "best practice for how long a JWT token lives": ("[lives]", "[built]"),
        "why did we choose a JWT token over cookies for mobile": ("[chosen]", "[lives]"),
    }
    for number, (prompt, (sees, hides)) in enumerate(routes.items()):
        place.hook("UserPromptSubmit", sees, hides=[hides], prompt=prompt, session_id=f"p{number}")


@row("C2", "Session-start hook with `additionalContext`; exits 0; session summaries only")
def c2(place: Place) -> None:
    """A start gives the last session's summary and nothing of the other collections; with a broken payload it also exits 0."""
    begin(place)
    fill(place)
    place.hook("SessionStart", "Fixed Grafana dashboards", hides=["JWT"], source="startup")
    payload = json.dumps(
        {"hook_event_name": "SessionStart", "session_id": "x", "cwd": str(place.repo), "source": "startup"}
    )
    place.write(place.top / "p.json", payload)
    place.type(
        "gitmem hook claude-code < ../p.json",
        '"hookSpecificOutput"',
        '"hookEventName": "SessionStart"',
        '"additionalContext"',
    )
    place.type("echo '{broken' | gitmem hook claude-code")
    place.type("gitmem hook claude-code < p.json", at=place.top)


@row("C3", "Post-tool hook captures code patterns with file and lines in under 500 ms")
def c3(place: Place) -> None:
    """An agent writes a function: the hook returns within 500 ms of CPU, and recall shows the code with its lines and indentation."""
    begin(place)
    before = os.times()
    place.edit_event("src/auth/verify.py", CODE)
    used = (os.times().children_user + os.times().children_system) - (before.children_user + before.children_system)
    place.need(used < 0.5, f"the hook took {used:.2f} s of CPU")
    place.type("gitmem list --kind code_pattern", "src/auth/verify.py")
    place.type("gitmem pre-work verify a token", "src/auth/verify.py:1", SHOWN)


@row("C4", "Pre-compact hook stores a session summary; Stop never does")
def c4(place: Place) -> None:
    """A session with a transcript stops, then is compacted: only then there is a summary, which the next start shows."""
    begin(place)
    work(place)
    place.hook("Stop")
    place.type("gitmem list --kind session", status=1)
    place.env["GITMEM_BACKGROUND"] = "on"
    place.hook("PreCompact", trigger="manual")
    place.type("for i in $(seq 50); do gitmem list --kind session && break; sleep 0.2; done", "session\t")
    place.hook("SessionStart", "gateway", session_id="s2", source="startup")


@row("C5", "Save, search and status as slash commands")
def c5(place: Place) -> None:
    """The three commands are installed for Claude Code, each may run what its text names, and those commands do it."""
    begin(place)
    folder = place.repo / ".claude/commands"
    wanted = {
        "save": ("gitmem remember", "gitmem session summarize"),
        "search": ("gitmem recall", "gitmem show"),
        "status": ("gitmem status", "gitmem log", "gitmem stats"),
    }
    for name, commands in wanted.items():
        text = (folder / f"gitmem-{name}.md").read_text()
        head = text.split("---")[1]
        place.need(all(one in text for one in commands), f"/gitmem-{name} does not name {commands}")
        place.need(all(f"Bash({one}:*)" in head for one in commands), f"/gitmem-{name} may not run {commands}")
    work(place)
    place.type("gitmem session summarize", "claude-code-")
    place.type("gitmem status && gitmem log --limit 10 && gitmem stats --days 7", "session", "Ana")


@row("C6", "pre-work-search, post-work-store, store-decision, load-decisions")
def c6(place: Place) -> None:
    """The four steps of a workflow with the document's parameters; code keeps its lines and its indentation."""
    begin(place)
    fill(place)
    place.type(
        'gitmem pre-work "JWT authentication" --role dev --story AUTH-13 --limit 3', "[built]", hides=["[chosen]"]
    )
    place.type('gitmem pre-work "JWT authentication" --role architect', "[built]", "[chosen]")
    place.type("gitmem decisions cookies --role pm", "over cookies", hides=["middleware"])
    place.type("gitmem decisions --component auth --limit 1", "[chosen]")
    place.write(
        "work.md", "Tokens are signed here, src/auth/jwt.py:4-5, by one helper:\n\n```python\n" + CODE + "```\n"
    )
    place.type("gitmem post-work - --story AUTH-14 --component auth --key signed < work.md")
    place.type('gitmem pre-work "tokens are signed by one helper"', SHOWN)


@row("C7", "Token budget per agent role; limits on shown and stored text")
def c7(place: Place) -> None:
    """The nine roles get the document's budgets, read what its table says, and a memory shows at most 500 tokens."""
    begin(place)
    fill(place)
    budgets = {"architect": 1500, "analyst": 1200, "pm": 1200, "dev": 1000, "tea": 1000, "tech-writer": 1000,
               "ux-designer": 1000, "quick-flow": 1000, "sm": 800}  # fmt: skip
    for role, budget in budgets.items():
        found = json.loads(place.type(f'gitmem pre-work "JWT token" --role {role} --json 2> /dev/null'))
        place.need(found["budget_tokens"] == budget, f"{role} has {found['budget_tokens']} tokens, not {budget}")
    place.type("gitmem remember 'The JWT token clock drifts' --kind gotcha --key drift")
    for role, sees, hides in (
        ("sm", ("[chosen]", "does not read"), ["[built]", "[drift]"]),
        ("analyst", ("[chosen]", "does not read"), ["[built]", "[drift]"]),
        ("dev", ("[built]", "[drift]"), ["[chosen]"]),
    ):
        place.type(f'gitmem pre-work "JWT token" --role {role}', *sees, hides=hides)
    long = " ".join(f"Rule {n} of the ledger rounds half even." for n in range(200))
    place.type(f'gitmem decide "{long}" --key long')
    text = place.type("gitmem decisions ledger rounds")
    place.need(len(text) < 500 * 8, f"a memory of {len(long)} characters is shown with {len(text)}")
    place.type('gitmem post-work "Short, in src/auth/jwt.py:1"', "50", status=2)
    place.type(f'gitmem post-work "{long} src/auth/jwt.py:1"', "500", status=2)


@row(
    "C8",
    "Code patterns need `path:line` references, which are proved by the content of their lines ([guide.md](../../docs/guide.md#references-to-lines-of-code))",
)
def c8(place: Place) -> None:
    """A pattern without lines is refused; one with them is stale once those lines change, and follows them when they move."""
    begin(place)
    place.type(f'gitmem post-work "{HELPER.replace(", src/auth/jwt.py:4-5,", "")}"', "lines of code", status=2)
    place.type(f'gitmem post-work "{HELPER}" --key built')
    place.write("src/auth/jwt.py", '"""Tokens."""\n\nALGORITHM = "RS256"\n\n\ndef sign(claims):\n    return claims\n')
    place.commit("auth: a docstring")
    place.type("gitmem curate refs", "src/auth/jwt.py:6", status=1)
    place.write("src/auth/jwt.py", "def sign(claims):\n    return encode(claims)\n")
    place.commit("auth: encode")
    place.type("gitmem show built", "stale")


@row("C9", "Exact and near duplicates are caught on write")
def c9(place: Place) -> None:
    """The same text again, and the same in nearly the same words: both are refused, and `--force` writes it."""
    place.type("gitmem init")
    text = "Token-efficient context loading: load only relevant context before agent work starts in a session"
    place.type(f'gitmem remember "{text}" --key first')
    place.type(f'gitmem remember "{text}"', "first", status=2)
    near = text.replace("in a session", "in each session")
    place.type(f'gitmem remember "{near}"', "first", status=2)
    place.type(f'gitmem remember "{near}" --force --key second', "second")


@row("C10", "Required metadata: id, project, type, timestamp, importance")
def c10(place: Place) -> None:
    """A memory has all five without an option; a policy that requires `paths` refuses one without."""
    begin(place)
    place.type("gitmem remember 'Every token lives an hour' --key lives --scope project")
    found = json.loads(place.type("gitmem show lives --json"))
    shown = str(found)
    place.need(found["key"] == "lives" and found["kind"] == "learned", "no id or type")
    place.need("created" in shown and "importance" in shown, f"no timestamp or importance: {shown[:300]}")
    place.need("shop" in str(found["frontmatter"].get("project", "")), f"no project: {found['frontmatter']}")
    policy = place.repo / ".memory/gitmem.toml"
    policy.write_text(policy.read_text() + '\n[kinds.gotcha]\nrequired = ["paths"]\n')
    place.type("gitmem save")
    place.type("gitmem remember 'The gateway drops sockets' --kind gotcha", "paths", status=2)


@row("C11", "GitHub sync: pull requests, reviews, issues, commits, CI, releases, code")
def c11(place: Place) -> None:
    """A repository on a server with GitHub's API: each part is pulled and found; code is cut along its definitions."""
    from support.tracker_server import comment, commit, issue, pull, time_of

    begin(place)
    with tracker(place) as hub:
        hub.lists["issues"] = [issue(1, "Retries never end", "After 504.")]
        hub.lists["issues/comments"] = [comment(71, 1, "Cap them at three.")]
        hub.lists["pulls"] = [pull(2, "Cap the retries", merged=True)]
        hub.lists["pulls/2/reviews"] = [{"id": 91, "user": {"login": "bo"}, "state": "APPROVED", "body": "Good cap."}]
        changed = {
            "filename": "src/a.py",
            "status": "modified",
            "additions": 1,
            "deletions": 0,
            "patch": "+RETRIES = 3",
        }
        hub.lists["pulls/2/files"] = [changed]
        hub.lists["commits"] = [commit(5, "gateway: cap retries\n\nThe gateway answered 504.")]
        run = {"id": 1, "name": "test", "status": "completed", "conclusion": "failure", "completed_at": time_of(9)}
        hub.checks[hub.lists["commits"][0]["sha"]] = [run]
        hub.lists["releases"] = [
            {"id": 61, "tag_name": "v1.2", "name": "One two", "body": "Notes.", "published_at": time_of(9)}
        ]
        place.type(f"gitmem sources add github acme/shop --api {hub.address} && gitmem pull", "github")
        parts = ("issue-1", "comment-71", "pull-2", "review-91", "diff-2", "commit-", "checks-", "release-61")
        place.type("gitmem list --source github", *parts)
        place.type("gitmem recall retries never end --source github", "issue-1")
        place.type("gitmem recall retries never end --collection github", "issue-1")
        place.type("gitmem recall retries never end; true", hides=["issue-1"])
        place.type("gitmem pull", "github")
    place.type(
        "gitmem sources add code --path src && gitmem pull code && gitmem recall sign claims --source code", "jwt"
    )


@row("C12", "Jira sync; separate searches for GitHub, Jira and best practices")
def c12(place: Place) -> None:
    """A Jira site is pulled with its comments; three searches and three slash commands, each of one collection."""
    from support.tracker_server import issue, jira_issue

    begin(place)
    place.type("gitmem remember 'Cap retries at three' --kind best_practice --key cap")
    with tracker(place) as site:
        site.jira = [jira_issue("SHOP-12", "Retries never end", comments=2)]
        site.lists["issues"] = [issue(1, "Retries hang")]
        place.type(f"gitmem sources add jira {site.address} --project SHOP && gitmem pull jira")
        place.type(f"gitmem sources add github acme/shop --api {site.address} --include issues && gitmem pull github")
    place.type("gitmem recall retries --source jira", "shop-12", hides=["issue-1", "cap"])
    place.type("gitmem list --source jira", "shop-12.comment")
    place.type("gitmem recall retries --source github", "issue-1", hides=["shop-12", "cap"])
    place.type("gitmem recall retries --kind best_practice", "cap", hides=["issue-1", "shop-12"])
    place.type("gitmem install claude-code && ls .claude/commands", "gitmem-github", "gitmem-jira", "gitmem-practices")


@row("C13", "Conventions shared by all projects, the rest isolated by project")
def c13(place: Place) -> None:
    """Two projects: what one writes as a convention the other reads, and nothing else; code cannot become universal."""
    begin(place)
    fill(place)
    other = place.project("other")
    place.type("gitmem init --profile bmad", at=other)
    place.type("gitmem recall JWT token --collection conventions", "lives", at=other)
    place.type("gitmem recall JWT token cookies Grafana; true", hides=["chosen", "built", "Grafana"], at=other)
    place.type("gitmem promote built --to universal", "other projects", status=2)
    place.type("gitmem list --collection conventions", "universal")


@row("C14", "Different embedding models for code and prose")
def c14(place: Place) -> None:
    """Two models are set up, one for code and one for prose: status shows both, and a question by meaning finds a code pattern."""
    begin(place)
    fill(place)
    if place.has_model():
        from support.models import make_static

        place.type(f"git config --global gitmem.embedCode model2vec:{make_static(place.top / 'code', scale=2)}")
        place.type("gitmem embed rebuild && gitmem embed status", "(for prose)", "(for code)")
        place.type("gitmem recall authentication --collection code-patterns", "built")


@row("C15", "Quality gate: low-value messages are never stored")
def c15(place: Place) -> None:
    """Comments that say "ok", "yes" and "nothing to add" leave nothing behind; a learning beside them does."""
    begin(place)
    for text in ("ok", "yes", "nothing to add", "thanks!", "done"):
        place.shell_event(f'bd comment BD-1 "LEARNED: {text}"')
    place.type("gitmem list", status=1)
    place.shell_event('bd comment BD-1 "LEARNED: The gateway drops idle sockets after an hour"')
    place.type("gitmem list | wc -l", "1\n")


@row("C16", "Health and activity: status command, metrics to scrape")
def c16(place: Place) -> None:
    """A failed fact and a search later, `status` and the metrics say so, in Prometheus' form."""
    begin(place)
    place.type('gitmem fact "Auth uses RS256" --contains RS256 --in src/auth/jwt.py --key rs256')
    place.type("gitmem recall RS256", "rs256")
    place.write("src/auth/jwt.py", "x = 1\n")
    place.commit("auth: gone")
    place.type("gitmem verify", status=1)
    place.type("gitmem status", "auth: gone", "failed", status=1)
    place.type("gitmem metrics", "# TYPE gitmem_", 'status="failed"')
    place.type("gitmem stats --days 7", "1")
    place.type("gitmem doctor", "well formed")


@row("C17", "Works standalone and inside a workflow method")
def c17(place: Place) -> None:
    """The module is written; BMAD's own installer, where npm has it, installs it; then its workflows use the skills."""
    begin(place)
    place.type("gitmem install bmad", "--custom-source ./bmad-gitmem", "next:")
    place.type("ls _bmad/custom", status=2)
    bmad = shutil.which("bmad-method")
    if bmad is None:
        place.untried.append("BMAD's own installer: bmad-method is not on PATH (npm install --global bmad-method@6.12)")
        return
    place.type(
        "bmad-method install --directory . --modules bmm --tools claude-code --yes > /dev/null && gitmem doctor",
        "bmad-module-missing",
        status=1,
    )
    place.type("bmad-method install --directory . --yes --custom-source ./bmad-gitmem", "gitmem: project memory")
    place.type("gitmem install bmad", hides=["next:"])
    place.type(
        "cat _bmad/custom/bmad-build.toml .claude/skills/gitmem-pre-work/SKILL.md",
        "Use the skill gitmem-pre-work",
        "gitmem pre-work",
    )
    place.type("gitmem doctor", hides=["bmad"])
