"""A machine of a forge, as far as gitmem's workflows ask for one: checkouts, artifacts, outputs, and steps run by bash.

What a step says to run is run as it stands; what an action would do is done here on disk. An expression that nobody
foresaw is an error, and so is an action.
"""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from conftest import git
from support.console import SCRIPTS, environment

from gitmem.commands.install.ci_options import V3_ACTIONS

_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
_OUTPUT = re.compile(r"(?:steps|needs)\.(\w+)\.outputs\.(\w+)")
_DEFAULT = "github.event.repository.default_branch"
# What expressions stand for on the default branch of a repository that is no fork.
DEFAULTS = {
    _DEFAULT: "main",
    f"{_DEFAULT} || github.ref_name": "main",
    "github.event.pull_request.head.repo.full_name == github.repository && github.head_ref || ''": "",
    "github.event_name == 'pull_request'": "true",
    "github.event.workflow_run.id": "99",
    "github.run_number": "99",
}
# Artifacts of Forgejo and Gitea: uploads add to one, and a download names it.
_V3 = {one for name, one in V3_ACTIONS.items() if name.endswith("-artifact")}
# Stands before gitmem on PATH: notes each call with the tokens that it could see.
_WATCHED = """\
#!/bin/sh
echo "${GITHUB_TOKEN-}${PUSH_TOKEN-}|$*" >>"$CALLS"
exec "$GITMEM" "$@"
"""


def load(path: Path) -> dict:
    """Return a workflow."""
    return loaded(path.read_text(encoding="utf-8"))


def loaded(text: str) -> dict:
    """Return a workflow; `on` is a truth value in YAML 1.1, which is what the loader reads."""
    return yaml.safe_load(text.replace("\non:", '\n"on":', 1))


@dataclass
class Done:
    """What a step did."""

    name: str
    status: int
    out: str
    err: str


@dataclass
class Machine:
    """One job's machine.

    Attributes:
        folder: A folder of its own, made here.
        hub: The bare repository that the forge keeps.
        artifacts: Where artifacts of the run lie, a folder each.
        head: What is checked out: a branch, or a ref, which is detached.
        values: What expressions stand for.
        variables: What the forge sets besides; GITHUB_TOKEN is the token that steps may be given, and no variable.
    """

    folder: Path
    hub: Path
    artifacts: Path
    head: str = "main"
    values: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    steps: list[Done] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the folders."""
        self.work, self.temp = self.folder / "work", self.folder / "temp"
        for folder in (self.work, self.temp, self.folder / "bin"):
            folder.mkdir(parents=True)
        self.artifacts.mkdir(exist_ok=True)
        self.calls_file = self.folder / "calls"
        watched = self.folder / "bin" / "gitmem"
        watched.write_text(_WATCHED, encoding="utf-8")
        watched.chmod(0o755)
        token = self.variables.pop("GITHUB_TOKEN", "t0k3n")
        self.values = {"runner.temp": str(self.temp), "github.token": token, **DEFAULTS, **self.values}

    def copied(self, folder: Path, hub: Path, variables: dict[str, str]) -> Machine:
        """Return a copy of the machine in its state, for another hub with the same branches."""
        shutil.copytree(self.folder, folder, symlinks=True)
        other = copy.copy(self)
        other.folder, other.hub, other.variables = folder, hub, dict(variables)
        other.work, other.temp, other.calls_file = folder / "work", folder / "temp", folder / "calls"
        token = other.variables.pop("GITHUB_TOKEN", "t0k3n")
        other.values = {**self.values, "runner.temp": str(other.temp), "github.token": token}
        other.steps, other.outputs = [*self.steps], {**self.outputs}
        git(other.work, "remote", "set-url", "origin", str(hub))
        return other

    @property
    def status(self) -> int:
        """Return what the job ended with: of the first step that failed."""
        return next((step.status for step in self.steps if step.status), 0)

    @property
    def calls(self) -> list[str]:
        """Return each call of gitmem, behind the tokens that it could see."""
        return self.calls_file.read_text(encoding="utf-8").splitlines() if self.calls_file.exists() else []

    def printed(self) -> str:
        """Return what all steps printed, apart from what stands between stop-commands and its end."""
        text = "".join(step.out + step.err for step in self.steps)
        return re.sub(r"(?ms)^::stop-commands::(\w+)$.*?^::\1::$", "", text)

    def run(self, job: dict, *, workflow: dict, until: str = "", since: str = "") -> Machine:
        """Run a job's steps in their order, or those up to, or from, one of a name."""
        names = [step.get("name", step.get("uses")) for step in job["steps"]]
        first = names.index(since) if since else 0
        last = names.index(until) + 1 if until else len(names)
        for step in job["steps"][first:last]:
            if self._is_wanted(step.get("if", "")):
                self._step(step, {**workflow.get("env", {}), **job.get("env", {})})
        return self

    def _is_wanted(self, condition: str) -> bool:
        if condition == "${{ !cancelled() }}":
            return True
        if condition == "needs.verify.result != 'skipped'":
            return (self.artifacts / "gitmem-results").exists()
        if self.status:
            return False
        found = re.fullmatch(rf"{_OUTPUT.pattern} == '(\w*)'", condition)
        assert found or not condition, f"nobody foresaw the condition {condition}"
        return found is None or self._output(found[1], found[2]) == found[3]

    def _output(self, step: str, name: str) -> str:
        return self.outputs.get(step, {}).get(name, "")

    def _value(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            output = _OUTPUT.fullmatch(found[1])
            return self._output(output[1], output[2]) if output else self.values[found[1]]

        return _EXPRESSION.sub(value, str(text))

    def _step(self, step: dict, env: dict[str, str]) -> None:
        if step.get("name") in ("Set up Python", "Install gitmem", "Install what commands run in"):
            return  # it is installed where the tests run
        if "run" in step:
            self._script(step, {**env, **step.get("env", {})})
            return
        action, is_v3 = step["uses"].partition("@")[0], any(pin.startswith(step["uses"]) for pin in _V3)
        given = {name: self._value(value) for name, value in step.get("with", {}).items()}
        if action == "actions/checkout":
            self._check_out(given)
        elif action == "actions/upload-artifact":
            source, target = Path(given["path"]), self.artifacts / given["name"]
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, dirs_exist_ok=is_v3)
            elif source.exists():
                target.mkdir(exist_ok=is_v3)
                shutil.copy(source, target)
            else:
                assert given["if-no-files-found"] == "ignore", f"{source} is missing"
        elif action == "actions/download-artifact":
            if is_v3:
                assert set(given) == {"name", "path"}
                assert (self.artifacts / given["name"]).is_dir() or step.get("continue-on-error")
            else:
                assert given["merge-multiple"] == "True"
                assert given.get("run-id", "99") == self.values["github.event.workflow_run.id"]
            for found in self.artifacts.glob(given["name"] if is_v3 else given["pattern"]):
                shutil.copytree(found, given["path"], symlinks=True, dirs_exist_ok=True)
        else:
            assert action == "actions/setup-python", action

    def _check_out(self, given: dict[str, str]) -> None:
        assert given["persist-credentials"] == "False"
        head = given.get("ref", self.head)
        ref = head if head.startswith("refs/") else f"refs/heads/{head}"
        there = ref.replace("refs/heads/", "refs/remotes/origin/").replace("refs/pull/", "refs/remotes/pull/")
        git(self.work, "init", "-q", ".")
        # By its address, since git ignores a depth where it can read the folder itself.
        git(self.work, "remote", "add", "origin", f"file://{self.hub}")
        if given["fetch-depth"] == "0":
            git(self.work, "fetch", "-q", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*")
        depth = () if given["fetch-depth"] == "0" else (f"--depth={given['fetch-depth']}",)
        git(self.work, "fetch", "-q", "--no-tags", *depth, "origin", f"+{ref}:{there}")
        git(self.work, "checkout", "-q", *(("--detach",) if ref != f"refs/heads/{head}" else ("-B", head)), there)

    def _script(self, step: dict, env: dict[str, str]) -> None:
        printed_text = self.folder / f"output-{len(self.steps)}"
        printed_text.touch()
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(printed_text),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "RUNNER_TEMP": str(self.temp),
            "CALLS": str(self.calls_file),
            "GITMEM": str(SCRIPTS / "gitmem"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.file://{self.hub}.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://github.example/acme/shop.git",
            **self.variables,
            **{name: self._value(value) for name, value in env.items()},
        }
        variables["PATH"] = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        argv = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            argv, cwd=self.work, env=environment(**variables), capture_output=True, text=True, timeout=180, check=False
        )
        self.steps.append(Done(step.get("name", ""), done.returncode, done.stdout, done.stderr))
        rows = (line.partition("=") for line in printed_text.read_text(encoding="utf-8").splitlines())
        if "id" in step:
            self.outputs[step["id"]] = {name: value for name, _, value in rows}


def verify_and_record(
    folder: Path, hub: Path, workflows: Path, variables: dict[str, str], *, until: str = ""
) -> dict[str, list[Machine]]:
    """Run the workflows of the default branch, each job on machines of its own; return those by job.

    Args:
        folder: Where the machines are.
        hub: The forge's repository.
        workflows: The folder of the workflows.
        variables: What the forge tells the jobs that report.
        until: The last step of the last job, or empty for all.
    """
    reading = load(workflows / "gitmem.yml")
    write_path = workflows / "gitmem-write.yml"
    writing = load(write_path) if write_path.exists() else reading
    values = {name: variables[name] for name in ("FORGEJO_ACTIONS", "GITEA_ACTIONS") if name in variables}
    plan = Machine(folder / "plan", hub, folder / "artifacts").run(reading["jobs"]["plan"], workflow=reading)
    printed_text = plan.outputs.get("plan", {})
    matrix = reading["jobs"]["verify"]["strategy"]["matrix"]["shard"]
    due = yaml.safe_load(printed_text.get("shards", "[]"))
    shards = matrix if due and isinstance(matrix, list) else due
    judges = []
    for shard in shards:
        judge = Machine(folder / f"verify-{shard}", hub, folder / "artifacts", values={"matrix.shard": str(shard)})
        judge.outputs["plan"] = printed_text
        judges.append(judge.run(reading["jobs"]["verify"], workflow=reading))
    record = Machine(folder / "record", hub, folder / "artifacts", variables=values)
    record.run(writing["jobs"]["record"], workflow=writing)
    write = Machine(folder / "write", hub, folder / "artifacts", variables=dict(variables))
    write.outputs["record"] = record.outputs.get("record", {})
    write.run(writing["jobs"]["write"], workflow=writing, until=until)
    return {"plan": [plan], "verify": judges, "record": [record], "write": [write]}
