"""Find other services that run on this repository, and how to exclude the memory branch from them."""

from __future__ import annotations

from gitmem.system import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitmem.repository import OpenRepository

FOLDER = ".github/workflows"
# The most bytes read of a workflow.
SIZE_LIMIT = 262_144
# This event runs the default branch's workflow for pull requests to any branch (GitHub Docs, "Events that trigger
# workflows"). Other events use the pushed commits, or a pull request's merge: on the memory branch, only our workflow.
TARGET = "pull_request_target"
_OWN_FILE = (
    "runs nothing for the branch {branch}, which lacks that file; if its settings name another file, exclude the branch"
)
# Services whose file does not select branches: their default behaviour, and where to change it.
SERVICES = {
    "vercel.json": "Vercel deploys every branch: in the project's settings, as Ignored Build Step:"
    ' [ "$VERCEL_GIT_COMMIT_REF" = "{branch}" ]',
    "netlify.toml": "Netlify may deploy every branch: exclude {branch} in the site's settings, "
    "under branches and deploy contexts",
    ".circleci/config.yml": "CircleCI starts a pipeline for every branch, which fails if its file is missing: "
    "exclude {branch} in the project's triggers",
    ".travis.yml": "Travis CI also builds branches without its file, unless its settings "
    "say to build only if .travis.yml is present",
    "azure-pipelines.yml": f"Azure Pipelines {_OWN_FILE}",
    "Jenkinsfile": f"Jenkins {_OWN_FILE}",
    ".gitlab-ci.yml": f"GitLab {_OWN_FILE}",
}


def notes_of(repository: OpenRepository) -> list[str]:
    """Return notes to read before installing a forge's jobs, one line each."""
    top = repository.git.repository.work_tree
    notes = list_notes(top, repository.config.branch) if top is not None else []
    if repository.find_tip() is None:
        message = "there is no memory branch here yet, which reviewing its pull requests needs"
        notes.append(f"{message}: gitmem init, then install again")
    return notes


def list_notes(top: Path, branch: str) -> list[str]:
    """Return one line per file that makes a service run on the memory branch."""
    notes = [f"{path}: {note.format(branch=branch)}" for path, note in SERVICES.items() if (top / path).is_file()]
    return [*_targeting(top, branch), *notes]


def _targeting(top: Path, branch: str) -> Iterator[str]:
    folder = top / FOLDER
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        path = folder / name
        if not name.endswith((".yml", ".yaml")) or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
            continue
        if _is_targeting(read_regular(path).decode("utf-8", "replace")):
            yield (
                f"{FOLDER}/{name}: {TARGET} also runs for pull requests to {branch}: exclude it with "
                f"branches-ignore: [{branch}]"
            )


def _is_targeting(text: str) -> bool:
    """Return whether a workflow runs for pull requests to every branch, whatever the branch contains."""
    if TARGET not in text:
        return False
    import yaml  # slow to import, and only for such a workflow

    try:
        table = yaml.safe_load(text)
        # In YAML 1.1, which the loader reads, `on` is a truth value.
        events = table.get("on", table.get(True))
    except (yaml.YAMLError, AttributeError, ValueError, RecursionError):
        return False  # the forge does not run it either
    if not isinstance(events, dict):
        return events == TARGET or (isinstance(events, list) and TARGET in events)
    how = events.get(TARGET, {})
    return TARGET in events and not (isinstance(how, dict) and {"branches", "branches-ignore"} & set(how))
