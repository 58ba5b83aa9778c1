"""What else runs in this repository, by the files that say so, and how to leave the memory branch out of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitmem.repository.repository import OpenRepository

FOLDER = ".github/workflows"
# More of a workflow is not looked at.
SIZE_LIMIT = 262_144
# It runs as the default branch has it for pull requests to any branch (GitHub Docs, "Events that trigger workflows").
# Other events of a branch take what was pushed, or a pull request's merge: on the memory branch, ours alone.
TARGET = "pull_request_target"
_OWN_FILE = (
    "runs nothing for the branch {branch}, which lacks that file; if its settings name another file, exclude the branch"
)
# The services whose file says nothing about other branches: what they do by default, and where that is changed.
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
    """Return one line for each thing to know before a forge's jobs are set up here."""
    top = repository.git.repository.work_tree
    notes = list_notes(top, repository.config.branch) if top is not None else []
    if repository.find_tip() is None:
        message = "there is no memory branch here yet, which reviewing its pull requests needs"
        notes.append(f"{message}: gitmem init, then install again")
    return notes


def list_notes(top: Path, branch: str) -> list[str]:
    """Return one line for each file that makes something run where the memory branch should start nothing."""
    found = [f"{path}: {note.format(branch=branch)}" for path, note in SERVICES.items() if (top / path).is_file()]
    return [*_targeting(top, branch), *found]


def _targeting(top: Path, branch: str) -> Iterator[str]:
    folder = top / FOLDER
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        path = folder / name
        if not name.endswith((".yml", ".yaml")) or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
            continue
        if _is_targeting(path.read_text(encoding="utf-8", errors="replace")):
            yield (
                f"{FOLDER}/{name}: {TARGET} also runs for pull requests to {branch}: exclude it with "
                f"branches-ignore: [{branch}]"
            )


def _is_targeting(text: str) -> bool:
    """Return whether a workflow runs for pull requests to every branch, whatever that has."""
    if TARGET not in text:
        return False
    import yaml  # heavy, and only for such a workflow

    try:
        table = yaml.safe_load(text)
        # `on` is a truth value in YAML 1.1, which is what the loader reads.
        events = table.get("on", table.get(True))
    except (yaml.YAMLError, AttributeError, ValueError, RecursionError):
        return False  # the forge does not run it either
    if not isinstance(events, dict):
        return events == TARGET or (isinstance(events, list) and TARGET in events)
    how = events.get(TARGET, {})
    return TARGET in events and not (isinstance(how, dict) and {"branches", "branches-ignore"} & set(how))
