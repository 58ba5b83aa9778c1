"""Files for a forge: least privileges, pinned actions, no untrusted text in scripts, and clean for linters."""

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
from support.each import each

from gitmem.commands.install import ci_files
from gitmem.commands.install.ci_files import GITEA, GITHUB, GITLAB, WRITE
from gitmem.commands.install.ci_options import FORGEJO, CiOptions
from gitmem.errors import UsageError
from gitmem.verify.jobs.schedule import WORKFLOW, WORKFLOWS

PROJECT = Path(__file__).resolve().parents[3]
OWN = (".github/workflows/ci.yml", ".github/workflows/release.yml")
# For one commit of gitmem, a branch of another name, and the code of the repository itself.
VARIANTS = {
    "plain": CiOptions(shards=3, package=PINNED),
    "own": CiOptions(package=".", branch="notes/memory", adopt=True, runner=("self-hosted", "linux")),
}


def loaded(text: str) -> dict:
    """Return a workflow; `on` is a truth value in YAML 1.1, which is what the loader reads."""
    return yaml.safe_load(text.replace("\non:", '\n"on":', 1))


@pytest.fixture(params=VARIANTS)
def files(request: pytest.FixtureRequest) -> dict[str, dict]:
    """Return all workflows for GitHub, loaded: what reads, what writes, and what reviews on the memory branch."""
    wanted = VARIANTS[request.param]
    read, write = (loaded(ci_files.texts(GITHUB, wanted)[path]) for path in (WORKFLOW, WRITE))
    (review,) = ci_files.texts(GITHUB, wanted, on_branch=True).values()
    return {"read": read, "write": write, "review": loaded(review)}


def test_permissions_are_minimal_and_separate(files: dict[str, dict]) -> None:
    jobs = {f"{name}/{job}": message for name, table in files.items() for job, message in table["jobs"].items()}

    read = {"contents": "read"}
    optional = {"read/adopt": read, "write/statements": {"actions": "read", "issues": "write"}}
    assert {name: job["permissions"] for name, job in jobs.items() if name not in optional} == {
        "read/check": read,
        "read/plan": read,
        "read/verify": read,
        "review/review": read,
        "write/comment": {"actions": "read", "pull-requests": "write"},
        "write/record": {"actions": "read", "contents": "read", "pull-requests": "read"},
        "write/write": {"contents": "write", "issues": "write", "pull-requests": "write"},
    }
    assert all(job["permissions"] == optional[name] for name, job in jobs.items() if name in optional)
    assert all(table["permissions"] == {} and "concurrency" in table for table in files.values())
    assert all("timeout-minutes" in job for job in jobs.values())


def test_events_give_strangers_no_write_token(files: dict[str, dict]) -> None:
    events = {name: set(table["on"]) for name, table in files.items()}

    assert events == {
        "read": {"pull_request", "merge_group", "push", "schedule", "workflow_dispatch"},
        "write": {"workflow_run"},
        "review": {"pull_request"},
    }
    branch = files["read"]["env"]["GITMEM_BRANCH"]
    assert files["read"]["on"]["pull_request"] == {"branches-ignore": [branch]}
    assert files["read"]["on"]["push"] == {"branches": ["main"]}
    assert files["review"]["on"]["pull_request"] == {"branches": [branch]}
    # Forges show a check by these two names.
    assert (files["read"]["name"], "name" in files["read"]["jobs"]["check"]) == ("gitmem", False)
    assert files["write"]["on"]["workflow_run"]["workflows"] == [files["read"]["name"]] == [files["review"]["name"]]


def test_jobs_with_a_write_token_run_no_judged_code(files: dict[str, dict]) -> None:
    for job in files["write"]["jobs"].keys() - {"record"}:
        steps = files["write"]["jobs"][job]["steps"]
        scripts = "\n".join(step["run"] for step in steps if "run" in step and step["name"] != "Install gitmem")
        assert set(re.findall(r"gitmem (\w+ [\w-]+)", re.sub("#.*", "", scripts))) <= {
            "forge comment", "forge pull", "forge issue", "verify records",
        }  # fmt: skip
        assert [step["env"]["NEEDS"] for step in steps if step.get("name") == "Install gitmem"] == ["nothing"]
        refs = [step["with"].get("ref") for step in steps if "checkout" in step.get("uses", "")]
        assert set(refs) <= {"${{ github.event.repository.default_branch }}"}
    record = files["write"]["jobs"]["record"]
    assert "head_repository.full_name == github.repository" in record["if"]
    holders = [step["name"] for step in record["steps"] if "token" in str(step.get("env", "")).lower()]
    assert holders == ["Merge the memory of merged branches"]  # which asks how their pull requests ended


def test_read_token_is_only_in_the_fetch_step(files: dict[str, dict]) -> None:
    for job in files["read"]["jobs"].values():
        steps = job["steps"]
        holders = [step["name"] for step in steps if "github.token" in str(step.get("env", ""))]
        assert set(holders) <= {"Fetch", "Fetch the history back to where they held"}
        assert all("gitmem " not in re.sub("#.*", "", s["run"]) for s in steps if s.get("name") in holders)
    assert not re.search(r"token|secrets", str(files["review"]["jobs"]), re.IGNORECASE)


def test_one_workflow_of_forgejo_gives_the_token_to_no_job_that_runs_or_judges_a_change() -> None:
    wanted = CiOptions(package=PINNED, adopt=True, shards=3)
    one = loaded(ci_files.texts(FORGEJO, wanted)[WORKFLOWS[FORGEJO]])
    review = loaded(ci_files.texts(FORGEJO, wanted, on_branch=True)[WORKFLOW])
    jobs = one["jobs"] | review["jobs"]

    def texts_of(name: str) -> str:
        return str([step.get("env", "") for step in jobs[name]["steps"]])

    assert {name for name in jobs if "github.token" in texts_of(name)} == {"comment", "record", "statements", "write"}
    for name in ("comment", "statements", "write"):
        assert "NEEDS" in texts_of(name)  # gitmem alone
        assert "actions/checkout" not in str(jobs[name]["steps"])
    assert one["jobs"]["comment"]["needs"] == ["check", "adopt"]
    # No events, expressions or actions that these forges lack.
    assert set(one["on"]) == {"pull_request", "push", "schedule", "workflow_dispatch"}
    assert one["jobs"]["verify"]["strategy"]["matrix"] == {"shard": [1, 2, 3]}
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert {step["uses"].partition("@")[0] for step in steps if "uses" in step} == {
        "actions/checkout", "actions/upload-artifact", "actions/download-artifact",
    }  # fmt: skip
    assert all("${{" not in step.get("run", "") for step in steps)
    assert all("checkout" not in step.get("uses", "") or not step["with"]["persist-credentials"] for step in steps)


def test_actions_are_pinned_and_no_credentials_stay(files: dict[str, dict]) -> None:
    steps = [step for table in files.values() for job in table["jobs"].values() for step in job["steps"]]

    for step in steps:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step.get("uses", f"actions/x@{'0' * 40}"))
        assert "checkout" not in step.get("uses", "") or step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", "")


def test_scripts_are_valid_shell() -> None:
    lines = [
        *ci_files.texts(GITHUB, CiOptions(package=PINNED)).values(),
        *ci_files.texts(GITLAB, CiOptions(package=PINNED)).values(),
    ]
    lines += ci_files.texts(GITLAB, CiOptions(package=PINNED), on_branch=True).values()
    lines += ci_files.texts(GITEA, CiOptions(package=PINNED, adopt=True)).values()
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


def test_token_is_passed_to_git_and_written_to_no_file(repo: Path) -> None:
    message = ci_files.texts(GITHUB, CiOptions(package=PINNED))[WRITE]
    helper = next(line for line in message.split("\n") if "credential.helper" in line)

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
    "zizmor": (["--offline", "--quiet"], r"\.(github|forgejo|gitea)/.*"),
    "workflows": (["check-jsonschema", "--builtin-schema", "vendor.github-workflows"], r"\.\w+/workflows/.*"),
    "actionlint": (["actionlint", "-ignore", 'label "docker" is unknown'], r"\.\w+/workflows/.*"),
    "gitlab": (["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"], r"\.gitlab.*"),
}


@pytest.mark.whole_system
@pytest.mark.parametrize("name", LINTERS)
def test_workflow_linters_find_nothing(tmp_path: Path, name: str) -> None:
    words, of = LINTERS[name]
    words = words if name != "zizmor" else ["zizmor", *words]
    program = shutil.which(words[0], path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{words[0]} is not installed")
    written = [str(PROJECT / path) for path in OWN if re.fullmatch(of, path)]
    for variant in VARIANTS.values():
        given = {
            GITHUB: variant,
            FORGEJO: variant,
            GITEA: variant,
            GITLAB: CiOptions(shards=variant.shards, branch=variant.branch, package=PINNED),
        }
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


def test_unusable_options_are_refused() -> None:
    for forge, wanted in (
        (GITHUB, CiOptions(shards=257, package=PINNED)),
        (GITLAB, CiOptions(shards=201, package=PINNED)),
        (GITLAB, CiOptions(package=".")),
        (GITHUB, CiOptions(branch="mem{ory", package=PINNED)),
    ):
        with pytest.raises(UsageError):
            ci_files.texts(forge, wanted)


def test_memory_branch_gets_one_self_contained_job() -> None:
    github, gitlab = (ci_files.texts(forge, CiOptions(package=PINNED), on_branch=True) for forge in (GITHUB, GITLAB))

    assert list(github) == [WORKFLOW]
    assert list(loaded(github[WORKFLOW])["jobs"]) == ["review"]
    assert "uses: ./" not in github[WORKFLOW]
    assert list(gitlab) == [".gitlab-ci.yml"]
    assert "local:" not in gitlab[".gitlab-ci.yml"]


@each(
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
