"""Whatever environment and settings say: the right repository, the same answers, and nothing is run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files, tip
from support.console import GITMEM, SCRIPTS, Console, environment, fsck, keys_on_branch, run, snapshot, untouched
from support.facts import approve_all
from support.standing_folder import fill, fill_anew, stand

from gitmem.memory import Memory

READS = {
    "recall": ["recall", "public keys"],
    "newest": ["recall", "--recent", "5"],
    "list": ["list"],
    "show": ["show", "gateway"],
    "log": ["log", "rs256"],
    "context": ["context"],
    "status": ["status"],
    "verify": ["verify", "--dry-run"],
    "print": ["trust", "--print"],
}
WRITES = {
    "remember": ["remember", "Some naïve text", "--key", "naive"],
    "fact": ["fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries"],
    "verify": ["verify", "--all"],
    "edit": ["edit", "spare", "--title", "Other naïve text"],
    "supersede": ["supersede", "spare", "gateway"],
    "forget": ["forget", "spare", "--why", "done"],
    "init": ["init"],
    "doctor": ["doctor", "--fix"],
    "index": ["index", "--rebuild"],
}


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "surroundings"), template)


@pytest.fixture
def console(repo: Path) -> Console:
    """Return a console in a repository with two memories, a fact that a command proves, and unfinished work."""
    console = Console(repo)
    fill(repo.parent, "console", lambda: stock(console))
    with Memory(repo) as memory:
        approve_all(memory)
    return console


def stock(console: Console) -> None:
    repo = console.folder
    console.ok("init")
    console.ok("remember", "The gateway only holds public keys", "--key", "gateway", "--path", "src/gateway/**")
    console.ok("remember", "To be changed", "--key", "spare")
    console.ok("fact", "RS256", "--contains", "RS256", "--in", "src/auth/*.py", "--key", "rs256")
    console.ok("fact", "Program", "--key", "program", "--", "grep", "-q", "RETRIES", "src/gateway/retry.py")
    with Memory(repo) as memory:
        approve_all(memory)
    assert console("verify").status == 0
    (repo / "src/gateway/retry.py").write_text("RETRIES = 4\n")
    (repo / "untracked").write_text("mine\n")


def answers(console: Console, **env: str | None) -> dict[str, tuple[int, str]]:
    """Return what every reading command says, exit status and output; ages are left out."""
    done = {name: console(*words, **env) for name, words in READS.items()}
    lines = {name: [line for line in ran.out.splitlines() if "ago" not in line] for name, ran in done.items()}
    return {name: (ran.status, "\n".join(lines[name])) for name, ran in done.items()}


def write_all(console: Console, **env: str | None) -> dict[str, int]:
    return {name: console(*words, **env).status for name, words in WRITES.items()}


# Variables, as git sets them for its hooks


@pytest.fixture
def canary(template: Path, tmp_path: Path) -> Path:
    """Return another repository with a memory of its own, where nothing may ever arrive."""
    folder = Path(shutil.copytree(template, tmp_path / "canary", symlinks=True))
    Console(folder).ok("remember", "Of the canary", "--key", "canary")
    return folder


def pointing_at(canary: Path) -> dict[str, dict[str, str]]:
    """Return what git sets for hooks and what people export, all of it pointing at the canary."""
    git_dir = f"{canary}/.git"
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in {"NAME": "Canary", "EMAIL": "canary@example.org", "DATE": "1000000000 +0000"}.items()
    }
    return {
        "hook of a linked work tree": {
            "GIT_DIR": git_dir,
            "GIT_INDEX_FILE": f"{git_dir}/index",
            "GIT_PREFIX": "src/",
            "GIT_EXEC_PATH": str(canary),
            **identity,
        },
        "work tree": {"GIT_DIR": git_dir, "GIT_WORK_TREE": str(canary), "GIT_COMMON_DIR": git_dir},
        "objects": {
            "GIT_OBJECT_DIRECTORY": f"{git_dir}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{git_dir}/objects",
            "GIT_QUARANTINE_PATH": f"{git_dir}/objects",
            "GIT_SHALLOW_FILE": f"{git_dir}/shallow",
            "GIT_GRAFT_FILE": f"{git_dir}/grafts",
            "GIT_REPLACE_REF_BASE": "refs/canary",
            "GIT_DEFAULT_HASH": "sha256",
            "GIT_NAMESPACE": "canary",
        },
        "settings": {
            "GIT_CONFIG_PARAMETERS": f"'gitmem.branch'='canary' 'core.worktree'='{canary}'",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "gitmem.branch",
            "GIT_CONFIG_VALUE_0": "canary",
            "GIT_CONFIG_KEY_1": "core.hooksPath",
            "GIT_CONFIG_VALUE_1": f"{git_dir}/hooks",
            "GIT_CONFIG_GLOBAL": f"{git_dir}/config",
            "GIT_CEILING_DIRECTORIES": str(canary.parent),
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_FLUSH": "0",
            **dict.fromkeys(("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"), f"{canary}/trace"),
            **dict.fromkeys(("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_ASKPASS", "PAGER"), f"touch {canary}/ran;"),
        },
    }


CASES = sorted(pointing_at(Path("/canary")))


@pytest.mark.parametrize("case", CASES)
def test_variables_that_name_another_repository_are_not_believed(console: Console, canary: Path, case: str) -> None:
    env, before, everything = pointing_at(canary)[case], untouched(console.folder), snapshot(canary)
    expected = answers(console)

    found, statuses = answers(console, **env), write_all(console, **env)

    assert found == expected
    assert statuses == dict.fromkeys(WRITES, 0)
    assert snapshot(canary) == everything
    assert untouched(console.folder) == before
    assert keys_on_branch(console.folder) == ["gateway", "naive", "program", "retries", "rs256", "spare"]
    authors = set(git(console.folder, "log", "--format=%an %ae %cn %ce %at", "memory").splitlines())
    assert not [line for line in authors if "anary" in line or line.endswith(" 1000000000")]
    fsck(console.folder)


# Settings of the person

SCRIPT = '#!/bin/sh\necho "$0 $*" >> "{marker}"\nexec cat 2> /dev/null\n'
HOOKS = (
    "pre-commit", "post-commit", "commit-msg", "post-checkout", "post-merge", "post-rewrite", "post-index-change",
    "reference-transaction", "pre-auto-gc", "update", "pre-push", "push-to-checkout", "fsmonitor-watchman",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """Return settings that would run a program or change what git prints, and the file that their program writes."""
    marker, tools = tmp_path / "marker", tmp_path / "tools"
    tools.mkdir()
    for name in (*HOOKS, "program"):
        (tools / name).write_text(SCRIPT.format(marker=marker))
        (tools / name).chmod(0o755)
    (tmp_path / "attributes").write_text(
        "* filter=evil diff=evil merge=evil text eol=crlf working-tree-encoding=UTF-16\n"
    )
    (tmp_path / "order").write_text("*.toml\n")
    program = str(tools / "program")
    return {
        "alias.fast-import": f"!{program}", "alias.rev-parse": f"!{program}", "alias.cat-file": "version",
        "color.ui": "always", "color.diff": "always", "color.status": "always", "column.ui": "always",
        "commit.gpgSign": "true", "tag.gpgSign": "true", "gpg.program": program, "log.showSignature": "true",
        "commit.template": program, "commit.verbose": "true", "core.autocrlf": "true", "core.eol": "crlf",
        "core.safecrlf": "true", "core.hooksPath": str(tools), "core.fsmonitor": program,
        "core.attributesFile": str(tmp_path / "attributes"), "core.pager": program, "core.editor": program,
        "core.sshCommand": program, "core.askPass": program, "core.alternateRefsCommand": program,
        "core.quotePath": "true", "core.abbrev": "4", "core.logAllRefUpdates": "false", "core.bigFileThreshold": "1",
        "core.untrackedCache": "true", "core.splitIndex": "true", "core.ignoreCase": "true", "core.symlinks": "false",
        "core.fileMode": "false", "core.precomposeUnicode": "true", "credential.helper": f"!{program}",
        "diff.external": program, "diff.evil.textconv": program, "diff.evil.command": program, "diff.noprefix": "true",
        "diff.renames": "copies", "diff.relative": "true", "diff.orderFile": str(tmp_path / "order"),
        "diff.submodule": "log", "diff.ignoreSubmodules": "none", "filter.evil.clean": program,
        "filter.evil.smudge": program, "filter.evil.process": program, "filter.evil.required": "true",
        "merge.evil.driver": program, "format.pretty": "%Cred%H%n%B", "i18n.logOutputEncoding": "latin1",
        "i18n.commitEncoding": "latin1", "log.date": "relative", "log.decorate": "full", "log.follow": "true",
        "log.diffMerges": "combined", "transfer.hideRefs": "refs/heads/memory", "uploadpack.hideRefs": "refs/heads",
        "transfer.unpackLimit": "1", "fastimport.unpackLimit": "1", "gc.auto": "1", "gc.autoDetach": "false",
        "maintenance.auto": "true", "init.templateDir": str(tools), "init.defaultBranch": "elsewhere",
        "status.short": "true", "status.branch": "true", "status.showUntrackedFiles": "all", "pager.log": program,
        "submodule.recurse": "true", "fetch.recurseSubmodules": "true", "fetch.prune": "true", "push.gpgSign": "true",
        "user.signingKey": "nobody", "safe.bareRepository": "explicit", "protocol.allow": "never",
        "rerere.enabled": "true", "index.version": "4",
    }, marker  # fmt: skip


@pytest.mark.parametrize("where", ["global", "local"])
def test_settings_run_nothing_and_change_no_answer(
    console: Console, hostile: tuple[dict[str, str], Path], where: str, tmp_path: Path
) -> None:
    settings, marker = hostile
    home = tmp_path / "hostile home"
    home.mkdir()
    expected, env = answers(console), {"HOME": str(home)}
    file = home / ".gitconfig" if where == "global" else console.folder / ".git/config"
    for name, value in settings.items():
        git(tmp_path, "config", "--file", str(file), name, value)
    (console.folder / ".git/hooks").mkdir(exist_ok=True)
    before = snapshot(console.folder, apart_from=(".git/gitmem", ".git/objects", ".git/logs", ".git/refs/heads"))

    found, statuses = answers(console, **env), write_all(console, **env)
    shutil.rmtree(console.folder / ".git/gitmem/ground", ignore_errors=True)
    proved = console("verify", "program", **env)

    # gc.auto = 1: git would collect garbage now, and doctor says so.
    assert statuses == dict.fromkeys(WRITES, 0) | {"doctor": 1}
    assert proved.status == 0, proved
    assert {name: answer for name, answer in found.items() if answer != expected[name]} == {}
    assert not marker.exists(), marker.read_text()
    after = snapshot(console.folder, apart_from=(".git/gitmem", ".git/objects", ".git/logs", ".git/refs/heads"))
    assert after == before
    shown = run(["git", "cat-file", "blob", "memory:learned/naive.md"], console.folder).out
    assert ("naïve" in shown, "\r" in shown) == (True, False)


def test_line_ends_and_filters_change_no_memory_and_no_check(console: Console) -> None:
    git(console.folder, "config", "core.autocrlf", "true")
    git(console.folder, "config", "filter.shout.clean", "tr a-z A-Z")
    git(console.folder, "config", "filter.shout.smudge", "tr a-z A-Z")
    (console.folder / ".git/info/attributes").write_text("* filter=shout\n")

    console.ok("remember", "-", "--key", "lines", input="One\n\ntwo\nthree\n")
    console.ok("fact", "Small letters", "--contains", "RETRIES = 3\n", "--in", "src/gateway/retry.py", "--key", "small")
    with Memory(console.folder) as memory:
        memory.fact("Small", verify=["grep", "-q", "return claims", "src/auth/jwt.py"], key="command", approve=True)

    assert git(console.folder, "cat-file", "blob", "memory:learned/lines.md").endswith("---\ntwo\nthree")
    assert console("verify", "--all").status == 0
    assert console.json("show", "command")["status"] == "verified"


# A home that is not there


@pytest.mark.parametrize("home", [None, "/nonexistent", "/dev/null"], ids=str)
def test_home_that_cannot_be_used_hinders_nothing_but_an_approval(console: Console, home: str | None) -> None:
    env = {"HOME": home, "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None}
    if home is None and not os.access(os.path.expanduser("~root"), os.R_OK):
        pytest.skip("the home of this user cannot be read")
    expected = answers(console)

    found, statuses = answers(console, **env), write_all(console, **env)
    again = console("verify", "program", **env)

    assert found == expected
    assert {name: status for name, status in statuses.items() if status} in ({}, {"verify": 3})
    assert again.status == 3, "nothing was ever approved there"
    assert "not approved" in again.out + again.err


def test_without_an_identity_the_fallback_writes(console: Console) -> None:
    git(console.folder, "config", "--unset", "user.name")
    git(console.folder, "config", "--unset", "user.email")
    git(console.folder, "config", "user.useConfigOnly", "true")

    console.ok("remember", "By nobody", "--key", "nobody")

    assert git(console.folder, "log", "-1", "--format=%an <%ae>", "memory") == "gitmem <gitmem@localhost>"


# git itself


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "path"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("is_set", [True, False], ids=["empty", "missing"])
def test_no_git_is_reported_by_whatever_needs_it(console: Console, tools: Path, is_set: bool) -> None:
    path = str(tools) if is_set else str(tools / "nowhere")
    git(console.folder, "repack", "-adq")  # a few loose objects are read without it
    before = tip(console.folder)

    reads = {name: console(*words, PATH=path) for name, words in READS.items()}
    writes = {name: console(*words, PATH=path) for name, words in WRITES.items()}

    for done in (*reads.values(), *writes.values()):
        assert done.status in (0, 3), done
        assert done.status == 0 or "install git" in done.err, done
    assert {reads[name].status for name in ("recall", "list", "show")} == {0}, "an index that is current needs no git"
    assert {writes[name].status for name in ("remember", "fact", "edit", "forget")} == {3}
    assert tip(console.folder) == before
    assert not (Path(os.environ["XDG_STATE_HOME"]) / "gitmem/log").exists()


OLD_GIT = """#!/bin/sh
for last; do :; done
[ "$last" = version ] && echo "git version 2.20.1" && exit
exec "{git}" "$@"
"""


def test_old_git_is_reported_by_doctor(console: Console, tools: Path) -> None:
    (tools / "git").write_text(OLD_GIT.format(git=shutil.which("git")))
    (tools / "git").chmod(0o755)

    done = console.json("doctor", PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")

    assert [(p["code"], p["severity"]) for p in done["problems"]] == [("old-git", "warning")]
    assert "2.20.1" in done["problems"][0]["message"]
    assert "2.39.4" in done["problems"][0]["hint"]
    assert done["machine"]["git"] == "2.20.1"
    assert console("remember", "It works as far as it can", PATH=f"{tools}{os.pathsep}{os.environ['PATH']}").status == 0


def test_git_that_says_nothing_useful_is_reported(console: Console, tools: Path) -> None:
    before, commands = tip(console.folder), ("recall", "log", "context", "remember", "verify", "doctor")
    for text in ("exit 1", "exit 128", "kill -9 $$", "printf '\\377\\376'; exit 3"):
        (tools / "git").write_text(f"#!/bin/sh\n{text}\n")
        (tools / "git").chmod(0o755)
        done = {
            name: console(*words, PATH=str(tools)) for name, words in {**READS, **WRITES}.items() if name in commands
        }

        assert {name: ran.status for name, ran in done.items() if ran.status == 70} == {}, (text, done)
        assert done["remember"].status == 3, (text, done["remember"])
    assert tip(console.folder) == before


# Hooks that call gitmem


def install_hook(folder: Path, name: str, text: str) -> None:
    hook = folder / name
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(f"#!/bin/sh\nset -e\nexport PATH='{SCRIPTS}':\"$PATH\"\n{text}\n")
    hook.chmod(0o755)


def typed_git(folder: Path, *args: str, **env: str) -> None:
    done = run(["git", *args], folder, env=environment(**env))
    assert done.status == 0, done


@pytest.mark.whole_system
def test_hook_of_the_repository_may_call_gitmem(console: Console, tmp_path: Path) -> None:
    folder = console.folder
    install_hook(
        folder / ".git/hooks", "pre-commit", "gitmem recall keys > /dev/null; gitmem verify > /dev/null || true"
    )
    install_hook(folder / ".git/hooks", "post-commit",
                 'gitmem remember "Commit $(git log -1 --format=%s)" --key "c-$(git log -1 --format=%s)"')  # fmt: skip
    install_hook(folder / ".git/hooks", "post-checkout", "gitmem index > /dev/null; gitmem list > /dev/null")
    git(folder, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    hooked = {"GIT_AUTHOR_NAME": "Somebody Else"}

    typed_git(folder, "commit", "-qam", "one", **hooked)
    (folder / "README.md").write_text("partly\n")
    (folder / "src/auth/jwt.py").write_text("RS256 not in this commit\n")
    typed_git(folder, "commit", "-qm", "two", "README.md", **hooked)
    typed_git(folder, "-c", "gitmem.branch=elsewhere", "commit", "-qm", "three", "--allow-empty", **hooked)
    (tmp_path / "linked/new").write_text("1\n")
    typed_git(tmp_path / "linked", "add", "new")
    typed_git(tmp_path / "linked", "commit", "-qm", "four", **hooked)
    typed_git(folder, "checkout", "-q", "-b", "other")

    assert {"c-one", "c-two", "c-three", "c-four"} <= set(console.listed())
    assert set(git(folder, "log", "--format=%an", "memory").splitlines()) == {"Ana", "gitmem"}
    assert (
        git(folder, "log", "--format=%s %an", "-3", "other")
        == "three Somebody Else\ntwo Somebody Else\none Somebody Else"
    )
    assert git(folder, "diff", "--name-only", "HEAD~2", "HEAD") == "README.md"
    assert git(folder, "status", "--porcelain") == "M src/auth/jwt.py\n?? untracked".replace("M ", " M ", 1)
    assert git(folder, "branch", "--list", "elsewhere") == ""
    assert git(tmp_path / "linked", "status", "--porcelain") == ""
    fsck(folder)


def test_hook_of_a_bare_repository_may_call_gitmem(console: Console, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(console.folder), "server.git")
    server = tmp_path / "server.git"
    install_hook(server / "hooks", "post-receive", 'gitmem remember "Something was pushed" --key pushed; gitmem list')
    git(console.folder, "remote", "add", "server", str(server))
    git(console.folder, "stash", "-q")
    commit_files(console.folder, {"more": "1\n"})

    typed_git(console.folder, "push", "-q", "server", "main")

    assert Console(server).listed() == ["gateway", "program", "pushed", "rs256", "spare"]
    assert git(server, "rev-parse", "main") == git(console.folder, "rev-parse", "main")
    fsck(server)


# Where Python runs


def test_files_of_the_repository_are_never_imported(console: Console) -> None:
    marker = console.folder / "imported"
    for name in ("json", "sqlite3", "subprocess", "re", "gitmem", "sitecustomize", "usercustomize", "yaml"):
        (console.folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\n")

    expected = write_all(console)

    assert expected == dict.fromkeys(WRITES, 0)
    assert {answer[0] for answer in answers(console).values()} == {0}
    assert not marker.exists(), marker.read_text()


LOCALES = {
    "C": {"LC_ALL": "C"},
    "POSIX": {"LC_ALL": "POSIX"},
    "missing": {"LC_ALL": "xx_YY.ISO-8859-1", "LANGUAGE": "de"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
}


@pytest.mark.parametrize("name", LOCALES)
def test_text_is_kept_as_it_was_typed_in_every_locale(console: Console, name: str) -> None:
    console.ok("remember", "Der Größe nach: naïve 記憶 🧠", "--key", "grosse", **LOCALES[name])
    console.ok("remember", "-", "--key", "piped", input="Über naïve 記憶\n", **LOCALES[name])

    shown = console("show", "grosse", **LOCALES[name])

    assert shown.status == 0, shown
    assert console.json("show", "grosse")["title"] == "Der Größe nach: naïve 記憶 🧠"
    assert console.json("show", "piped")["title"] == "Über naïve 記憶"
    assert console("recall", "größe", **LOCALES[name]).out.startswith("grosse\t")


def test_text_that_the_locale_cannot_tell_is_taken_for_utf_8(console: Console) -> None:
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    console.ok("remember", "naïve", "--key", "typed", **plain)
    console.ok("remember", "-", "--key", "piped", input="Über naïve 記憶\n", **plain)
    shown = console("show", "piped", **plain)

    assert console.json("show", "typed")["title"] == "naïve"
    assert console.json("show", "piped")["title"] == "Über naïve 記憶"
    assert (shown.status, shown.out.isascii()) == (0, True)


def test_remote_helpers_and_odd_remotes_are_not_run_by_init(repo: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    console = Console(repo)
    for url in (f"ext::sh -c 'touch {marker}'", f"-oProxyCommand=touch {marker}", f"--upload-pack=touch {marker}"):
        git(repo, "config", "remote.origin.url", url)
        done = console("init")

        assert done.status == 0, done
        git(repo, "update-ref", "-d", "refs/heads/memory")
    git(repo, "config", "remote.origin.url", str(tmp_path / "nowhere"))
    git(repo, "config", "remote.origin.uploadpack", "git-upload-pack")
    assert console("init").status == 0
    assert not marker.exists()


def test_memory_of_a_remote_is_read_but_its_files_cannot_name_a_program(repo: Path, tmp_path: Path) -> None:
    put_files(
        repo, {".gitattributes": "* filter=evil diff=evil\n", "learned/a.md": "---\ntitle: A\nkind: learned\n---\n"}
    )
    marker = tmp_path / "marker"
    for name in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "diff.evil.command"):
        git(repo, "config", name, f"touch {marker}; cat")
    console = Console(repo)

    for words in (["list"], ["log", "a"], ["show", "a"], ["edit", "a", "--title", "B"], ["doctor"], ["verify"]):
        assert console(*words).status == 0
    assert run([str(GITMEM), "log", "a"], repo).status == 0
    assert not marker.exists()
