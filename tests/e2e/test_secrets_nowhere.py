"""A secret that somebody types or that a check prints is refused or replaced, and is nowhere afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files
from support.hubs import add_to, ask, followed, served, synced, token_file
from support.mcp_client import call
from support.planted_secrets import make_secrets
from support.postgres import HubDatabase
from support.terminal import GITMEM, Ran, Terminal, environment, gitmem

from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.hub.identity import TokenFile
from gitmem.plugins.board.entry import ClaimSource, Entry, format_entry, id_of, path_of
from gitmem.plugins.forge import comment, issue, pull

# Made up, in the published forms; put together here so that no scanner takes this file for a leak.
TOKENS = {
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8",
    "aws": "AKIA" + "Q7RT2ZLWX5VN4BKD",
    "databricks": "dapi" + "3f9a7c1e5b8d2046" + "a7c9e1f3b5d70284",
    "password in a URL": "postgres://svc:" + "vN8xKq2LmR4t" + "@db.internal/x",
    "private key": "-----BEGIN PRIVATE KEY-----\n"
    + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB" * 3
    + "\n-----END",
}


def places_of(repo: Path, state: Path, needle: str) -> list[str]:
    """Return where a text is: in any object of any kind, reachable or not, and in any file of ours, cases ignored."""
    dump = ("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
    objects = subprocess.run(dump, cwd=repo, capture_output=True, check=True).stdout
    found = ["objects"] if needle.lower().encode() in objects.lower() else []
    for folder in (repo / ".git" / "gitmem", state, repo / ".git" / "logs"):
        for path in folder.rglob("*"):
            if path.is_file() and needle.lower().encode() in path.read_bytes().lower():
                found.append(str(path))
    return found


def slug(token: str) -> str:
    """Return the most telling part of a secret as a key would have it."""
    return max(token.lower().replace("_", "-").replace("\n", "-").split("-"), key=len)[:24]


@pytest.mark.parametrize("token", TOKENS.values(), ids=list(TOKENS))
def test_typed_secret_is_refused_and_nowhere(repo: Path, tmp_path: Path, token: str) -> None:
    gitmem(repo, "remember", "a text", "--key", "k")
    one_line = token.replace("\n", " ")
    attempts: list[Ran] = [
        gitmem(repo, "remember", f"it is {token}"),
        gitmem(repo, "remember", "-", input=f"first line\n\nthen {token}\n"),
        gitmem(repo, "remember", "x", "--title", token),
        gitmem(repo, "remember", "x", "--tag", one_line),
        gitmem(repo, "remember", "x", "--task", one_line),
        gitmem(repo, "fact", token, "--exists", "README.md"),
        gitmem(repo, "fact", "x", "--body", token, "--exists", "README.md"),
        gitmem(repo, "fact", "x", "--unproven", "--verify", f"grep -q '{token}' README.md"),
        gitmem(repo, "fact", "x", "--unproven", "--", "grep", "-q", token, "README.md"),
        gitmem(repo, "fact", "x", "--unproven", "--refute", token, "--verify", "make unit"),
        gitmem(repo, "edit", "k", "--title", token),
        gitmem(repo, "edit", "k", "--body", token),
        gitmem(repo, "forget", "k", "--why", token),
        gitmem(repo, "settle", "k", "--retire", "--why", token),
        gitmem(repo, "remember", "x", env=environment(GITMEM_AGENT=one_line)),
    ]

    message = "".join(done.out + done.err for done in attempts)
    assert [done.status for done in attempts] == [2] * len(attempts)
    assert slug(token) not in message.lower()
    assert one_line.lower() not in message.lower()
    assert places_of(repo, tmp_path / "state-home", slug(token)) == []


def test_secret_that_a_check_prints_is_in_no_verdict_and_on_no_screen(repo: Path, tmp_path: Path) -> None:
    token = TOKENS["github"]
    commit_files(repo, {"print.sh": f"echo 'the token is {token[:20]}''{token[20:]}'; exit 1\n"})
    gitmem(repo, "init")
    put_files(repo, {"facts/f.md": memory_text("f", verify="sh print.sh").replace("learned", "fact")})
    commit_files(repo, {"approved": gitmem(repo, "trust", "--print").out})

    done = [gitmem(repo, "verify", "--approved", "approved"), gitmem(repo, "verify", "--json")]
    done += [
        gitmem(repo, *line.split()) for line in ("show f", "show f --json", "log f", "status", "context", "recall f")
    ]

    assert "[secret: github-token]" in done[0].out
    assert token not in repr(done)
    assert places_of(repo, tmp_path / "state-home", token) == []


def test_secret_on_a_terminal_is_not_repeated_either(repo: Path) -> None:
    token = TOKENS["github"]

    with Terminal(
        repo, *GITMEM, "fact", "x", "--verify", f"curl -H {token} x", env=environment(NO_COLOR="1")
    ) as terminal:
        status = terminal.finish()

    assert (status, token in terminal.output) == (2, False)


def test_bug_report_has_no_secret(repo: Path, tmp_path: Path) -> None:
    token = TOKENS["github"]
    code = (
        "import sys; from gitmem.__main__ import script; from gitmem.cli import remember\n"
        "def broken(args, out): raise KeyError(args.text)\n"
        f"remember.run = broken; sys.argv[1:] = ['remember', {token!r}]; script()"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=False)

    reports = list((tmp_path / "state-home").rglob("bug-*.txt"))
    assert (done.returncode, len(reports)) == (70, 1)
    assert "KeyError" in reports[0].read_text()
    assert token not in done.stderr + reports[0].read_text()


def test_policy_of_the_branch_does_not_let_a_secret_through_and_own_configuration_does(repo: Path) -> None:
    gitmem(repo, "init")
    put_files(repo, {"gitmem.toml": '[secrets]\nallow = ["github-token"]\n'})
    typed = ("remember", f"a revoked one: {TOKENS['github']}", "--key", "k")

    refused = gitmem(repo, *typed)
    git(repo, "config", "--add", "gitmem.secretsAllow", "github-token")
    done = gitmem(repo, *typed)

    assert (refused.status, "seems to contain a secret" in refused.err) == (2, True)
    assert (done.status, json.loads(gitmem(repo, "show", "k", "--json").out)["key"]) == (0, "k")


READS = (
    *("recall the gateway deploys", "recall the gateway deploys --json", "recall --recent 9", "list --json", "list"),
    *("show leak", "show leak --json", "show wrong --json", "similar leak", "context", "context --json", "status"),
    *("status --json", "log leak", "task list --json", "task show job", "decisions gateway", "pre-work gateway"),
    *("recall --syntax gateway", "report --json", "why wrong", "doctor", "doctor --json"),
)


def put_leaks(repo: Path, token: str) -> None:
    """Write memories that hold a secret onto the branch, as an older gitmem or a hand would."""
    body = f"The gateway deploys with {token}, so rotate it.\n"
    cut = "The gateway " + "deploys " * 16 + token  # where a title is cut, the secret is
    task = {"kind": "task", "state": '"claimed"', "claimed": f'{{num: 1, who: ana, notes: "{token}"}}'}
    files = {
        "gotchas/leak.md": memory_text("The quasar pipeline", body=body, tags=f"[{token}]", note=f'"{token}"'),
        "decisions/cut.md": memory_text(cut, body=body * 20, kind="decision", by=f'{{agent: "{token}"}}'),
        "facts/wrong.md": memory_text(
            f"Deploys {token}", kind="fact", verify=f"{{contains: '{token}', in: README.md}}"
        ),
        "sessions/s.md": memory_text(f"Goal {token}", body=body, kind="session"),
        "tasks/job.md": memory_text(f"Gateway {token}", body=body, **task),
    }
    put_files(repo, files)
    renamed = git(repo, "commit-tree", "memory^{tree}", "-p", "memory~1", "-m", f"remember: {token}")
    git(repo, "update-ref", "refs/heads/memory", renamed)


def told_to_agents(repo: Path) -> str:
    """Return what MCP and the hooks of a client tell an agent."""
    asked = (
        {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
        {"session_id": "s2", "hook_event_name": "UserPromptSubmit", "prompt": "what does the quasar pipeline need?"},
    )
    payloads = [{"cwd": str(repo)} | one for one in asked]
    hooks = [gitmem(repo, "hook", "claude-code", input=json.dumps(one)).out for one in payloads]
    assert all("deploys" in one for one in hooks)
    calls = (
        ("memory_search", {"query": "gateway"}),
        *(("memory_get", {"key": key}) for key in ("leak", "cut", "wrong", "s", "job")),
        *(("context", {}), ("facts_status", {}), ("facts_status", {"status": ["failed"]})),
    )
    return repr([*hooks, *((answer, answer.content) for answer in call(repo, *calls))])


def test_secret_that_is_on_the_branch_already_is_shown_by_nothing(repo: Path) -> None:
    token = TOKENS["github"]
    gitmem(repo, "init")
    put_leaks(repo, token)
    gitmem(repo, "verify")

    message = "".join(repr(gitmem(repo, *line.split())) for line in READS) + told_to_agents(repo)

    assert message.count("[secret: github-token]") > 20
    # Nor what a cut leaves of it.
    assert token[:8] not in message
    assert "FAILED" in message


def test_doctor_names_the_memories_that_hold_a_secret_and_how_to_mend_them(repo: Path) -> None:
    gitmem(repo, "init")
    put_leaks(repo, TOKENS["github"])

    found = gitmem(repo, "doctor", "--json")

    secrets = [one for one in json.loads(found.out)["problems"] if one["code"] == "secret"]
    assert found.status == 1
    assert [one["key"] for one in secrets] == ["cut", "wrong", "leak", "s", "job"]
    assert all("github-token in line" in one["message"] for one in secrets)
    assert secrets[2]["hint"] == "revoke it, because it stays in the history; then remove it: gitmem edit leak"

    git(repo, "config", "gitmem.secretsAllow", "github-token")
    assert [
        one for one in json.loads(gitmem(repo, "doctor", "--json").out)["problems"] if one["code"] == "secret"
    ] == []


# One of each class that differs in how it is found: a prefix, a path, an option, a header, a URL, a field.
CLASSES = ("github token", "slack webhook", "mysql -p", "curl -u", "jwt", "password in a URL", "cookie header")
PLANTED = {kind: (text, secret) for kind, text, secret in make_secrets() if kind in CLASSES}
ALL_SECRETS = " ; ".join(text for text, _ in PLANTED.values())
GITHUB = PLANTED["github token"][1]


def shown_in(text: str) -> list[str]:
    """Return the classes of the planted secrets that a text has, also those that only begin there."""
    return [kind for kind, (_, secret) in PLANTED.items() if secret[:10] in text]


def test_board_of_others_shows_no_secret(repo: Path) -> None:
    gitmem(repo, "init")
    gitmem(repo, "board", "open", "audit")
    source = ClaimSource(f"doc {GITHUB}", f"ref {GITHUB}", ALL_SECRETS)
    found = Entry("observation", ALL_SECRETS, "w9", f"Mallory {GITHUB}", NOW, {}, source, must_surface=True)
    asked = Entry("signal", ALL_SECRETS, "w9", "Mallory", NOW, {}, severity="high")
    files = {path_of(name, 9, id_of(one)): format_entry(one) for name, one in (("e", found), ("s", asked))}
    put_files(repo, files | {f"entries/{GITHUB}.json": b"{}"}, ref="refs/gitmem/runs/audit")
    commit_files(repo, {"report.md": "nothing\n"})

    lines = ("show audit", "show audit --json", "list", "gate audit", "export audit", "survival audit report.md")
    done = "".join(repr(gitmem(repo, "board", *line.split())) for line in lines)
    answers = call(repo, ("board_show", {}), ("board_show", {"names": ["e9"]}), board="audit")
    done += repr([(answer, answer.content, answer.text) for answer in answers])
    closed = gitmem(repo, "board", "close", "audit", "--force", "--why", "over")
    done += repr(closed) + gitmem(repo, "list", "--json").out

    assert closed.status == 0
    assert done.count("[secret: ") > 20
    assert shown_in(done) == []


def test_documents_and_code_show_no_secret(repo: Path) -> None:
    wrong = f"# Rules\n\n- see `src/b.py` and use {GITHUB}.\n- `PORT` (default: `1`) is in `src/a.py` {ALL_SECRETS}.\n"
    gone = {"src/b.py": "B = 2\n", f"src/{GITHUB}/x.py": "q = 1\n"}
    commit_files(repo, {"AGENTS.md": wrong, "src/a.py": "PORT = 1\n", **gone}, f"begin {ALL_SECRETS}")
    gitmem(repo, "init")
    text = memory_text(f"x exists {GITHUB}", kind="fact", verify=f"{{exists: src/{GITHUB}/x.py}}")
    put_files(repo, {"facts/moved.md": text})
    git(repo, "rm", "-q", "-r", *gone)
    commit_files(repo, {"src/a.py": f"PORT = 2 # {ALL_SECRETS}\n"}, f"second {ALL_SECRETS}")

    adopt = [gitmem(repo, "adopt", *more.split()) for more in ("-v", "--json", *(f"--format {form}" for form in FORMS))]
    check = [
        gitmem(repo, "check", "--base", "HEAD~1", *more.split()) for more in ("", "--json", "--report json=r.json")
    ]
    done = repr([*adopt, *check, gitmem(repo, "review"), gitmem(repo, "log", "--json")])

    assert [one.status for one in (*adopt, *check)] == [1] * 8
    assert done.count("[secret: ") > 20
    assert shown_in(done + (repo / "r.json").read_text()) == []
    # What a forge gets: the rendered JSON, Markdown of an earlier step, the body of an issue, a title.
    place = ForgeRepository("acme/shop")
    texts = (adopt[1].out, check[1].out, f"# A page\n\n{ALL_SECRETS}\n")
    sent = [
        comment.body_of(kind, text, place)[0] for kind, text in zip(("adopt", "check", "check"), texts, strict=True)
    ]
    gitmem(repo, "verify")
    failing = json.loads(gitmem(repo, "status", "--json").out)
    sent += [issue.body_of(issue.failing_facts(failing), place)]
    sent += [issue.body_of(issue.failing_statements(json.loads(adopt[1].out)), place)]
    sent += [str(pull.request_body(place, "topic", "main", ALL_SECRETS))]
    assert [one.count("secret: ") > 0 for one in sent] == [True] * 6
    assert shown_in("".join(sent)) == []


FORMS = ("markdown", "sarif", "github")


def test_hub_shows_no_secret(hub: HubDatabase, repo: Path, tmp_path: Path) -> None:
    token = TOKENS["github"]
    gitmem(repo, "init")
    put_leaks(repo, token)
    add_to(hub, repo)
    synced(hub, tmp_path)
    people = token_file(tmp_path, bob=())

    with followed(hub, tmp_path) as node, served(hub, node, TokenFile(people)) as address:
        paths = ["/search?q=gateway", *(f"/memory/{repo.name}/{key}" for key in ("leak", "cut", "wrong", "s", "job"))]
        answers = [ask(address, path, "bob-token") for path in paths]

    assert [answer.status for answer in answers] == [200] * 6
    body = b"".join(answer.body for answer in answers).decode()
    assert body.count("[secret: github-token]") > 5
    assert token[:8] not in body
