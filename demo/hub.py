"""The hub, end to end: a real PostgreSQL, 50 repositories, two servers and two workers, in a scratch folder.

Run it with ``make hub-demo``. It needs PostgreSQL's programs, which listen on loopback only and run as an ordinary user
also if root starts it, and removes everything at its end.
"""

from __future__ import annotations

import base64
import glob
import hashlib
import html
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

REPOSITORIES, FACTS = 50, 10
PAUSE_S, PATIENCE_S = 0.1, 300.0
DEAD_AFTER_S = 8
NAMES = ("billing", "orders", "search", "mail", "stock", "users", "maps", "chat", "photos", "reports")
GITMEM = [sys.executable, "-P", "-m", "gitmem"]
TEAMS = f"""
[[token]]
identity = "ana"
groups = ["payments"]
sha256 = "{hashlib.sha256(b"token-of-ana").hexdigest()}"

[[token]]
identity = "ben"
groups = []
sha256 = "{hashlib.sha256(b"token-of-ben").hexdigest()}"
"""


def say(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}", flush=True)


def show(text: str) -> None:
    """Print an indented line."""
    print(f"  {text}", flush=True)


def run(*argv: str, quiet: bool = False, notes: bool = False, env: dict[str, str] | None = None) -> str:
    """Run a program, print gitmem's command lines and what they print, and return that, with or without *notes*."""
    done = subprocess.run(argv, check=False, capture_output=True, text=True, env=env)
    if not quiet:
        print(f"$ {shlex.join(['gitmem', *argv[len(GITMEM) :]] if argv[: len(GITMEM)] == tuple(GITMEM) else argv)}")
        for line in (done.stdout + done.stderr).splitlines():
            show(line)
    if done.returncode and quiet:
        raise SystemExit(f"{shlex.join(argv)}: {done.stderr}")
    return done.stdout + done.stderr if notes else done.stdout


def wait(claim: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {PATIENCE_S:.0f} seconds in vain: {what}")
        time.sleep(PAUSE_S)


def free_port() -> int:
    """Return a free port of loopback."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port: int = bound.getsockname()[1]
    return port


@contextmanager
def started(
    argv: list[str], log: Path, env: dict[str, str], how: signal.Signals = signal.SIGTERM
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs until the end of the block."""
    with (
        open(log, "wb") as file,
        subprocess.Popen(argv, stdout=file, stderr=file, env=env, start_new_session=True) as child,
    ):
        try:
            yield child
        finally:
            if child.poll() is None:
                child.send_signal(how)
            child.wait()


@contextmanager
def postgres(scratch: Path) -> Iterator[str]:
    """A PostgreSQL server on loopback; yields the start of its databases' URLs."""
    found = shutil.which("postgres")
    folders = [str(Path(found).resolve().parent)] if found else sorted(glob.glob("/usr/lib/postgresql/*/bin"))[::-1]
    folders += sorted(glob.glob("/usr/pgsql-*/bin"))[::-1]
    if not folders:
        raise SystemExit("this demo needs PostgreSQL 14 or newer: apt install postgresql")
    # PostgreSQL refuses to run as root, so root starts it as the user nobody.
    user = [] if os.getuid() else ["--reuid=65534", "--regid=65534", "--clear-groups"]
    if user or shutil.which("setpriv"):  # it ends with this demo, also if that is killed
        user = ["setpriv", "--pdeathsig=QUIT", *user, "--"]
    home = scratch / "postgres"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    data, port, env = str(home / "data"), free_port(), {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync"]
    subprocess.run(
        [*user, f"{folders[0]}/initdb", "-D", data, *options], check=True, stdout=subprocess.DEVNULL, env=env
    )
    argv = [*user, f"{folders[0]}/postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", str(home)]
    url = f"127.0.0.1:{port}"

    def answers() -> bool:
        try:
            psycopg.connect(f"postgresql://postgres@{url}/postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    with started([*argv, "-c", "fsync=off"], scratch / "postgres.log", env, signal.SIGINT):
        wait(answers, "PostgreSQL starts")
        yield url


def sql(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements, and return the rows of the last one."""
    with psycopg.connect(url, autocommit=True) as connection:
        done = [connection.execute(one) for one in statements][-1]
        return done.fetchall() if done.description else []


def make_repositories(scratch: Path) -> list[Path]:
    """Make repositories: copies of one with a fact and its verdict, each with a memory of its own."""
    first = scratch / "first"
    run("git", "init", "-q", "-b", "main", str(first), quiet=True)
    for name, value in (("user.name", "Ana Example"), ("user.email", "ana@example.org")):
        run("git", "-C", str(first), "config", name, value, quiet=True)
    (first / "config.py").write_text("PORT = 8080\n", encoding="utf-8")
    run(*GITMEM, "-C", str(first), "init", quiet=True)
    fact = (
        "fact",
        "The service listens on port 8080",
        "--contains",
        "PORT = 8080",
        "--in",
        "config.py",
        "--key",
        "port",
    )
    run("git", "-C", str(first), "add", ".", quiet=True)
    run("git", "-C", str(first), "commit", "-qm", "the service", quiet=True)
    run(*GITMEM, "-C", str(first), *fact, quiet=True)
    slow = (
        "fact",
        "The service starts",
        "--verify",
        "sleep 6 && grep -q PORT config.py",
        "--path",
        "config.py",
        "--key",
        "starts",
    )
    made = []
    for number in range(REPOSITORIES):
        if number == REPOSITORIES - 1:  # the last one has a check that takes a while, approved by a reviewed list
            run(*GITMEM, "-C", str(first), *slow, quiet=True)
            (first / ".github").mkdir()
            lines = run(*GITMEM, "-C", str(first), "trust", "--print", quiet=True)
            (first / ".github" / "gitmem-approved").write_text(lines, encoding="utf-8")
            run("git", "-C", str(first), "add", ".", quiet=True)
            run("git", "-C", str(first), "commit", "-qm", "approve the check", quiet=True)
        name = f"{NAMES[number % len(NAMES)]}-{number // len(NAMES) + 1}"
        folder = scratch / "git" / f"{name}.git"
        run("git", "clone", "-q", "--bare", str(first), str(folder), quiet=True)
        title = f"{name} retries three times, then opens the circuit"
        text = f'---\ntitle: "{title}"\nkind: gotcha\n---\nBack off for 2 seconds.\n'
        commit(folder, "memory", "gotchas/retries.md", text)
        made.append(folder)
    return made


def commit(folder: Path, branch: str, path: str, text: str) -> str:
    """Commit a file to a branch of a bare repository; return the commit."""
    data = text.encode()
    stream = b"commit refs/heads/%s\ncommitter Ben Example <ben@example.org> now\ndata 8\na change\n" % branch.encode()
    stream += b"from refs/heads/%s^0\nM 644 inline %s\ndata %d\n%s\n" % (
        branch.encode(),
        path.encode(),
        len(data),
        data,
    )
    argv = ["git", "-C", str(folder), "fast-import", "--quiet", "--date-format=now"]
    subprocess.run(argv, input=stream, check=True)
    return run("git", "-C", str(folder), "rev-parse", branch, quiet=True).strip()


def search(address: str, who: str, query: str) -> list[dict[str, str]]:
    """Ask a server, and return its hits."""
    request = urllib.request.Request(
        f"{address}/search?limit=100&q={urllib.parse.quote(query)}", headers={"Authorization": f"Bearer token-of-{who}"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        hits: list[dict[str, str]] = json.load(answer)["hits"]
    return hits


def facets(address: str, who: str, query: str) -> dict[str, list[str]]:
    """Return the values of each facet with their counts, as the page for people shows them."""
    cookie = base64.urlsafe_b64encode(f"token-of-{who}".encode()).decode()
    request = urllib.request.Request(
        f"{address}/?q={urllib.parse.quote(query)}", headers={"Cookie": f"gitmem_hub={cookie}"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        page = answer.read().decode()
    found: dict[str, list[str]] = {}
    for link, count in re.findall(r'<a href="([^"]*)">[^<]*</a> <small>([^<]*)</small>', page):
        name, value = urllib.parse.parse_qsl(urllib.parse.urlsplit(html.unescape(link)).query)[-1]
        found.setdefault(name, []).append(f"{value} {count}")
    return found


def main() -> None:
    """Play the story."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started also ends
    os.environ.update(GITMEM_PARENTS="off", GITMEM_BACKGROUND="off")
    for name in (
        "AGENT",
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CODEX_CI",
        "CODEX_SANDBOX",
        "CODEX_THREAD_ID",
    ):
        os.environ.pop(name, None)
    scratch = Path(tempfile.mkdtemp(prefix="gitmem-hub-"))
    scratch.chmod(0o755)
    os.environ.update(XDG_STATE_HOME=str(scratch / "state"), GIT_CONFIG_GLOBAL="/dev/null")
    try:
        with ExitStack() as stack:
            play(scratch, stack)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def fact_file(title: str, check: str) -> str:
    """Return the file of a fact."""
    return f'---\ntitle: "{title}"\nkind: fact\nverify: {check}\n---\n'


def sign_as(repository: Path, name: str) -> str:
    """Make a key for a person who works and signs in a repository; return their line of allowed signers."""
    key = repository.with_name(f"{name}.key")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key), quiet=True)
    settings = {"user.name": name, "user.email": f"{name}@example.org", "gpg.format": "ssh", "user.signingKey": key}
    for setting, value in settings.items():
        run("git", "-C", str(repository), "config", setting, str(value), quiet=True)
    return f'{name}@example.org namespaces="git,gitmem-verdict" {key.with_suffix(".key.pub").read_text("ascii")}'


def play_cache(scratch: Path, node: str) -> None:
    """Let a developer and then a CI job verify ten facts; one of the files changes in between."""
    service, names = scratch / "service", [f"file-{number}" for number in range(FACTS)]
    run("git", "init", "-q", "-b", "main", str(service), quiet=True)
    signers = sign_as(service, "developer")
    (service / ".github").mkdir()
    (service / ".github" / "gitmem-signers").write_text(signers, encoding="utf-8")
    for name in names:
        (service / name).write_text("x = 1\n", encoding="utf-8")
    run("git", "-C", str(service), "add", ".", quiet=True)
    run("git", "-C", str(service), "commit", "-qm", "a service", quiet=True)
    run(*GITMEM, "-C", str(service), "init", quiet=True)
    for name in names:
        text = fact_file(f"{name} sets x", f"grep -q x {name}\npaths: [{name}]")
        commit(service, "memory", f"facts/{name}.md", text)
    lines = run(*GITMEM, "-C", str(service), "trust", "--print", quiet=True)
    (service / ".github" / "gitmem-approved").write_text(lines, encoding="utf-8")
    run("git", "-C", str(service), "add", ".", quiet=True)
    run("git", "-C", str(service), "commit", "-qm", "approve the checks", quiet=True)
    job = Path(shutil.copytree(service, scratch / "job"))
    cache = dict(os.environ, GITMEM_VERDICT_CACHE=node)
    developer, ci = (dict(cache, GITMEM_VERDICT_CACHE_TOKEN=f"token-of-{who}") for who in ("ana", "ben"))
    run(*GITMEM, "-C", str(service), "verify", "--approved", ".github/gitmem-approved", env=developer)
    (job / names[0]).write_text("x = 2\n", encoding="utf-8")
    run("git", "-C", str(job), "commit", "-qam", "another value", quiet=True)
    judged = run(*GITMEM, "-C", str(job), "verify", "--approved", ".github/gitmem-approved", notes=True, env=ci)
    if f"{FACTS - 1} of {FACTS} verdicts came from the cache" not in judged:
        raise SystemExit("this is wrong")


def settle(url: str, left: str) -> None:
    """Sync and let the workers do all that is due, until nothing is."""
    for _ in range(3):  # verdicts that are pushed may make others due
        run(*GITMEM, "hub", "sync", quiet=True)
        wait(lambda: sql(url, left) == [(0,)], "the jobs end")


def play(scratch: Path, stack: ExitStack) -> None:
    """Play the story in a scratch folder; what it starts ends with the stack."""
    start = time.monotonic()
    say("1. A PostgreSQL on loopback, and 50 repositories")
    server = stack.enter_context(postgres(scratch))
    admin, url = f"postgresql://postgres@{server}/postgres", f"postgresql://hub@{server}/hub"
    sql(admin, "CREATE ROLE hub LOGIN CREATEROLE", "CREATE DATABASE hub OWNER hub")
    os.environ["GITMEM_HUB_DATABASE"] = url
    repositories = make_repositories(scratch)
    run(*GITMEM, "hub", "init")
    sql(admin, "CREATE ROLE hub_server LOGIN NOINHERIT IN ROLE gitmem_reader, gitmem_follower")
    *public, secret, slow = map(str, repositories)
    client = (
        f'---\ntitle: "The client sends to port 8080"\nkind: gotcha\nrequires: [git/{repositories[0].stem}:port]\n---\n'
    )
    commit(repositories[1], "memory", "gotchas/client.md", client)
    run(*GITMEM, "hub", "add", *public, slow, "--reader", "everyone", quiet=True)
    show(f"gitmem hub add … --reader everyone: {len(public) + 1} repositories")
    run(*GITMEM, "hub", "add", secret, "--team", "@payments")
    run(*GITMEM, "hub", "sync", quiet=True)
    run(*GITMEM, "hub", "status")

    say("2. Two servers, each with an index of its own: the same search, the same answer")
    tokens = scratch / "tokens.toml"
    tokens.write_text(TEAMS, encoding="utf-8")
    serving = dict(os.environ, GITMEM_HUB_DATABASE=f"postgresql://hub_server@{server}/hub")
    logs = [scratch / f"server-{number}.log" for number in (1, 2)]
    for log in logs:
        argv = [*GITMEM, "hub", "serve", "--port", "0", "--tokens", str(tokens), "--folder", str(log.with_suffix(""))]
        stack.enter_context(started(argv, log, serving))
    for log in logs:
        wait(lambda log=log: "http://" in log.read_text(), f"a server starts: {log.read_text()}")
    nodes = [log.read_text().split()[0] for log in logs]
    for node in nodes:
        wait(lambda node=node: len(search(node, "ana", "retries circuit")) >= REPOSITORIES, "the index is complete")
    first, second = (search(node, "ana", "retries circuit") for node in nodes)
    show(f"ana asks for “retries circuit”: {len(first)} hits, the same on both servers: {first == second}")
    for hit in first[:3]:
        show(f"  {hit['repository']}: {hit['title']}")

    say("3. Who may see what: one repository belongs to the team payments, and ben is not in it")
    name = f"git/{Path(secret).stem}"
    for who in ("ana", "ben"):
        hits = search(nodes[1], who, "retries circuit")
        seen = any(hit["repository"] == name for hit in hits)
        show(f"{who}: {len(hits)} hits, {name} {'is' if seen else 'is not'} among them")
        if seen != (who == "ana"):
            raise SystemExit("this is wrong")

    say("4. Two workers verify what is due")
    workers = []
    for number in (1, 2):
        log, folder = scratch / f"worker-{number}.log", scratch / f"worker-{number}"
        argv = [*GITMEM, "hub", "work", "--dead-after", str(DEAD_AFTER_S), "--folder", str(folder)]
        workers.append((stack.enter_context(started(argv, log, dict(os.environ))), log, folder))
    left = "SELECT count(*) FROM public.procrastinate_jobs"
    wait(lambda: sql(url, left) == [(0,)], "all repositories are verified")
    run(*GITMEM, "hub", "sync", quiet=True)
    for number, (_, log, _) in enumerate(workers, 1):
        lines = log.read_text().splitlines()
        show(f"worker {number} verified {len(lines)} repositories, the last one: {lines[-1] if lines else ''}")

    say("5. A commit makes a fact false; a worker finds it, and pushes the verdict to that repository")
    broken = repositories[0]
    culprit = commit(broken, "main", "config.py", "PORT = 9090\n")
    show(f"{broken.name}: a commit {culprit[:12]} changes the port")
    before = run("git", "-C", str(broken), "rev-parse", "memory", quiet=True)
    run(*GITMEM, "hub", "sync")
    wait(lambda: run("git", "-C", str(broken), "rev-parse", "memory", quiet=True) != before, "the verdict is pushed")
    run("git", "-C", str(broken), "log", "-1", "--format=%an: %s", "memory")
    wait(lambda: sql(url, left) == [(0,)], "the job ends")
    run(*GITMEM, "hub", "sync", quiet=True)

    def failed(node: str) -> list[str]:
        return [
            hit["repository"] for hit in search(node, "ben", "service listens port 8080") if hit["status"] == "failed"
        ]

    wait(lambda: all(failed(node) for node in nodes), "both servers know it")
    show(f"both servers now show the fact as failed in: {', '.join(failed(nodes[0]))}")

    say("6. A memory of another repository requires that fact: it is suspect, and its cause has a name")
    asks = dict(os.environ, GITMEM_HUB_TOKEN="token-of-ben")
    where = ("-C", str(scratch / "first"), "show", f"git/{repositories[1].stem}:client", "--hub", nodes[0])
    if "rests on" not in run(*GITMEM, *where, env=asks):
        raise SystemExit("this is wrong")

    say("7. The page for people, with facets: which facts have failed, in any repository?")
    counted = facets(nodes[0], "ben", "service listens port 8080")
    for facet, values in counted.items():
        show(f"{facet}: {', '.join(values[:4])}{', …' * (len(values) > 4)}")
    if "failed 1" not in counted.get("status", []):
        raise SystemExit("this is wrong")

    say("8. A fact compares a port here with one there; the other repository changes it, and this one is judged")
    reader, owner = repositories[2], repositories[3]
    value = "{value: 'config.py#PORT', is: '%s'}"
    commit(owner, "memory", "facts/number.md", fact_file("The port is stated once", value % "8080"))
    agree = f"{{agree: ['config.py#PORT', 'git/{owner.stem}:number']}}"
    commit(reader, "memory", "facts/same-port.md", fact_file("The port is that of the other service", agree))
    settle(url, left)
    commit(owner, "main", "config.py", "PORT = 6060\n")
    commit(owner, "memory", "facts/number.md", fact_file("The port is stated once", value % "6060"))
    settle(url, left)
    where = ("-C", str(scratch / "first"), "show", f"git/{reader.stem}:same-port", "--hub", nodes[0])
    if "failed" not in run(*GITMEM, *where, env=asks):
        raise SystemExit("this is wrong")

    say("9. The verdict cache: a developer verifies, then a CI job, for which one of ten files has changed")
    if shutil.which("ssh-keygen"):
        play_cache(scratch, nodes[0])
    else:
        show("ssh-keygen is not installed, so verdicts cannot be signed")

    say("10. A worker is killed in the middle of a check; the other one does its job")
    commit(repositories[-1], "main", "config.py", "PORT = 7070\n")
    run(*GITMEM, "hub", "sync", quiet=True)
    running = "SELECT worker_id FROM public.procrastinate_jobs WHERE status = 'doing'"
    wait(lambda: sql(url, running), "a worker takes the job")
    time.sleep(3)
    taker = sql(url, running)
    number = 0 if taker == sql(url, "SELECT min(id) FROM public.procrastinate_workers") else 1
    process, _, _ = workers[number]
    before_kill = len(workers[1 - number][1].read_text().splitlines())
    process.kill()
    show(f"kill -9 of worker {number + 1}; its jobs go to others after {DEAD_AFTER_S} seconds without a sign of life")
    wait(lambda: sql(url, left) == [(0,)], "the other worker does the job")
    wait(lambda: len(workers[1 - number][1].read_text().splitlines()) > before_kill, "it says so")
    show(f"worker {2 - number}: {workers[1 - number][1].read_text().splitlines()[-1]}")
    run(*GITMEM, "hub", "sync", quiet=True)
    run(*GITMEM, "hub", "status")
    say(f"Done in {time.monotonic() - start:.0f} seconds; everything is removed.")


if __name__ == "__main__":
    main()
