"""Parts that are killed, stopped, full, read-only or behind a pooler: a line at most, nothing is lost, all goes on."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, tip
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, ask, followed, synced, token_file
from support.postgres import (
    HubDatabase,
    Postgres,
    make_cluster,
    make_template,
    new_hub,
    pooled,
    run_sql,
    running,
)
from support.processes import wait_until

from gitmem.errors import GitmemError
from gitmem.hub import client, schema
from gitmem.hub.database import connected
from gitmem.hub.follower import SearchNode
from gitmem.hub.search import HubQuery, search
from gitmem.hub.work import jobs

pytestmark = pytest.mark.whole_system

PATIENCE_S = 240


@contextlib.contextmanager
def program(log: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command of the hub that runs until the end of the block, with its events in a file."""
    argv = [sys.executable, "-m", "gitmem", "hub", *words, "--log-json"]
    with (
        open(log, "w") as file,
        subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=file, text=True, cwd=log.parent) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def events(log: Path) -> list[dict]:
    """The events of a log so far."""
    return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]


def until(claim) -> bool:  # type: ignore[no-untyped-def]
    return wait_until(claim, PATIENCE_S)


def test_processes_go_on_after_the_database_restarted(template: Path, tmp_path: Path) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("gust", "A retry storm"))
    cluster = make_cluster()
    logs = {name: tmp_path / f"{name}.log" for name in ("serve", "sync", "work")}
    tokens = str(token_file(tmp_path, alice=()))
    try:
        with contextlib.ExitStack() as stack:
            with running(cluster):
                hub = stack.enter_context(contextlib.nullcontext(first_hub(cluster)))
                add_to(hub, api)
                at = ("--folder", str(tmp_path / "data"))
                owner = (*at, "--database", hub.url)
                sync = stack.enter_context(program(logs["sync"], "sync", "--every", "1", *owner))
                stack.enter_context(program(logs["work"], "work", *owner))
                assert sync.stdout.readline() == "api\n"
                options = ("--tokens", tokens, "--port", "0", *at, "--database", hub.serving)
                server = stack.enter_context(program(logs["serve"], "serve", *options))
                address = server.stdout.readline().strip()
                assert ask(address, "/search?q=storm", "alice-token").keys == ["gust"]
            # What the server knows of her rights counts no longer, although it has the memory itself.
            assert wait_until(lambda: ask(address, "/search?q=storm", "alice-token").status == 503, 2)
            assert ask(address, "/healthz").status == 200
            for log in logs.values():  # the pool's own time limit would take a worker 60 s
                assert wait_until(lambda log=log: "the database cannot be reached" in log.read_text(), 45), log
            put(api, make_memory("later", "A later storm"))
            with running(cluster):

                def has_both() -> bool:
                    found = ask(address, "/search?q=storm", "alice-token")
                    assert found.status in (200, 503), (found.body, logs["serve"].read_text())
                    return found.status == 200 and len(found.keys) == 2

                assert until(has_both)
    finally:
        shutil.rmtree(cluster)

    lines = events(logs["serve"])
    assert [one["event"] for one in lines[:2]] == ["serving", "request"]
    assert {"endpoint": "search", "status": 200, "identity": "alice"}.items() <= lines[1].items()
    assert "storm" not in logs["serve"].read_text()
    assert "token" not in logs["serve"].read_text()
    problems = [one["problem"] for one in lines if one["event"] == "problem"]
    assert "the index follows the database again" in problems
    assert all("Traceback" not in log.read_text() for log in logs.values())


def test_database_ends_with_the_test_run_that_is_killed(tmp_path: Path) -> None:
    cluster, running_ = make_cluster(), "import sys; from pathlib import Path; from support.postgres import running"
    code = f"{running_}\nwith running(Path(sys.argv[1])): print(flush=True); input()"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    try:
        with subprocess.Popen(
            [sys.executable, "-c", code, str(cluster)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        ) as run:
            assert run.stdout.readline() == b"\n"
            server = int((cluster / "data" / "postmaster.pid").read_text().split()[0])
            os.kill(server, 0)
            run.kill()
        assert until(lambda: not Path(f"/proc/{server}").exists())
    finally:
        shutil.rmtree(cluster)


def first_hub(cluster: Path) -> HubDatabase:
    """Make the hub of a server of its own."""
    postgres = Postgres(str(cluster))
    name = make_template(postgres)
    return HubDatabase(postgres.url(name, "hub_owner"), postgres.url(name, "hub_server"), postgres.url(name))


# What the database is, and what each command says of it; an empty text: it works.
READ_ONLY = "the database is read-only"
COMMANDS: dict[tuple[str, ...], str] = {
    ("list",): "",
    ("status",): "",
    ("add", "/srv/git/web.git"): READ_ONLY,
    ("remove", "api"): READ_ONLY,
    ("sync",): READ_ONLY,
    ("verify", "api"): READ_ONLY,
    ("rebuild",): READ_ONLY,
    ("work", "--once"): READ_ONLY,
}


def test_every_command_names_a_read_only_database_and_another_schema(
    hub: HubDatabase, template: Path, tmp_path: Path, run_cli
) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("gust", "A retry storm"))
    add_to(hub, api)

    def run(words: tuple[str, ...]) -> str:
        folder = () if words[0] in ("list", "status", "add", "remove", "verify") else ("--folder", str(tmp_path / "d"))
        done = run_cli("hub", *words, *folder, "--database", hub.url)
        assert done.status in ((3,) if done.err.startswith("gitmem: error") else (0, 1)), done
        return done.err

    owner = "ALTER ROLE hub_owner IN DATABASE {} {} default_transaction_read_only"
    name = hub.url.partition("?")[0].rpartition("/")[2]
    run_sql(hub.admin, owner.format(name, "SET") + " = on")
    read_only = {words: run(words) for words in COMMANDS}
    run_sql(hub.admin, owner.format(name, "RESET"))
    run_sql(hub.admin, "INSERT INTO public.gitmem_hub_schema VALUES (99, now())")
    newer = {words: run(words) for words in COMMANDS}
    run_sql(hub.admin, "DELETE FROM public.gitmem_hub_schema WHERE version = 99")
    with connected(hub.url) as connection:
        schema.migrate(connection, 1)
    older = {words: run(words) for words in COMMANDS}

    for words, says in COMMANDS.items():
        if says:
            assert read_only[words].startswith(f"gitmem: error: {says}\n"), read_only[words]
        assert newer[words].startswith("gitmem: error: the database has version 99"), newer[words]
        assert older[words].startswith("gitmem: error: the database has version 1 of the schema"), older[words]
        assert "hint: gitmem hub init" in older[words]


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of its own, which a test can fill and every user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=96m,mode=777", "none", folder]
    if os.getuid() or subprocess.run(mount, check=False).returncode:
        folder.rmdir()
        pytest.skip("only root can mount a disk of its own")
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


def fill(folder: Path) -> Path:
    """Fill a disk; return the file that does."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    return ballast


def test_full_disk_of_the_database_is_named_and_nothing_is_lost(
    small_disk: Path, template: Path, tmp_path: Path
) -> None:
    for name, count in (("large", 300), ("small", 1)):
        folder = Path(shutil.copytree(template, tmp_path / name))
        put(folder, *(make_memory(f"gust-{number}", "A retry storm", "x" * 4000) for number in range(count)))
    cluster = make_cluster(small_disk / "data")
    try:
        with running(cluster):
            hub = first_hub(cluster)
            add_to(hub, tmp_path / "small")
            synced(hub, tmp_path)
            add_to(hub, tmp_path / "large")
            ballast = fill(small_disk)
            with pytest.raises(GitmemError) as caught:
                synced(hub, tmp_path)
            with connected(hub.serving) as connection:  # reading goes on
                connection.execute("SET ROLE gitmem_follower")
                during = connection.execute("SELECT count(*) FROM hub.memory").fetchone()
            ballast.unlink()
            after = synced(hub, tmp_path)
    finally:
        shutil.rmtree(cluster)

    assert caught.value.message == "the disk of the database is full"
    assert during == (1,)
    assert (after["large"].changed, after["small"].problem) == (300, "")


def test_full_disk_of_a_search_node_is_named_and_the_index_is_made_again(
    small_disk: Path, hub: HubDatabase, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    monkeypatch.setattr("gitmem.hub.follower.REBUILD_S", 0.1)
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("gust", "A retry storm"))
    add_to(hub, api)
    synced(hub, tmp_path)
    stop, notes = threading.Event(), []
    with followed(hub, small_disk) as node:
        ballast = fill(small_disk)
        thread = threading.Thread(target=node.follow, args=(stop, notes.append))
        thread.start()
        try:
            put(api, make_memory("later", "A later storm", "word " * 5000))
            synced(hub, tmp_path)
            assert until(lambda: notes != [])
            ballast.unlink()
            assert until(lambda: notes[-1] == "" and node.engine.view().memories == 2)
        finally:
            stop.set()
            thread.join()

    assert notes[0].startswith("the index cannot be written: ")


def test_server_that_starts_on_a_full_disk_says_so_and_starts_once_there_is_room(
    small_disk: Path, hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("gust", "A retry storm"))
    add_to(hub, api)
    synced(hub, tmp_path)
    tokens = ("--tokens", str(token_file(tmp_path, alice=())), "--port", "0")
    options = ("serve", *tokens, "--folder", str(small_disk / "data"), "--database", hub.serving)
    with followed(hub, small_disk / "data", "index"):
        pass
    put(api, make_memory("later", "A later storm", "word " * 5000))
    synced(hub, tmp_path)
    ballast = fill(small_disk)
    argv = [sys.executable, "-m", "gitmem", "hub", *options]
    full = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    ballast.unlink()
    with program(tmp_path / "serve.log", *options) as server:
        found = ask(server.stdout.readline().strip(), "/search?q=storm", "alice-token").keys

    assert full.returncode == 3
    assert full.stderr.startswith("gitmem: error: the index cannot be written: ")
    assert sorted(found) == ["gust", "later"]


def test_everything_works_behind_a_pooler_in_transaction_mode(
    postgres: Postgres, hub_template: str, repo: Path, tmp_path: Path, run_cli
) -> None:
    put(repo, make_fact("proved", {"exists": "README.md"}), make_memory("gust", "A retry storm"))
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(remote))
    with new_hub(postgres, hub_template) as direct, pooled(postgres) as pooler:
        name = direct.url.partition("?")[0].rpartition("/")[2]
        hub = HubDatabase(pooler.url(name, "hub_owner"), pooler.url(name, "hub_server"), direct.admin)
        add_to(hub, remote)
        synced(hub, tmp_path)
        tokens, at = str(token_file(tmp_path, alice=(), bob=())), ("--folder", str(tmp_path / "data"))
        options = ("--tokens", tokens, "--port", "0", *at, "--database", hub.serving)
        with program(tmp_path / "serve.log", "serve", *options) as server:
            address = server.stdout.readline().strip()
            before = ask(address, "/search?q=proved", "alice-token").json["hits"]
            with connected(hub.url) as connection:
                jobs.add_due(connection)
            worked = run_cli("hub", "work", "--once", *at, "--database", hub.url)
            synced(hub, tmp_path)
            assert until(lambda: ask(address, "/search?q=proved&status=verified", "alice-token").keys == ["proved"])
            # Not as Alice, whose limit of requests the polling above may have used up.
            flood = [ask(address, "/search?q=storm", "bob-token").status for _ in range(30)]

    assert [hit["status"] for hit in before] == ["unproven"]
    assert worked.out.startswith("verified remote.git: 1 fact judged, 0 failed; pushed "), worked
    assert set(flood) == {200}
    assert "problem" not in (tmp_path / "serve.log").read_text()


# As often as a node is killed while it indexes, and how long it then lives at most after it began to.
KILLS, MIDDLE_S = 20, 0.06


def make_texts(round_: int, dice: random.Random) -> list[dict]:
    """Return the memories of a round, each with other words than in the round before."""
    words = [f"word{'abcdefghij'[number]}" for number in range(10)]
    return [
        make_memory(
            f"m{one}", f"Round {round_} of {' '.join(dice.choices(words, k=4))}", " ".join(dice.choices(words, k=40))
        )
        for one in range(150)
    ]


def remove(folder: Path, path: str) -> None:
    """Remove a file from the memory branch."""
    head = f"commit refs/heads/memory\ncommitter A <a@example.org> {NOW} +0000\ndata 1\nx\n"
    git(folder, "fast-import", "--quiet", input=f"{head}from refs/heads/memory^0\nD {path}\n")


def state_of(folder: Path) -> dict:
    """The state file of a node's index; empty before there is one."""
    try:
        return json.loads((folder / "state.json").read_text())
    except OSError:
        return {}


def files_of(folder: Path) -> frozenset[str]:
    """The files of a node's index, which get new names as it writes; empty before there is one."""
    return frozenset(str(path) for path in folder.rglob("*"))


def test_node_that_is_killed_while_it_indexes_answers_as_one_that_never_was(
    hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    api, dice = Path(shutil.copytree(template, tmp_path / "api")), random.Random(1)
    add_to(hub, api)
    options = ("--tokens", str(token_file(tmp_path, alice=())), "--port", "0", "--folder", str(tmp_path / "killed"))
    index, halves = tmp_path / "killed" / "index", 0
    with followed(hub, tmp_path, "whole") as whole:
        for number in range(KILLS):
            made = make_texts(number, dice)
            put(api, *made)
            if number % 2:
                remove(api, *made[0])
            synced(hub, tmp_path)
            whole.catch_up_now()
            before = files_of(index)
            with program(tmp_path / "serve.log", "serve", *options, "--database", hub.serving) as server:
                deadline = time.monotonic() + PATIENCE_S
                while files_of(index) == before and time.monotonic() < deadline:
                    time.sleep(0.001)  # the middle is short
                time.sleep(dice.random() * MIDDLE_S)
                server.kill()
                server.wait()
            halves += state_of(index).get("seq", 0) < whole.seq
        killed = SearchNode(hub.serving, index)
        killed.catch_up_now()
        counts = [node.engine.view().memories for node in (whole, killed)]
        for _ in range(200):
            query = HubQuery(" ".join(f"word{letter}" for letter in dice.choices("abcdefghij", k=3)))
            wanted, found = (search(node.engine.view(), node.repositories, query, now=NOW) for node in (whole, killed))
            assert found == wanted
            texts = [view.texts([one.found for one in wanted]) for view in (whole.engine.view(), killed.engine.view())]
            assert texts[0] == texts[1]
        killed.close()

    assert halves > 0  # else nothing was killed in the middle
    assert counts == [149, 149]


def family(pid: int) -> list[int]:
    """A process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


@contextlib.contextmanager
def stopped(*pids: int) -> Iterator[None]:
    """Processes that do nothing until the end of the block, like those of a machine that hangs."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("part", ["server", "worker", "sync", "database"])
def test_clients_answer_at_once_while_a_part_is_stopped_and_nothing_is_lost_or_double(
    part: str, template: Path, repo: Path, tmp_path: Path, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")
    local = Path(shutil.copytree(template, tmp_path / "local"))
    put(local, make_memory("near", "A storm near here"))
    put(repo, make_fact("port", {"exists": "new.py"}), make_memory("gust", "A retry storm"))
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(remote))
    cluster, data = make_cluster(), ("--folder", str(tmp_path / "data"))
    tokens = ("--tokens", str(token_file(tmp_path, alice=())), "--port", "0")
    try:
        with running(cluster, "synchronous_commit=on"), contextlib.ExitStack() as stack:
            hub = first_hub(cluster)
            add_to(hub, remote)

            def start(name: str, *words: str, url: str = hub.url) -> subprocess.Popen[str]:
                return stack.enter_context(program(tmp_path / f"{name}.log", *words, *data, "--database", url))

            parts = {"sync": start("sync", "sync", "--every", "1")}
            parts["worker"] = start("worker", "work", "--dead-after", "3")
            parts["server"] = start("server", "serve", *tokens, url=hub.serving)
            address = parts["server"].stdout.readline().strip()
            assert until(lambda: ask(address, "/search?q=port&status=failed", "alice-token").keys == ["port"])
            before = len(verdicts(remote))
            pid = (cluster / "data" / "postmaster.pid").read_text().split()[0]
            pids = family(int(pid) if part == "database" else parts[part].pid)
            with stopped(*pids):
                put(remote, make_memory("later", "A later storm"))
                commit_files(repo, {"new.py": "NEW = 1\n"})
                git(repo, "push", "-q", str(remote), "main")
                start_s = time.monotonic()
                client.ask(address, [("q", "storm")], token="alice-token")
                waited = time.monotonic() - start_s
                recalled = run_cli("recall", "--hub", address, "storm", cwd=local)
            code = tip(remote, "refs/heads/main")

            def is_done() -> bool:
                found = ask(address, "/search?q=storm", "alice-token")
                return found.status == 200 and len(found.keys) == 2 and code in verdicts(remote)

            assert until(is_done)
    finally:
        shutil.rmtree(cluster)

    assert waited < client.LIMIT_S + 0.1
    assert (recalled.status, "A storm near here" in recalled.out) == (0, True)
    assert len(recalled.err.splitlines()) <= 1
    assert part != "server" or "the hub was not searched: no answer within 300 ms" in recalled.err
    assert len(verdicts(remote)) == before + 1


def verdicts(remote: Path) -> list[str]:
    """The commits of the code of all verdicts that were ever pushed, each as often as there was one."""
    found = set()
    for commit in git(remote, "log", "--format=%H", "memory", "--", "verdicts").split():
        for path in git(remote, "ls-tree", "-r", "--name-only", commit, "verdicts").split():
            for facts in tomllib.loads(git(remote, "show", f"{commit}:{path}")).values():
                found |= {(one["commit"], str(one["at"])) for one in facts.values()}
    return [commit for commit, _ in found]
