"""Judge checks of ordinary projects: kinds of check × environment there, missing or changed × breaks by code × sandbox.

    python -m benchmarks.ordinary                      every kind that this machine has the tools for
    python -m benchmarks.ordinary --only npm-test --sandbox landlock container
    python -m benchmarks.ordinary --quick              one break of each kind

Each kind is a small project with one fact that holds. Where its ignored folder of dependencies is missing or changed
and the code is not the cause, the fact may be blocked and never failed. Where a commit deletes its script, makes it
crash or hang, or breaks an assertion, it must fail and not be blocked. Kinds that do not hold here to begin with are
reported as skipped, with the reason. Each sandbox must give the same answers: bubblewrap; Landlock where there is no
bubblewrap; and Landlock in a container, where namespaces are refused. Exit status: 0 all as expected, 1 something was
accused wrongly or excused, or two sandboxes differ.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.options import Options

# Seconds after which a check that hangs is stopped; compilers and tox take several where the machine is busy.
TIMEOUT_S = 20
SLOW, SLOW_TIMEOUT_S = ("cargo-test", "go-test", "go-modules", "tox", "tsc", "maven", "uv"), 60
SANDBOXES = ("bubblewrap", "landlock", "container")
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
PYTEST_BREAKS = {name: {f"src/{path}": text for path, text in files.items()} for name, files in PYTHON_BREAKS.items()}
PROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "app"
version = "1"
[tool.setuptools]
py-modules = ["app"]
package-dir = {"" = "src"}
"""
EDITABLE = {"tests/test_app.py": TEST, "src/app.py": "value = 2\n", "pyproject.toml": PROJECT}
WORKSPACES = {
    "package.json": '{"name": "all", "private": true, "workspaces": ["packages/*"]}\n',
    "packages/app/package.json": '{"name": "@me/app", "version": "1.0.0", "main": "app.js"}\n',
    "packages/app/app.js": "exports.value = 2;\n",
    "packages/web/package.json": '{"name": "@me/web", "version": "1.0.0", "scripts": {"test": "node test.js"}}\n',
    "packages/web/test.js": NODE_TEST.replace("./app", "@me/app"),
}
PHP = "<?php require 'vendor/autoload.php'; require base() . '/app.php'; exit(one() + $app === 3 ? 0 : 1);\n"
JAVA_TEST = "class Check { public static void main(String[] a) { if (One.one + App.app != 3) System.exit(1); } }\n"
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
    *(
        Kind(name, check, EDITABLE, ".venv", {f"{SITE}/one.py": "value = 1\n"}, PYTEST_BREAKS, install)
        for name, check, install in (
            ("editable", "pytest -q -p no:cacheprovider tests", f"{VENV} pytest -e ."),
            ("venv-program", ".venv/bin/pytest -q -p no:cacheprovider tests", f"{VENV} pytest -e ."),
            ("python-m-pytest", "python -m pytest -q -p no:cacheprovider tests", f"{VENV} pytest -e ."),
            (
                "uv",
                "pytest -q -p no:cacheprovider tests",
                f"{sys.executable} -m venv .uv && .uv/bin/pip install --quiet uv && .uv/bin/uv venv --quiet .venv"
                " && .uv/bin/uv pip install --quiet pytest -e . && rm -r .uv",
            ),
        )
    ),
    Kind(
        "workspaces",
        "npm test --silent --workspaces --if-present",
        WORKSPACES,
        "node_modules",
        ONE,
        {
            name: {f"packages/{'web' if path == 'test.js' else 'app'}/{path}": text for path, text in files.items()}
            for name, files in NODE_BREAKS.items()
            if name != "dependency removed"
        },
        "npm install --silent",
    ),
    Kind(
        "pnpm",
        "npm test --silent",
        {**NODE, "test.js": f'require("is-number");\n{NODE_TEST}'},
        "node_modules",
        ONE,
        {"assertion": NODE_BREAKS["assertion"], "crash": NODE_BREAKS["crash"]},
        "npx --yes pnpm@9 add --silent --save-dev is-number@7 && git checkout --quiet . 2> /dev/null || true",
    ),
    Kind(
        "php",
        "php check.php",
        {"check.php": PHP, "app.php": "<?php $app = 2;\n"},
        "vendor",
        {
            "autoload.php": "<?php require __DIR__ . '/composer/base.php'; require __DIR__ . '/me/one/one.php';\n",
            "composer/base.php": "<?php function base() { return dirname(dirname(__DIR__)); }\n",
            "me/one/one.php": "<?php function one() { return 1; }\n",
        },
        {"assertion": {"app.php": "<?php $app = 3;\n"}, "script deleted": {"check.php": None}},
    ),
    Kind(
        "ruby",
        "ruby -I vendor check.rb",
        {"check.rb": "require 'one'\nrequire './app'\nexit($one + $app == 3)\n", "app.rb": "$app = 2\n"},
        "vendor",
        {"one.rb": "$one = 1\n"},
        {"assertion": {"app.rb": "$app = 3\n"}, "script deleted": {"check.rb": None}},
    ),
    Kind(
        "java",
        "javac -d out -cp vendor vendor/One.java App.java Check.java && java -cp out Check",
        {"App.java": "class App { static int app = 2; }\n", "Check.java": JAVA_TEST},
        "vendor",
        {"One.java": "class One { static int one = 1; }\n"},
        {
            "assertion": {"App.java": "class App { static int app = 3; }\n"},
            "syntax error": {"App.java": "class {\n"},
            "script deleted": {"Check.java": None},
        },
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
        self._write({**kind.files, ".gitignore": f"{kind.folder}/\n/target\n/out\n*.egg-info\n__pycache__\n"})
        if kind.install:
            env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # pip would find ours
            subprocess.run(["sh", "-ec", kind.install], cwd=folder, env=env, check=True)
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


def judge_here(only: Sequence[str], *, is_quick: bool) -> None:
    """Judge the kinds in this process's sandbox and print a line for each case."""
    os.environ["GITMEM_BACKGROUND"] = "off"
    with tempfile.TemporaryDirectory(prefix="gitmem-ordinary-") as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        Path(folder).chmod(0o755)  # as a work tree usually is
        for kind in KINDS:
            if only and kind.name not in only:
                continue
            breaks = dict(list(kind.breaks.items())[-1:]) if is_quick else kind.breaks
            try:
                cases = judge_kind(replace(kind, breaks=breaks), Path(folder, kind.name))
            except subprocess.CalledProcessError as err:
                cases = [("skipped", "skipped", f"cannot be installed here: {err.cmd}")]
            for case, outcome, reason in cases:
                print(f"{kind.name}\t{case}\t{outcome}\t{reason[:90]}", flush=True)


def iter_lines(sandbox: str, argv: Sequence[str]) -> Iterator[list[str]]:
    """Judge the kinds in one sandbox, in a process of its own; yield kind, case, outcome and reason."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ)
        if sandbox != "bubblewrap":
            missing = Path(folder, "bwrap")
            missing.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
            missing.chmod(0o755)
            env["PATH"] = f"{folder}:{env['PATH']}"
        program = [sys.executable, "-m", *(["benchmarks.container", sys.executable, "-m"] * (sandbox == "container"))]
        argv = [*program, "benchmarks.ordinary", "--here", *argv]
        with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                yield line.rstrip("\n").split("\t")


def main(argv: Sequence[str]) -> int:
    """Judge in each sandbox, print a line for each case and the sums, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="KIND", help="only these kinds")
    parser.add_argument("--sandbox", nargs="*", default=SANDBOXES, choices=SANDBOXES, help="only these sandboxes")
    parser.add_argument("--quick", action="store_true", help="one break of each kind")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.here:
        judge_here(args.only, is_quick=args.quick)
        return 0
    accused = excused = cases = 0
    answers: dict[tuple[str, str], set[str]] = {}
    options = [*(["--only", *args.only] if args.only else []), *["--quick"] * args.quick]
    for sandbox in args.sandbox:
        for kind, case, outcome, reason in iter_lines(sandbox, options):
            is_right = case == "skipped" or outcome in EXPECTED.get(case, ("fails",))
            cases += case != "skipped"
            accused += not is_right and outcome == "fails"
            excused += not is_right and outcome != "fails"
            if case != "skipped":
                answers.setdefault((kind, case), set()).add(outcome)
            print(f"{'ok   ' if is_right else 'WRONG'}\t{sandbox}\t{kind}\t{case}\t{outcome}\t{reason}", flush=True)
    differ = sorted(" ".join(key) for key, outcomes in answers.items() if len(outcomes) > 1)
    print(f"{cases} cases: {accused} accused wrongly, {excused} breaks excused or blocked without cause")
    print(f"{len(differ)} answers differ between sandboxes: {', '.join(differ) or 'none'}")
    return int(bool(accused or excused or differ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
