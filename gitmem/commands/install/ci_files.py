"""The files for a forge's CI, as text: workflows for GitHub, Forgejo and Gitea, jobs to include for GitLab. Pure.

They are made from the templates in this package and one repository's values; the first two lines name the template and
contain a checksum.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from textwrap import indent

from gitmem.commands.install.ci_options import FORGEJO, GITEA, GITHUB, GITLAB, CiOptions, fields_of, without_pins
from gitmem.config import ROBOTS
from gitmem.errors import UsageError
from gitmem.verify.jobs.schedule import HOURS_BY_NAME, WORKFLOW, WORKFLOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Means the code of this repository, as checked out.
OWN = "."
_URL = r"https://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._~/%+-]+"
_COMMIT = re.compile(rf"git\+{_URL}@(?:[0-9a-f]{{40}}|[0-9a-f]{{64}})")
_ARCHIVE = re.compile(rf"{_URL}\.(?:tar\.gz|tgz)#sha256=[0-9a-f]{{64}}")
FORMS = "git+https://HOST/PATH@FULL_COMMIT or https://HOST/FILE.tar.gz#sha256=HASH"
TEMPLATES = Path(__file__).parent / "templates"
FORGES = (GITHUB, GITLAB, FORGEJO, GITEA)
# Gitea reads Forgejo's files; its robot and its folder have other names.
FOLDERS = {FORGEJO: "forgejo", GITEA: "forgejo"}
# The files of the work tree, by path, with their templates.
WRITE = ".github/workflows/gitmem-write.yml"
IN_TREE = {
    GITHUB: {WORKFLOW: "gitmem.yml", WRITE: "gitmem-write.yml"},
    GITLAB: {".gitlab/gitmem.yml": "gitmem.yml"},
    FORGEJO: {WORKFLOWS[FORGEJO]: "gitmem.yml"},
    GITEA: {WORKFLOWS[GITEA]: "gitmem.yml"},
}
# The files of the memory branch: a pull request's jobs come from its own commits.
ON_BRANCH = {
    GITHUB: {WORKFLOW: "gitmem-memory.yml"},
    GITLAB: {".gitlab-ci.yml": "memory.yml"},
    # They fall back to this folder if they have none of their own.
    FORGEJO: {WORKFLOW: "gitmem-memory.yml"},
    GITEA: {WORKFLOW: "gitmem-memory.yml"},
}
# Files of earlier versions, which are removed if unchanged.
FORMER_REVIEW = ".github/workflows/gitmem-review.yml"
FORMER = {
    GITHUB: (
        ".github/actions/gitmem/action.yml",
        ".github/workflows/gitmem-verify.yml",
        ".github/workflows/gitmem-check.yml",
        FORMER_REVIEW,
        ".github/workflows/gitmem-comment.yml",
    )
}
FORMER_ON_BRANCH = {GITHUB: (FORMER_REVIEW,)}
# When a GitLab project is checked. A merge request pipeline replaces the branch pipeline: if the project's own jobs do
# not run in it, they would no longer be required for the merge.
MERGE_RULE = '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_TARGET_BRANCH_NAME != "{branch}"'
BRANCH_RULE = (
    '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH && $CI_COMMIT_BRANCH != $CI_DEFAULT_BRANCH'
    ' && $CI_COMMIT_BRANCH != "{branch}" && $CI_COMMIT_BRANCH !~ /^gitmem\\//'
)
# The most jobs of a matrix that a forge starts (GitHub Docs, "Usage limits"; GitLab Docs, "parallel").
MOST_SHARDS = {GITHUB: 256, GITLAB: 200, FORGEJO: 256, GITEA: 256}
MARK, SUM = "# gitmem-", "# sum "
# Characters that need no quoting in globs and YAML.
_PLAIN_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_CRON = re.compile(r'(?m)^    - cron: "(\d+) (\d+|\*)(?:-23/\d+)? ')
# A line that is replaced by a script of the templates, with its own indentation.
_LINES = re.compile(r"(?m)^( *)@([A-Z_]+)@$")
_FIELD = re.compile(r"@([A-Z_]+)@")
_OWN_FOLDER = "gitmem-own"
_OWN_CODE = f"""\
      - uses: @CHECKOUT@
        with:
          ref: ${{{{ github.event.repository.default_branch }}}} # gitmem's own code, as it was reviewed
          path: {_OWN_FOLDER}
          persist-credentials: false
"""


def need_usable(forge: str, wanted: CiOptions) -> None:
    """Refuse options that cannot be used in these files, with UsageError."""
    most = MOST_SHARDS[forge]
    if not 1 <= wanted.shards <= most:
        raise UsageError(f"--shards must be from 1 to {most}")
    need_pinned(wanted.package)
    if wanted.package == OWN and forge == GITLAB:
        raise UsageError("--package . does not work with gitmem install gitlab: its jobs have no checkout of gitmem")
    for branch in (wanted.branch, wanted.default):
        if not _PLAIN_BRANCH.fullmatch(branch):
            raise UsageError(f"these files cannot contain the name of the branch {branch}")


def texts(forge: str, wanted: CiOptions, *, on_branch: bool = False) -> dict[str, str]:
    """Return the texts to write, by path: in the work tree, or on the memory branch.

    Raises:
        UsageError: An option cannot be used in these files.
    """
    need_usable(forge, wanted)
    fields = _fields(forge, wanted)
    parts = {  # in this order: a part may contain one of those below it
        "ADOPT_JOB": _template(forge, "adopt.yml") if wanted.adopt and forge != GITLAB else "",
        "ADOPT_ISSUE_JOB": _template(GITHUB, "adopt-issue.yml") if wanted.adopt else "",
        "NO_MEMORY": _template(GITHUB, "no-memory.sh") if wanted.adopt else "",
        "OWN_CODE": _OWN_CODE if wanted.package == OWN else "",
        "SETUP_PYTHON_STEP": _template(forge, "setup-python.yml") if forge != GITLAB else "",
    }
    found = (ON_BRANCH if on_branch else IN_TREE)[forge]
    return {
        path: _seal(path, _fill(_template(forge, name), parts, fields), wanted, is_exact=on_branch)
        for path, name in found.items()
    }


def _fields(forge: str, wanted: CiOptions) -> dict[str, str]:
    """Return the values that replace fields of the templates, by name."""
    variable = f"{forge.upper()}_ACTIONS"
    robot, email = ROBOTS.get(variable, ("", ""))
    rule, where = BRANCH_RULE, "in branch pipelines, as your jobs do"
    if wanted.has_merge_pipelines:
        rule, where = MERGE_RULE, "in pipelines of merge requests"
    return {
        "FORGE": forge,
        "FORGE_VARIABLE": variable,
        "ROBOT": robot,
        "ROBOT_EMAIL": email,
        "APPROVED": f".{forge}/gitmem-approved",
        # GitHub checks out a merge commit, others the head of the pull request.
        "BASE": "HEAD^1" if forge == GITHUB else '"origin/$GITHUB_BASE_REF"',
        "REPORTS": "[check, adopt]" if wanted.adopt else "check",
        "SHARDS": str([*range(1, wanted.shards + 1)]),
        "BRANCH": wanted.branch,
        "DEFAULT": wanted.default,
        "CRON": _cron(wanted),
        "COUNT": str(wanted.shards),
        "RUNNER": wanted.runs_on(forge),
        "PYTHON": wanted.python,
        "PACKAGE": wanted.package,
        # For jobs that check out none of the code.
        "PACKAGE_ALONE": f"./{_OWN_FOLDER}" if wanted.package == OWN else wanted.package,
        "WHEN": rule.format(branch=wanted.branch),
        "WHERE": where,
        **fields_of(wanted, forge),
    }


def _template(forge: str, name: str) -> str:
    return (TEMPLATES / FOLDERS.get(forge, forge) / name).read_text(encoding="utf-8")


def _fill(text: str, parts: Mapping[str, str], fields: Mapping[str, str]) -> str:
    """Return a template with its parts, the lines of shell that several files share, and its fields filled in."""
    for name, part in parts.items():
        text = text.replace(f"@{name}@\n", part)
    text = _LINES.sub(lambda match: indent(_script(match[2]), match[1]), text)
    return _FIELD.sub(lambda match: fields[match[1]], text)


def _script(name: str) -> str:
    return (TEMPLATES / f"{name.lower()}.sh").read_text(encoding="utf-8").removesuffix("\n")


def _seal(path: str, text: str, wanted: CiOptions, *, is_exact: bool) -> str:
    name = "gitlab" if path.startswith(".gitlab") else "review" if is_exact else path.rpartition("/")[2][:-4]
    runs = path in WORKFLOWS.values() and not is_exact
    name = "verify" if runs else name.removeprefix("gitmem-")
    every = f" every {wanted.every}" if runs else ""
    return f"{MARK}{name}{every}\n{SUM}{_sum(text if is_exact else without_pins(text))}\n{text}"


def _cron(wanted: CiOptions) -> str:
    hours = HOURS_BY_NAME[wanted.every]
    if hours == 1:
        return f"{wanted.minute} * * * *"
    if hours < 24:
        return f"{wanted.minute} {wanted.hour}-23/{hours} * * *"
    return f"{wanted.minute} {wanted.hour} * * {'1' if hours > 24 else '*'}"


def time_of(text: str) -> tuple[int, int] | None:
    """Return the minute and hour at which a workflow runs (hour 0 if hourly); None if it is not ours."""
    match = _CRON.search(text) if is_ours(text) else None
    return (int(match[1]), 0 if match[2] == "*" else int(match[2])) if match else None


def is_ours(text: str, *, is_exact: bool = False) -> bool:
    """Return whether a file was written by any version of gitmem and is unchanged.

    Newer commits of its actions are allowed, since robots update them; except if it must be exact: on the memory
    branch, where no such robot works.
    """
    mark, _, rest = text.partition("\n")
    first, _, rest = rest.partition("\n")
    sums = {_sum(rest)} if is_exact else {_sum(rest), _sum(without_pins(rest))}
    return mark.startswith(MARK) and first.removeprefix(SUM) in sums and first.startswith(SUM)


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def need_pinned(package: str) -> None:
    """Refuse a package that may change over time, with UsageError.

    Args:
        package: The value of ``--package``.
    """
    if package == OWN or _COMMIT.fullmatch(package) or _ARCHIVE.fullmatch(package):
        return
    raise UsageError(
        f"--package must name gitmem by a full commit or a hash, not {package!r}",
        hint=f"--package takes {FORMS}",
    )
