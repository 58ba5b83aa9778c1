"""Build bare machines and run ``make demo`` and the tests of the lower layers on each: ``make bare``.

    PYTHONPATH=tests python -m bare.run                      all machines
    PYTHONPATH=tests python -m bare.run plain bookworm-user  some of them
    PYTHONPATH=tests python -m bare.run --tests tests        all tests instead of those of the lower layers

Needs root, and may take packages: systems by debootstrap, from where this machine's own apt gets them, and what gitmem
depends on by this machine's pip configuration. What is built stays in build/bare. Ends with a table. Exit status: 0 all
passed, 1 one did not, 2 wrong use, 3 none could be made here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bare.enter import LEFT_SOMETHING, Plan
from bare.machines import MACHINES, PACKAGES, READ_ONLY, THIS, TOOLS, UNSET, Machine

PROJECT = Path(__file__).resolve().parents[2]
BUILT = PROJECT / "build" / "bare"
ENTER = Path(__file__).with_name("enter.py")
# Where the project is on a machine that is not this one.
THERE = "/srv/gitmem"
LOWER_LAYERS = " ".join(f"tests/{name}" for name in ("document", "policy", "text", "system", "git", "store", "verify"))
IMPOSSIBLE = 3
PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Variables for certificates that programs trust.
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
SUMMARY = re.compile(r"^=* ?(\d.*) in [\d.]+s")


class ImpossibleError(Exception):
    """A machine cannot be made here."""


@dataclass
class Outcome:
    """What a machine showed.

    Attributes:
        machine: The machine.
        columns: Words for the table by column.
        is_good: Whether all passed; None if the machine could not be made.
    """

    machine: Machine
    columns: dict[str, str]
    is_good: bool | None


def main(argv: Sequence[str]) -> int:
    """Run the machines that the command line names and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MACHINE", help=", ".join(one.name for one in MACHINES))
    parser.add_argument("--tests", default=LOWER_LAYERS, metavar="WORDS", help="the arguments of pytest, as one word")
    parser.add_argument("--no-demo", action="store_true", help="leave `make demo` out")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes that run tests")
    args = parser.parse_args(argv)
    known = {one.name: one for one in MACHINES}
    if unknown := set(args.names) - set(known):
        parser.error(f"unknown machine: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if why := why_impossible():
        print(f"bare machines cannot be made here: {why}", file=sys.stderr)
        return IMPOSSIBLE
    outcomes = []
    for machine in [known[name] for name in args.names] or MACHINES:
        print(f"\n--- {machine.name}: {machine.describe()}", flush=True)
        outcomes.append(try_machine(machine, args))
    print("\n" + format_table(outcomes))
    if any(one.is_good is False for one in outcomes):
        return 1
    return 0 if any(one.is_good for one in outcomes) else IMPOSSIBLE


def why_impossible() -> str:
    """Return why this machine cannot make bare machines, or an empty string."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "it takes root on Linux"
    if not (PROJECT / ".git").exists():
        return "it takes a clone of the repository"
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", "mount -t tmpfs none /mnt; mount -t proc none /mnt"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def try_machine(machine: Machine, args: argparse.Namespace) -> Outcome:
    """Run the demo and the tests on a machine."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILT) as scratch:
        try:
            plan = make_plan(machine, Path(scratch))
        except ImpossibleError as err:
            print(f"cannot be made here: {err}")
            return Outcome(machine, {"tests": f"not possible here: {err}"}, None)
        columns = {"python": read_version(plan)}
        statuses = []
        if not args.no_demo:
            statuses.append(run_step(machine, plan, "demo", ["make", "demo"], columns))
        words = f"-n {args.workers} -q {args.tests}"
        statuses.append(run_step(machine, plan, "tests", ["make", "test", f"ARGS={words}"], columns))
    return Outcome(machine, columns, not any(statuses))


def make_plan(machine: Machine, scratch: Path) -> Plan:
    """Return the plan of a machine, without a command; its system and its .venv are built unless they are there.

    Raises:
        ImpossibleError: They cannot be had here.
    """
    is_here = machine.system == THIS
    project = scratch / "project"
    copy_project(project)
    at = str(PROJECT) if is_here else THERE
    root = scratch / "root"
    root.mkdir()
    env = {"PATH": PATHS, "LANG": "C.UTF-8", "PYTHON": "python3"}
    shown = [(str(project), at, True)]
    if is_here and not machine.python:
        prefix, venv = sys.base_prefix, PROJECT / ".venv"
    else:
        prefix, venv = find_prefix(machine.python) if is_here else "", BUILT / f"{machine.place}-venv"
    if prefix and not prefix.startswith("/usr"):
        shown.append((prefix, prefix, False))
        env["PATH"] = f"{prefix}/bin:{env['PATH']}"
    if prefix:
        env["PYTHON"] = f"{prefix}/bin/python3"
    home = "/home/someone" if machine.user else "/root"
    plan = Plan(
        root=str(root),
        system="/" if is_here else str(install_system(machine.system)),
        hidden=list(TOOLS),
        shown=shown,
        user=machine.user,
        namespaces=machine.namespaces,
        landlock=machine.landlock,
        shm=machine.shm,
        home=machine.home != READ_ONLY,
        folder=at,
        env=env if machine.home == UNSET else {**env, "HOME": home},
        argv=[],
    )
    if venv != PROJECT / ".venv":
        install_venv(plan, venv)
    for place in project.rglob("*"):
        os.chown(place, machine.user, machine.user, follow_symlinks=False)
    os.chown(project, machine.user, machine.user)
    return replace(plan, shown=[*shown, (str(venv), f"{at}/.venv", False)])


def copy_project(project: Path) -> None:
    """Copy what git tracks here, as it is in the work tree, with the history."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(project)], check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    )
    wanted = {os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}
    for name in sorted(wanted):
        source, target = PROJECT / name, project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if source.is_symlink() or source.is_file():
            shutil.copy2(source, target, follow_symlinks=False)
    os.utime(project / "pyproject.toml", (0, 0))  # older than .venv, which is not made again
    (project / ".venv").mkdir()


def find_prefix(version: str) -> str:
    """Return the folder in which a version of Python is installed.

    Raises:
        ImpossibleError: There is none.
    """
    name = f"python{version}"
    places = [shutil.which(name), *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/{name}")))]
    for place in filter(None, places):
        asked = "import sys, ensurepip, venv; print(sys.base_prefix)"
        done = subprocess.run([place, "-c", asked], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    raise ImpossibleError(f"no {name} here")


def install_system(release: str) -> Path:
    """Return the folder of a release with ``PACKAGES`` alone; debootstrap(8) makes it once, in a minute.

    Raises:
        ImpossibleError: It cannot be installed here.
    """
    folder = BUILT / release
    if folder.is_dir():
        return folder
    if shutil.which("debootstrap") is None:
        raise ImpossibleError("debootstrap is not installed")
    sites = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True, check=False
    ).stdout.split()
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    argv = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    argv += ["--components=main,universe", release, str(part), *sites[:1]]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    (BUILT / f"{release}.log").write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        shutil.rmtree(part, ignore_errors=True)
        raise ImpossibleError(f"debootstrap {release}: {done.stdout.strip().rpartition(chr(10))[2]}")
    (part / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n", encoding="ascii")
    (part / "etc/resolv.conf").touch()
    part.rename(folder)
    return folder


def install_venv(plan: Plan, venv: Path) -> None:
    """Install what the project needs into a .venv, on the machine as root, unless it is there.

    Raises:
        ImpossibleError: It cannot be installed.
    """
    stamp = venv / ".made-for"
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = json.dumps([project["dependencies"], project["optional-dependencies"]])
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(venv, ignore_errors=True)
    venv.mkdir()
    env, shown = read_pip_settings()
    machine = replace(
        plan,
        user=0,
        landlock=True,
        namespaces=True,
        home=True,
        env={**env, **plan.env, "HOME": "/root"},
        shown=[*plan.shown, *shown, (str(venv), f"{plan.folder}/.venv", True)],
        # .venv is a mount, and exists: without its stamp it is made.
        argv=["make", ".venv/.installed", f"PYTHON={plan.env['PYTHON']}"],
    )
    done = enter(machine, venv.with_suffix(".log"))
    if done not in (0, LEFT_SOMETHING):
        raise ImpossibleError(f"its .venv cannot be made: {venv.with_suffix('.log')}")
    stamp.write_text(wanted, encoding="utf-8")


def read_pip_settings() -> tuple[dict[str, str], list[tuple[str, str, bool]]]:
    """Return this machine's settings of pip as variables, and the files that they name, and that the network needs."""
    done = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    env = {name: os.environ[name] for name in CERTIFICATES if name in os.environ}
    for line in done.stdout.splitlines():
        name, _, value = line.partition("=")
        env["PIP_" + name.rpartition(".")[2].replace("-", "_").upper()] = value.strip("'")
    words = [word for value in env.values() for word in value.split()]
    # The pages of an index in a folder link to files beside it.
    paths = {str(Path(word.removeprefix("file://")).parent) if word.startswith("file://") else word for word in words}
    places = ["/etc/resolv.conf", *sorted(paths)]
    return env, [(place, place, False) for place in places if place.startswith("/") and Path(place).exists()]


def read_version(plan: Plan) -> str:
    """Return the version of the Python that runs gitmem on a machine."""
    with tempfile.TemporaryDirectory(dir=BUILT) as folder:
        log = Path(folder, "log")
        script = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
        enter(replace(plan, argv=[".venv/bin/python", "-c", script]), log)
        return log.read_text(encoding="utf-8").strip().rpartition("\n")[2]


def run_step(machine: Machine, plan: Plan, name: str, argv: list[str], columns: dict[str, str]) -> int:
    """Run a command on a machine, fill in its column, and return its exit status; its output is in a file."""
    log = BUILT / f"{machine.name}-{name}.log"
    began = time.monotonic()
    status = enter(replace(plan, argv=argv), log)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    counted = next((found[1] for line in reversed(lines) if (found := SUMMARY.match(line))), "")
    said = counted or ("passed" if status == 0 else f"exit {status}")
    if status == LEFT_SOMETHING:
        said += f", {lines[-1]}"
    columns[name] = f"{said} ({time.monotonic() - began:.0f} s)"
    print(f"{name}: {columns[name]}, {log}", flush=True)
    if status:
        print("\n".join(line for line in lines if line.startswith(("FAILED", "ERROR"))) or "\n".join(lines[-40:]))
    return status


def enter(plan: Plan, log: Path) -> int:
    """Run a plan's command, with its output in a file, and return its exit status."""
    with tempfile.NamedTemporaryFile("w", dir=log.parent, encoding="utf-8") as file, log.open("wb") as out:
        json.dump(asdict(plan), file)
        file.flush()
        argv = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", sys.executable, str(ENTER), file.name]
        return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False).returncode


def format_table(outcomes: Sequence[Outcome]) -> str:
    """Return what the machines showed, a line for each."""
    titles = ("machine", "python", "demo", "tests")
    rows = [titles]
    for one in outcomes:
        mark = {True: "ok", False: "FAILED", None: "-"}[one.is_good]
        rows.append((f"{mark:6} {one.machine.name}", *(one.columns.get(title, "-") for title in titles[1:])))
    widths = [max(len(row[at]) for row in rows) for at in range(len(titles))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *(f"{one.machine.name}: {one.machine.describe()}" for one in outcomes)])


if __name__ == "__main__":
    # `timeout` ends us like this: as an exception it also ends the machine, which unshare would keep.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
