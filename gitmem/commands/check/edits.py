"""Changes to what decides what is checked: the list of approved commands, gitmem's workflows and their settings.

None of them affects the check of the change itself (the default branch's list and workflow are used), but all of them
do after it is merged. So they are listed first.
"""

from __future__ import annotations

from gitmem.document.check_values import is_sha256
from gitmem.store.code_folder import CODE_FOLDER
from gitmem.store.scopes import POLICY_PATH
from gitmem.text import display, list_some
from gitmem.text.secrets import redact
from gitmem.verify.overview.finding import NOTE, WARNING, ReviewFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.check.change import Trees
    from gitmem.git.git import TreeChange

# The name of a list of approved commands, in any folder (`gitmem trust --print > .github/gitmem-approved`).
APPROVED = "gitmem-approved"
# Files that a forge runs; those that name gitmem count.
OF_FORGES = (".github/", ".gitlab/", ".gitlab-ci.yml", ".forgejo/", ".gitea/")
# The most commands of a list that are named (all are counted), and the characters of each.
NAMED, SHOWN = 5, 80
# No real workflow file is larger.
SIZE_LIMIT = 1024 * 1024


def look_at_edits(trees: Trees, approved: str) -> Iterator[ReviewFinding]:
    """Yield a change's edits to what decides about it, by path.

    *approved* is the path of the list of approved commands, as typed; or empty.
    """
    lists = {APPROVED, approved.rpartition("/")[2]} - {""}
    policies = {f"{CODE_FOLDER}/{POLICY_PATH}"}
    for change in trees.changes:
        path = display(change.path)
        if change.path.rpartition("/")[2] in lists:
            yield ReviewFinding(
                WARNING, "approved-list", _describe_list(trees, change), path=path, hint="review each command"
            )
        elif change.path in policies:
            text = "a policy in the code has no effect: gitmem reads it from the memory branch"
            yield ReviewFinding(NOTE, "policy-file", text, path=path)
        elif change.path.startswith(OF_FORGES) and _names_gitmem(trees, change):
            does = "removes" if change.status == "D" else "changes"
            what = "settings of gitmem's workflows" if change.path.endswith(".toml") else "a workflow that runs gitmem"
            text = f"it {does} {what}: after merging, that decides what is checked"
            yield ReviewFinding(WARNING, "gitmem-workflow", text, path=path, hint="let a code owner review it")


def _describe_list(trees: Trees, change: TreeChange) -> str:
    """Return which commands a list approves in addition, and no longer; a line is a hash, a key and a command."""
    was, now = ({*_lines(text)} for text in _both(trees, change))
    parts = []
    for lines, word in ((now - was, "approves"), (was - now, "no longer approves")):
        if lines:
            parts.append(f"{word} {list_some(sorted(map(_command, lines)), NAMED)}")
    return f"the list of approved commands: after merging, it {'; it '.join(parts) or 'approves the same'}"


def _command(line: str) -> str:
    key, _, command = line.partition(" ")[2].strip().partition(" ")
    text = redact(display(command.strip()))
    return f"{display(key)} ({text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'})"


def _lines(text: bytes) -> Iterator[str]:
    """Yield the lines of a list that may approve something: each begins with a hash."""
    for line in text.decode("utf-8", "replace").split("\n"):
        if is_sha256(line.partition(" ")[0]) and _command(line).strip(" ()"):
            yield line.rstrip()


def _names_gitmem(trees: Trees, change: TreeChange) -> bool:
    return "gitmem" in change.path.lower() or any(b"gitmem" in text.lower() for text in _both(trees, change))


def _both(trees: Trees, change: TreeChange) -> tuple[bytes, bytes]:
    """Return a file before and after the change; empty if there is none, or it is too large."""
    oids = [oid for oid in (change.old_oid, change.oid) if oid.strip("0")]
    texts = dict(trees.git.read_blobs(oids, limit=SIZE_LIMIT))
    return texts.get(change.old_oid) or b"", texts.get(change.oid) or b""
