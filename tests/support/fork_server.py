"""Run commands as processes of their own that are forked from one which has gitmem loaded already.

Each is a real process with its own descriptors, session, folder and environment; only the interpreter's start and the
imports are saved, which is most of what a short command costs, and the probes of this machine's sandbox and tracer.
Where these matter (locales, Python's variables, what is imported), a test starts the console script itself.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import sysconfig
import tempfile

HEADER = struct.Struct(">I")
# What loads large libraries (Textual, MCP's, NumPy, psycopg): a fork copies the page table of all that is loaded.
LEFT_OUT = (
    *("gitmem.cli.browse", "gitmem.hub.", "gitmem.mcp", "gitmem.plugins.board.mcp", "gitmem.commands.embed"),
    *("gitmem.index.embed", "gitmem.index.vectors", "gitmem.index.whoosh"),
    *("gitmem.recall.by_syntax", "gitmem.recall.semantic", "gitmem.repository.query_vectors"),
)
AS_ANA = ("git", "-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgSign=false")
# Commands that go through most of what others use too.
WARMING = (
    ("init",),
    ("remember", "The gateway drops idle connections"),
    ("fact", "There is no README", "--absent", "README.md"),
    *((name,) for name in ("verify", "list", "status", "context", "doctor", "log")),
    ("recall", "gateway"),
    ("show", "there-is-no-readme"),
)


def run_forked(
    argv: list[str], cwd: str | bytes, env: dict[str, str], *, timeout: float, stdin: bytes = b"", inside: int = 0
) -> tuple[int, bytes, bytes]:
    """Run one command of gitmem without a terminal and return its status and what it printed.

    Args:
        argv: The command's words.
        cwd: Its folder.
        env: Its environment.
        timeout: Seconds.
        stdin: What stands on its standard input.
        inside: A process whose user and mount namespaces it enters first, as nsenter(1) does; 0 for ours.

    Raises:
        subprocess.TimeoutExpired: It took too long; it was killed.
    """
    server = _server()
    with tempfile.TemporaryFile() as stdin_text, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin_text.write(stdin)
        stdin_text.flush()
        descriptors = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (stdin_text, out, err)]
        _send(server.stdin, (argv, cwd, env, descriptors, inside))
        pid = _receive(server.stdout)
        if not select.select([server.stdout], [], [], timeout)[0]:
            os.killpg(pid, signal.SIGKILL)
            _receive(server.stdout)
            raise subprocess.TimeoutExpired(argv, timeout)
        status = _receive(server.stdout)
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


@functools.cache
def _server() -> subprocess.Popen[bytes]:
    argv = [sys.executable, __file__]
    server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    atexit.register(server.kill)
    return server


def _send(file, value) -> None:
    data = pickle.dumps(value)
    file.write(HEADER.pack(len(data)) + data)
    file.flush()


def _receive(file):
    (size,) = HEADER.unpack(_exactly(file, HEADER.size))
    return pickle.loads(_exactly(file, size))


def _exactly(file, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _load(name: str) -> None:
    """Import a package with its modules, but for what is left out, of which pkgutil.walk_packages imports packages."""
    import pkgutil
    from importlib import import_module

    for module in pkgutil.iter_modules(import_module(name).__path__, f"{name}."):
        if module.name.startswith(LEFT_OUT):
            continue
        if module.ispkg:
            _load(module.name)
        else:
            import_module(module.name)


def _serve() -> None:
    _load("gitmem")
    _warm()
    _probe()
    gc.freeze()
    requests, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    while True:
        try:
            argv, cwd, env, descriptors, inside = _receive(requests)
        except EOFError:
            return
        pid = os.fork()
        if pid == 0:
            requests.close()
            answers.close()
            _become(argv, cwd, env, descriptors, inside)
        _send(answers, pid)
        _send(answers, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _probe() -> None:
    """Find out what works for checks on this machine, as the first command of each test would: 0.1 s (measured)."""
    from gitmem.verify.run import evidence
    from gitmem.verify.sandbox import sandbox, starter

    plain = os.environ["PATH"]
    for path in (plain, f"{sysconfig.get_path('scripts')}{os.pathsep}{plain}"):
        for rung in sandbox.ladder():
            sandbox.why_not(rung, path)
        evidence.find_tracer(path, sandbox.probe(path))
    starter.close()


def _warm() -> None:
    """Do once what the first command of a process does: patterns, tables, probes; two thirds of its CPU (measured)."""
    from gitmem import cli

    here, outputs = os.getcwd(), [os.dup(1), os.dup(2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        subprocess.run([*AS_ANA, "-C", folder, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
        os.environ.update(XDG_STATE_HOME=folder, XDG_DATA_HOME=folder)
        os.chdir(folder)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        for words in WARMING:
            cli.main(list(words))
        os.chdir(here)
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)


def _become(argv: list[str], cwd: str | bytes, env: dict[str, str], descriptors: list[str], inside: int) -> None:
    from gitmem.__main__ import script

    try:
        os.setsid()
        os.dup2(os.open(descriptors[0], os.O_RDONLY), 0)
        for number, place in enumerate(descriptors[1:], 1):
            os.dup2(os.open(place, os.O_WRONLY | os.O_APPEND), number)
        os.closerange(3, 64)
        if inside:
            _enter(inside)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = ["gitmem", *argv]
        script()
    except SystemExit as end:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code or 0)
    finally:
        os._exit(70)


def _enter(pid: int) -> None:
    """Enter the user and mount namespaces of a process (setns(2); Python has it from 3.12 on)."""
    libc = ctypes.CDLL(None, use_errno=True)
    for name in ("user", "mnt"):
        if libc.setns(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY), 0):
            raise OSError(ctypes.get_errno(), "setns")


if __name__ == "__main__":
    _serve()
