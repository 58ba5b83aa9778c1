"""The files for a forge's CI, as text: workflows and an action for GitHub, jobs to include for GitLab. Pure.

The texts are the templates beside this, with the values of one repository; the first two lines say which it is and
whether somebody changed it since.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from textwrap import indent

from gitmem.commands.install.package import OWN, need_pinned
from gitmem.errors import UsageError
from gitmem.frozen import frozen
from gitmem.verify.jobs.schedule import EVERY, WORKFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATES = Path(__file__).parent / "templates"
GITHUB, GITLAB = "github", "gitlab"
# Actions by commit, since tags are moved (threat T23); from their repositories' tags.
ACTIONS = {
    "CHECKOUT": "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
    "SETUP_PYTHON": "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0",
    "UPLOAD": "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
    "DOWNLOAD": "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1",
}
# What is in the work tree, by path, and its template.
IN_TREE = {
    GITHUB: {
        ".github/actions/gitmem/action.yml": "action.yml",
        WORKFLOW: "gitmem-verify.yml",
        ".github/workflows/gitmem-check.yml": "gitmem-check.yml",
        ".github/workflows/gitmem-review.yml": "gitmem-review.yml",
        ".github/workflows/gitmem-comment.yml": "gitmem-comment.yml",
    },
    GITLAB: {".gitlab/gitmem.yml": "gitmem.yml"},
}
# And on the memory branch: a pull request's jobs come from its own commits.
ON_BRANCH = {
    GITHUB: {".github/workflows/gitmem-review.yml": "gitmem-review.yml"},
    GITLAB: {".gitlab-ci.yml": "memory.yml"},
}
# A forge starts so many jobs of a matrix at most (GitHub Docs, "Usage limits"; GitLab Docs, "parallel").
MOST_SHARDS = {GITHUB: 256, GITLAB: 200}
MARK, SUM = "# gitmem-", "# sum "
# What a forge's globs and YAML take as it stands.
_PLAIN_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_CRON = re.compile(r'(?m)^    - cron: "(\d+) (\d+|\*)(?:-23/\d+)? ')
# A line that is for a script of the templates, at its own depth.
_LINES = re.compile(r"(?m)^( *)@(INSTALL)@$")
_FIELD = re.compile(r"@([A-Z_]+)@")
_OWN_FOLDER = "gitmem-own"
_OWN_CODE = f"""\
      - uses: {ACTIONS["CHECKOUT"]}
        with:
          ref: ${{{{ github.event.repository.default_branch }}}} # gitmem's own code, as it was reviewed
          path: {_OWN_FOLDER}
          persist-credentials: false
"""


@frozen
class CiOptions:
    """What is requested.

    Attributes:
        every: How often verify jobs run, a word of ``EVERY``.
        shards: How many machines share one.
        package: The gitmem that jobs install, as ``package.need_pinned`` takes it; ``.`` is this repository's code.
        branch: The memory branch.
        minute, hour: When they run, or begin to on a day, UTC.
    """

    every: str = "daily"
    shards: int = 1
    package: str = ""
    branch: str = "memory"
    minute: int = 17
    hour: int = 3


def need_usable(forge: str, wanted: CiOptions) -> None:
    """Raise UsageError where something cannot be in these files."""
    most = MOST_SHARDS[forge]
    if not 1 <= wanted.shards <= most:
        raise UsageError(f"--shards must be from 1 to {most}")
    need_pinned(wanted.package)
    if wanted.package == OWN and forge != GITHUB:
        raise UsageError("--package . works only with gitmem install github: other jobs have no checkout of gitmem")
    if not _PLAIN_BRANCH.fullmatch(wanted.branch):
        raise UsageError(f"these files cannot contain the memory branch's name: {wanted.branch}")


def texts(forge: str, wanted: CiOptions, *, on_branch: bool = False) -> dict[str, str]:
    """Return what is written, by path: in the work tree, or on the memory branch.

    Raises:
        UsageError: Something cannot be in these files.
    """
    need_usable(forge, wanted)
    fields = ACTIONS | {
        "BRANCH": wanted.branch,
        "CRON": _cron(wanted),
        "SHARDS": ", ".join(map(str, range(1, wanted.shards + 1))),
        "COUNT": str(wanted.shards),
        "PACKAGE": wanted.package,
        # Where nothing of the code is checked out.
        "PACKAGE_ALONE": f"./{_OWN_FOLDER}" if wanted.package == OWN else wanted.package,
        "OWN_CODE": _OWN_CODE if wanted.package == OWN else "",
    }
    found = (ON_BRANCH if on_branch else IN_TREE)[forge]
    return {path: _sealed(path, _filled(forge, template, fields), wanted) for path, template in found.items()}


def _filled(forge: str, template: str, fields: Mapping[str, str]) -> str:
    text = (TEMPLATES / forge / template).read_text(encoding="utf-8")
    text = text.replace("@OWN_CODE@\n", fields["OWN_CODE"])
    text = _LINES.sub(lambda found: indent(_part(found[2]), found[1]), text)
    return _FIELD.sub(lambda found: fields[found[1]], text)


def _part(name: str) -> str:
    """Return lines of shell that several files share."""
    return (TEMPLATES / f"{name.lower()}.sh").read_text(encoding="utf-8").removesuffix("\n")


def _sealed(path: str, text: str, wanted: CiOptions) -> str:
    name = "gitlab" if path.startswith(".gitlab") else path.rpartition("/")[2].removesuffix(".yml")
    every = f" every {wanted.every}" if path == WORKFLOW else ""
    return f"{MARK}{name.removeprefix('gitmem-')}{every}\n{SUM}{_sum(text)}\n{text}"


def _cron(wanted: CiOptions) -> str:
    hours = EVERY[wanted.every]
    if hours == 1:
        return f"{wanted.minute} * * * *"
    if hours < 24:
        return f"{wanted.minute} {wanted.hour}-23/{hours} * * *"
    return f"{wanted.minute} {wanted.hour} * * {'1' if hours > 24 else '*'}"


def time_of(text: str) -> tuple[int, int] | None:
    """Return the minute and the hour at which a workflow runs, the hour 0 for every one; None where it is not ours."""
    found = _CRON.search(text) if is_ours(text) else None
    return (int(found[1]), 0 if found[2] == "*" else int(found[2])) if found else None


def is_ours(text: str) -> bool:
    """Return whether a file is one that was written here, of any version, and nobody changed."""
    mark, _, rest = text.partition("\n")
    first, _, rest = rest.partition("\n")
    return mark.startswith(MARK) and first == f"{SUM}{_sum(rest)}"


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
