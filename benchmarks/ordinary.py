"""Judge checks of ordinary projects: kinds of check × environment there, missing or changed × breaks by code.

    python -m benchmarks.ordinary                      every kind that this machine has the tools for
    python -m benchmarks.ordinary --only npm-test

Each kind is a small project with one fact that holds. Where its ignored folder of dependencies is missing or changed
and the code is not the cause, the fact may be blocked and never failed. Where a commit deletes its script, makes it
crash or hang, or breaks an assertion, it must fail and not be blocked. Kinds that do not hold here to begin with are
reported as skipped, with the reason. Exit status: 0 all as expected, 1 something was accused wrongly or excused.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.options import Options

# Seconds after which a check that hangs is stopped; compilers and tox take several where the machine is busy.
TIMEOUT_S = 20
SLOW, SLOW_TIMEOUT_S = ("cargo-test", "go-test", "tox", "tsc"), 60
EXPECTED = {"there": ("holds",), "missing": ("blocked",), "changed": ("blocked", "holds")}


@dataclass(frozen=True)
class Kind:
    """One kind of check.

    Attributes:
        name: Its name.
        check: The command.
        files: The project's files; a path that begins with ``#!`` content is executable.
        dependency: What is in the ignored folder of dependencies.
        folder: That folder.
        breaks: Files that a commit changes so that the check no longer holds, by name; None deletes one.
        install: The command that installs into the folder before the rest is written; empty for none.
    """

    name: str
    check: str
    files: Mapping[str, str]
    folder: str
    dependency: Mapping[str, str]
    breaks: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    install: str = ""


PACKAGE = '{"name": "app", "version": "1.0.0", "scripts": {"test": "node test.js"}}\n'
NODE_TEST = 'const one = require("one");\nif (one.value + require("./app").value !== 3) throw new Error("not 3");\n'
ONE = {"one/index.js": "exports.value = 1;\n", "one/package.json": '{"name": "one", "version": "1.0.0"}\n'}
NODE = {"package.json": PACKAGE, "test.js": NODE_TEST, "app.js": "exports.value = 2;\n"}
NODE_BREAKS: dict[str, dict[str, str | None]] = {
    "script deleted": {"test.js": None},
    "crash": {"app.js": "process.kill(process.pid, 'SIGSEGV');\n"},
    "hang": {"app.js": "exports.value = 2;\nsetInterval(() => {}, 1000);\n"},
    "syntax error": {"app.js": "exports.value = = 2;\n"},
    "assertion": {"app.js": "exports.value = 3;\n"},
    "dependency removed": {"test.js": NODE_TEST.replace('"one"', '"two"')},
}
VENDOR = {"one.sh": "one=1\n"}
SHELL = "#!/bin/sh\nset -eu\n. ./vendor/one.sh\n. ./app.sh\n[ $((one + app)) -eq 3 ]\n"
SHELL_FILES = {"check.sh": SHELL, "app.sh": "app=2\n"}
SHELL_BREAKS: dict[str, dict[str, str | None]] = {
    "script deleted": {"check.sh": None},
    "crash": {"app.sh": "kill -SEGV $$\n"},
    "hang": {"app.sh": "sleep 1000\n"},
    "syntax error": {"app.sh": "if\n"},
    "assertion": {"app.sh": "app=3\n"},
    "interpreter gone": {"check.sh": SHELL.replace("/bin/sh", "/opt/no/such/sh")},
}
PYTHON_BREAKS: dict[str, dict[str, str | None]] = {
    "crash": {"app.py": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"},
    "hang": {"app.py": "import time\ntime.sleep(1000)\n"},
    "syntax error": {"app.py": "value = = 2\n"},
    "assertion": {"app.py": "value = 3\n"},
}
SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
TEST = "import one\nfrom app import value\n\n\ndef test_app():\n    assert one.value + value == 3\n"
VENV = f"{sys.executable} -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check "
TOX = "[testenv]\nskip_install = true\ncommands = python check.py\n"
SCRIPT = "import sys\n\nsys.path.insert(0, 'vendor')\nimport app, one\n\nassert one.value + app.value == 3\n"
CARGO = (
    '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\none = { path = "vendor/one" }\n'
)
RUST = "pub fn value() -> i32 { one::value() + 2 }\n\n#[test]\nfn adds() { assert_eq!(value(), 3); }\n"
GO_MOD = "module app\n\ngo 1.18\n\nrequire example.org/one v1.0.0\n"
GO = 'package app\n\nimport "example.org/one"\n\nfunc Value() int { return one.Value() + 2 }\n'
GO_TEST = (
    'package app\n\nimport "testing"\n\n'
    'func TestValue(t *testing.T) {\n\tif Value() != 3 {\n\t\tt.Fatal("not 3")\n\t}\n}\n'
)
TSC = 'import { value } from "one";\nexport const sum: number = value + 2;\n'
TS_CONFIG = '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "files": ["app.ts"]}\n'
PERL = 'use lib "vendor"; use One; do "./app.pl"; die "not 3" if $One::one + $main::app != 3;\n'
KINDS = (
    Kind("npm-test", "npm test --silent", NODE, "node_modules", ONE, NODE_BREAKS),
    Kind("node-script", "node test.js", NODE, "node_modules", ONE, NODE_BREAKS),
    Kind(
        "npx-tool",
        "npx --no-install one",
        NODE,
        "node_modules",
        {".bin/one": "#!/usr/bin/env node\nrequire(process.cwd() + '/test.js');\n", **ONE},
        NODE_BREAKS,
    ),
    Kind(
        "npx-asks",
        "npx one",
        NODE,
        "node_modules",
        {".bin/one": "#!/usr/bin/env node\nrequire(process.cwd() + '/test.js');\n", **ONE},
        {"assertion": NODE_BREAKS["assertion"]},
    ),
    Kind("shell-script", "./check.sh", SHELL_FILES, "vendor", VENDOR, SHELL_BREAKS),
    Kind(
        "shell-line",
        ". ./vendor/one.sh && sh check.sh",
        SHELL_FILES,
        "vendor",
        VENDOR,
        {name: files for name, files in SHELL_BREAKS.items() if name != "interpreter gone"},  # sh names its own
    ),
    Kind(
        "make",
        "make -s test",
        {"Makefile": "test:\n\t./check.sh\n", **SHELL_FILES},
        "vendor",
        VENDOR,
        {**SHELL_BREAKS, "target removed": {"Makefile": "other:\n\ttrue\n"}},
    ),
    Kind(
        "python-script",
        "python3 check.py",
        {"check.py": SCRIPT, "app.py": "value = 2\n"},
        "vendor",
        {"one.py": "value = 1\n"},
        {
            **PYTHON_BREAKS,
            "script deleted": {"check.py": None},
            "dependency removed": {"check.py": SCRIPT.replace("app, one", "app, one, two")},
        },
    ),
    Kind(
        "pytest",
        "pytest -q -p no:cacheprovider test_app.py",
        {"test_app.py": TEST, "app.py": "value = 2\n"},
        ".venv",
        {f"{SITE}/one.py": "value = 1\n"},
        {
            **PYTHON_BREAKS,
            "script deleted": {"test_app.py": None},
            "dependency removed": {"app.py": "import two\n\nvalue = 2\n"},
            "plugin not there": {"pytest.ini": "[pytest]\naddopts = --no-such-plugin\n"},
        },
        f"{VENV} pytest",
    ),
    Kind(
        "tox",
        "tox -q -c tox.ini",  # without -c, tox 4 passes where it finds no configuration
        {
            "tox.ini": TOX,
            "check.py": SCRIPT.replace("one.value", "1").replace("app, one", "app"),
            "app.py": "value = 2\n",
        },
        ".venv",
        {},
        {
            **PYTHON_BREAKS,
            "script deleted": {"check.py": None},
            "configuration deleted": {"tox.ini": None},
            "dependency not there": {"tox.ini": f"{TOX}deps = no-such-package\n"},
        },
        f"{VENV} tox",
    ),
    Kind(
        "perl-script",
        "perl check.pl",
        {
            "check.pl": PERL,
            "app.pl": "$main::app = 2;\n",
        },
        "vendor",
        {"One.pm": "package One; our $one = 1; 1;\n"},
        {
            "script deleted": {"check.pl": None},
            "crash": {"app.pl": "kill 'SEGV', $$;\n"},
            "hang": {"app.pl": "sleep 1000;\n"},
            "assertion": {"app.pl": "$main::app = 3;\n"},
            "syntax error": {"check.pl": f"{PERL}if (\n"},
            "dependency removed": {"check.pl": f"use Two;\n{PERL}"},
        },
    ),
    Kind(
        "cargo-test",
        "cargo test --offline --quiet",
        {"Cargo.toml": CARGO, "src/lib.rs": RUST},
        "vendor",
        {
            "one/Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
            "one/src/lib.rs": "pub fn value() -> i32 { 1 }\n",
        },
        {
            "assertion": {"src/lib.rs": RUST.replace("+ 2", "+ 3")},
            "syntax error": {"src/lib.rs": "pub fn (\n"},
            "crash": {"src/lib.rs": RUST.replace("{ a", "{ std::process::abort(); a")},
            "hang": {"src/lib.rs": RUST.replace("{ a", "{ loop {} a")},
            "script deleted": {"src/lib.rs": None},
            "dependency removed": {"Cargo.toml": CARGO.replace("one =", "#")},
            "dependency not there": {"Cargo.toml": CARGO.replace("vendor/one", "vendor/two")},
        },
    ),
    Kind(
        "go-test",
        "go test ./...",
        {"app.go": GO, "go.mod": GO_MOD, "app_test.go": GO_TEST},
        "vendor",
        {
            "example.org/one/one.go": "package one\n\nfunc Value() int { return 1 }\n",
            "modules.txt": "# example.org/one v1.0.0\n## explicit\nexample.org/one\n",
        },
        {
            "assertion": {"app.go": GO.replace("+ 2", "+ 3")},
            "syntax error": {"app.go": "package app\n\nfunc (\n"},
            "crash": {"app.go": GO.replace("{ return", '{ panic("gone"); return')},
            "hang": {"app.go": GO.replace("{ return", "{ select {}; return")},
            "script deleted": {"go.mod": None},
            "dependency removed": {"go.mod": "module app\n\ngo 1.18\n"},
            "dependency not there": {"app.go": GO.replace("example.org/one", "example.org/two")},
        },
    ),
    Kind(
        "tsc",
        "npx --no-install tsc -p .",
        {"app.ts": TSC, "tsconfig.json": TS_CONFIG},
        "node_modules",
        {
            "one/index.d.ts": "export declare const value: number;\n",
            "one/package.json": '{"name": "one", "version": "1.0.0", "types": "index.d.ts"}\n',
        },
        {
            "assertion": {"app.ts": TSC.replace(": number", ": string")},
            "syntax error": {"app.ts": "const = = 2;\n"},
            "script deleted": {"app.ts": None},
            "configuration deleted": {"tsconfig.json": None},
            "dependency removed": {"app.ts": TSC.replace('"one"', '"two"')},
        },
        "npm install --silent --no-save typescript@5",
    ),
)


class Project:
    """A repository with one fact, whose verdict is asked case by case."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        self._clock = time.time()
        folder.mkdir()
        run_git(folder, "init", "-q", "-b", "main")
        for name, value in {"user.name": "Ordinary", "user.email": "ordinary@localhost"}.items():
            run_git(folder, "config", name, value)
        self._write({**kind.files, ".gitignore": f"/{kind.folder}\n/target\n"})
        if kind.install:
            subprocess.run(["sh", "-ec", kind.install], cwd=folder, check=True)
        self._write({f"{kind.folder}/{path}": text for path, text in kind.dependency.items()})
        self._commit("project")

    def open(self) -> Memory:
        """Return its memory; each time is later than the one before."""
        self._clock += 1
        return Memory(self.folder, clock=lambda: self._clock)

    def begin(self) -> str:
        """Write the fact and judge it; return why it does not hold here, or an empty string."""
        with self.open() as memory:
            memory.init(offline=True)
            timeout_s = SLOW_TIMEOUT_S if self.kind.name in SLOW else TIMEOUT_S
            memory.fact("the check holds", key="check", verify=self.kind.check, timeout=f"{timeout_s}s", unproven=True)
            for due in memory.repository.commands():
                approve_command(memory.repository, due)
        outcome, reason = self.judge()
        return "" if outcome == "holds" else f"{outcome}: {reason}"

    def judge(self) -> tuple[str, str]:
        """Verify; return the outcome and the reason."""
        with self.open() as memory:
            run = memory.verify(options=Options(everything=True, offline=True), report=lambda *_: None)
            (result,) = run.results
            return result.outcome, result.reason or result.because

    def with_change(self, files: Mapping[str, str | None]) -> tuple[str, str]:
        """Judge the fact at a commit that changes files, and take that back."""
        before = run_git(self.folder, "rev-parse", "HEAD")
        self._write(files)
        self._commit("change")
        try:
            return self.judge()
        finally:
            run_git(self.folder, "reset", "-q", "--hard", before)

    def without(self, new: str = "") -> tuple[str, str]:
        """Judge the fact at another commit while its dependencies are missing, or all say something else."""
        place, aside = self.folder / self.kind.folder, self.folder.with_suffix(".aside")
        shutil.move(place, aside)
        try:
            if new:
                shutil.copytree(aside, place, symlinks=True)
                for path in self.kind.dependency:
                    (place / path).write_text(new, encoding="utf-8")
            first = next(iter(self.kind.files))
            return self.with_change({"notes.md": "changed\n", first: f"{self.kind.files[first]}\n"})
        finally:
            shutil.rmtree(place, ignore_errors=True)
            shutil.move(aside, place)

    def _write(self, files: Mapping[str, str | None]) -> None:
        for path, text in files.items():
            place = self.folder / path
            if text is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                place.chmod(0o755)

    def _commit(self, subject: str) -> None:
        run_git(self.folder, "add", "-A")
        run_git(self.folder, "commit", "-q", "-m", subject)


def judge_kind(kind: Kind, folder: Path) -> list[tuple[str, str, str]]:
    """Return case, outcome and reason of each case of a kind; ``skipped`` alone where it does not hold at first."""
    project = Project(kind, folder)
    if problem := project.begin():
        return [("skipped", "skipped", problem)]
    found = [("there", *project.with_change({"notes.md": "new\n"})), ("missing", *project.without())]
    if kind.dependency:
        found.append(("changed", *project.without("( not what anybody expects\n")))
    for name, files in kind.breaks.items():
        # Each break begins where the fact held last.
        project.judge()
        found.append((name, *project.with_change(files)))
    return found


def main(argv: Sequence[str]) -> int:
    """Judge, print a line for each case and the sums, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="KIND", help="only these kinds")
    args = parser.parse_args(argv)
    os.environ["GITMEM_BACKGROUND"] = "off"
    accused = excused = cases = 0
    with tempfile.TemporaryDirectory(prefix="gitmem-ordinary-") as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        for kind in KINDS:
            if args.only and kind.name not in args.only:
                continue
            for case, outcome, reason in judge_kind(kind, Path(folder, kind.name)):
                expected = EXPECTED.get(case, ("fails",))
                is_right = case == "skipped" or outcome in expected
                cases += case != "skipped"
                accused += not is_right and outcome == "fails"
                excused += not is_right and outcome != "fails"
                print(f"{'ok   ' if is_right else 'WRONG'}\t{kind.name}\t{case}\t{outcome}\t{reason[:90]}", flush=True)
    print(f"{cases} cases: {accused} accused wrongly, {excused} breaks excused or blocked without cause")
    return int(bool(accused or excused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
