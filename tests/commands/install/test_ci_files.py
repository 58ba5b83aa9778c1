"""What is written for a forge: least rights, pinned actions, no text of anybody in a script, and the linters agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import PINNED

from gitmem.commands.install import ci_files
from gitmem.commands.install.ci_files import GITHUB, GITLAB, CiOptions
from gitmem.errors import UsageError
from gitmem.verify.jobs.schedule import WORKFLOW

PROJECT = Path(__file__).resolve().parents[3]
CI = ".github/workflows/ci.yml"
REVIEW = ".github/workflows/gitmem-review.yml"
ACTION = ".github/actions/gitmem/action.yml"
# For one commit of gitmem, a branch of another name, and the code of the repository itself.
VARIANTS = {"plain": CiOptions(shards=3, package=PINNED), "own": CiOptions(package=".", branch="notes/memory")}


def loaded(text: str) -> dict:
    """Return a workflow; `on` is a truth value in YAML 1.1, which is what the loader reads."""
    return yaml.safe_load(text.replace("\non:", '\n"on":', 1))


@pytest.fixture(params=VARIANTS)
def files(request: pytest.FixtureRequest) -> dict[str, dict]:
    """Return all files for GitHub, loaded, by the names of the workflows and the action."""
    found = ci_files.texts(GITHUB, VARIANTS[request.param])
    return {Path(path).stem.removeprefix("gitmem-"): loaded(text) for path, text in found.items()}


def workflows(files: dict[str, dict]) -> dict[str, dict]:
    return {name: table for name, table in files.items() if name != "action"}


def test_rights_are_the_least_and_apart(files: dict[str, dict]) -> None:
    rights = {
        f"{name}/{job}": told["permissions"]
        for name, table in workflows(files).items()
        for job, told in table["jobs"].items()
    }

    assert rights == {
        "verify/verify": {"contents": "read"},
        "verify/record": {"contents": "write", "issues": "write", "pull-requests": "write"},
        "check/check": {"contents": "read"},
        "review/review": {"contents": "read"},
        "comment/comment": {"actions": "read", "pull-requests": "write"},
    }
    assert all(table["permissions"] == {} for table in workflows(files).values())
    assert all("timeout-minutes" in job for table in workflows(files).values() for job in table["jobs"].values())
    assert all("concurrency" in table for table in workflows(files).values())


def test_events_are_those_where_a_stranger_gets_no_token_that_writes(files: dict[str, dict]) -> None:
    events = {name: set(table["on"]) for name, table in workflows(files).items()}

    assert events == {
        "verify": {"schedule", "workflow_dispatch"},
        "check": {"pull_request"},
        "review": {"pull_request"},
        "comment": {"workflow_run"},
    }
    branch = files["check"]["env"]["GITMEM_BRANCH"]
    assert files["check"]["on"]["pull_request"] == {"branches-ignore": [branch]}
    assert files["review"]["on"]["pull_request"] == {"branches": [branch]}
    named = [files["check"]["name"], files["review"]["name"]]
    assert files["comment"]["on"]["workflow_run"]["workflows"] == named


def test_who_can_write_runs_nothing_of_what_is_judged_and_who_runs_it_has_no_token(files: dict[str, dict]) -> None:
    verify, record = (files["verify"]["jobs"][name] for name in ("verify", "record"))
    comment = files["comment"]["jobs"]["comment"]

    for name in ("check", "review"):
        assert not re.search(r"token|secrets", str(files[name]["jobs"]), re.IGNORECASE)
    assert "github.token" not in str(verify)
    assert "secrets." not in str(verify)
    scripts = "\n".join(step["run"] for step in record["steps"] if "run" in step)
    assert re.findall(r"gitmem (\w+ [\w-]+)", re.sub("#.*", "", scripts)) == [
        "verify --fail-on",
        "sync origin",
        "forge pull",
        "forge issue",
    ]
    refs = [step["with"].get("ref") for step in comment["steps"] if "checkout" in step.get("uses", "")]
    assert set(refs) <= {"${{ github.event.repository.default_branch }}"}


def test_actions_are_pinned_and_no_credentials_stay(files: dict[str, dict]) -> None:
    jobs = [job for table in workflows(files).values() for job in table["jobs"].values()]
    steps = [step for job in (*jobs, files["action"]["runs"]) for step in job["steps"]]

    for step in steps:
        uses = step.get("uses", "$/")
        assert uses.startswith("$/") or re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", uses)
        assert "checkout" not in uses or step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", "")
    assert all(step.get("shell") == "bash" for step in files["action"]["runs"]["steps"] if "run" in step)


def test_scripts_are_sound_shell() -> None:
    lines = [
        *ci_files.texts(GITHUB, CiOptions(package=PINNED)).values(),
        *ci_files.texts(GITLAB, CiOptions(package=PINNED)).values(),
    ]
    lines += ci_files.texts(GITLAB, CiOptions(package=PINNED), on_branch=True).values()
    scripts = [script for text in lines for script in _scripts(loaded(text))]

    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)

    assert len(scripts) > 15


def _scripts(value: object) -> list[str]:
    if isinstance(value, list):
        return [script for one in value for script in _scripts(one)]
    if not isinstance(value, dict):
        return []
    own = [value["run"]] if isinstance(value.get("run"), str) else []
    own += ["\n".join(value[name]) for name in ("script", "before_script") if name in value]
    return own + [script for one in value.values() for script in _scripts(one)]


def test_token_is_asked_for_by_git_and_stays_in_no_file(repo: Path) -> None:
    told = ci_files.texts(GITHUB, CiOptions(package=PINNED))[WORKFLOW]
    helper = next(line for line in told.split("\n") if "credential.helper" in line)

    subprocess.run(["bash", "-ec", helper], cwd=repo, check=True)
    env = {**os.environ, "PUSH_TOKEN": "t0k3n", "GIT_TERMINAL_PROMPT": "0"}
    filled = subprocess.run(
        ["git", "credential", "fill"], cwd=repo, env=env, input="url=https://github.com/a/b\n\n", text=True,
        capture_output=True, check=True,
    )  # fmt: skip

    assert "username=x-access-token\npassword=t0k3n\n" in filled.stdout
    assert "t0k3n" not in (repo / ".git/config").read_text(encoding="utf-8")


# A program's words, and which of the files it is for.
LINTERS = {
    "zizmor": (["--offline", "--quiet"], r"\.github/.*"),
    "workflows": (["check-jsonschema", "--builtin-schema", "vendor.github-workflows"], r"\.github/workflows/.*"),
    "action": (["check-jsonschema", "--builtin-schema", "vendor.github-actions"], r"\.github/actions/.*"),
    "gitlab": (["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"], r"\.gitlab.*"),
}


@pytest.mark.parametrize("name", LINTERS)
def test_linters_find_nothing(tmp_path: Path, name: str) -> None:
    words, of = LINTERS[name]
    words = words if name != "zizmor" else ["zizmor", *words]
    program = shutil.which(words[0], path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{words[0]} is not installed")
    written = [str(PROJECT / CI)] if re.fullmatch(of, CI) else []
    for variant in VARIANTS.values():
        given = {GITHUB: variant, GITLAB: CiOptions(shards=variant.shards, branch=variant.branch, package=PINNED)}
        for forge, wanted in given.items():
            for on_branch in (False, True):
                for path, text in ci_files.texts(forge, wanted, on_branch=on_branch).items():
                    if re.fullmatch(of, path):
                        file = tmp_path / str(len(written)) / path
                        file.parent.mkdir(parents=True)
                        file.write_text(text, encoding="utf-8")
                        written.append(str(file))

    done = subprocess.run([program, *words[1:], *written], capture_output=True, text=True, check=False)

    assert written
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_cannot_stand_in_the_files_is_refused() -> None:
    for forge, wanted in (
        (GITHUB, CiOptions(shards=257, package=PINNED)),
        (GITLAB, CiOptions(shards=201, package=PINNED)),
        (GITLAB, CiOptions(package=".")),
        (GITHUB, CiOptions(branch="mem{ory", package=PINNED)),
    ):
        with pytest.raises(UsageError):
            ci_files.texts(forge, wanted)


def test_memory_branch_gets_one_job_and_nothing_that_it_needs_is_elsewhere() -> None:
    github, gitlab = (ci_files.texts(forge, CiOptions(package=PINNED), on_branch=True) for forge in (GITHUB, GITLAB))

    assert github == {REVIEW: ci_files.texts(GITHUB, CiOptions(package=PINNED))[REVIEW]}
    assert "$/" not in github[REVIEW]
    assert list(gitlab) == [".gitlab-ci.yml"]
    assert "local:" not in gitlab[".gitlab-ci.yml"]


@pytest.mark.parametrize(
    ("wanted", "cron"),
    [
        (CiOptions(every="1h", minute=7, hour=0, package=PINNED), "7 * * * *"),
        (CiOptions(every="6h", minute=7, hour=2, package=PINNED), "7 2-23/6 * * *"),
        (CiOptions(every="daily", minute=7, hour=2, package=PINNED), "7 2 * * *"),
        (CiOptions(every="weekly", minute=7, hour=2, package=PINNED), "7 2 * * 1"),
    ],
)
def test_time_of_a_workflow_is_read_back(wanted: CiOptions, cron: str) -> None:
    text = ci_files.texts(GITHUB, wanted)[WORKFLOW]

    assert loaded(text)["on"]["schedule"] == [{"cron": cron}]
    assert ci_files.time_of(text) == (wanted.minute, wanted.hour)
    assert ci_files.time_of(text.replace("timeout-minutes: 60", "timeout-minutes: 90")) is None
