"""Judge whether files and folders exist, and did when the line was written."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import is_example
from gitmem.commands.adopt.claims.paths import ABOVE, FOREIGN, looks_like_name
from gitmem.commands.adopt.documents import moved_to
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Source, stands_for_others
from gitmem.commands.adopt.judge.identifiers import is_identifier
from gitmem.commands.adopt.statements import BULLET
from gitmem.commands.adopt.tree import is_sample
from gitmem.frozen import replace
from gitmem.text.code.languages import is_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past


# The usual first parts of the names of branches.
_BRANCH = re.compile(r"^(?:feat|feature|features|fix|bugfix|hotfix|release|releases|chore|refactor|perf|spike|origin)/")
# How an item of a list begins, or continues in the next line.
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s|\s+\S")
# What a word that looks like a folder may be called, if it is none.
_THING = (
    r"(?:git )?(?:remotes?|branch(?:es)?|tags?|labels?|namespaces?|buckets?|queues?|topics?|routes?|endpoints?|urls?|"
    r"cookies?|headers?|images?|volumes?|registry|registries|commands?|subcommands?|tables?|columns?|scopes?)"
)
_THING_AFTER = re.compile(rf"[`*\"]{{0,2}} {_THING}\b", re.I)
_THING_BEFORE = re.compile(rf"\b{_THING}(?: is| called| named)?:? [`*\"]{{0,2}}$", re.I)
# The most characters of what _THING_BEFORE finds.
_LONGEST_THING = 30
# A sentence about the output of a build, such as `./server`, which the repository does not contain.
_BUILT = re.compile(
    r"\bbuild output\b|\boutput of the build\b|"
    r"\b(?:built|compiled|resulting|generated|produced) (?:binary|binaries|executable|program|file)s?\b",
    re.I,
)
# Verbs of a program that writes a file of this name: "stores the sources as `Readme.md`".
_STORED = re.compile(
    r"\b(?:stores?|saves?|writes?|generates?|produces?|emits?|dumps?)\b[^;]{0,160}\b(?:as|to|into)\W{0,3}$"
)
# Usual folders of projects: a word that begins with one is a path, even if the repository lacks the folder.
_USUAL = frozenset({
    "src", "packages", "apps", "crates", "internal", "cmd", "pkg", "tests", "scripts", "tools", "examples",
})  # fmt: skip
_FIXTURE = re.compile(r"(?:^|/)(?:__)?(?:fixtures?|testdata|mocks?|snapshots?)(?:__)?/")


def judge_path(mention: Mention, head: Code, past: Past) -> JudgedClaim | None:
    """Judge the claim that a path exists; None if it turns out not to be a claim."""
    claim = mention.claim
    if _is_other_thing(mention):
        return None
    if claim.tool == FOREIGN and not any(head.has(place) for place in claim.places):
        return None
    is_plain = "/" not in claim.name and not claim.token.endswith("/")
    there = next((place for place in claim.places if head.has(place)), "")
    # A tree drawn in `app/` is about `app/app/main.c` if that exists, though `app` may stand for its own folder.
    as_drawn = posixpath.join(mention.document.folder, claim.name) if claim.tool == "tree" else ""
    # A link leads to one place: a file of that name elsewhere, also below the root, does not mend it.
    is_elsewhere = claim.tool == "link" and there not in claim.places[:1]
    if there and not is_elsewhere and (there in (claim.places[0], as_drawn) or not claim.is_certain or is_plain):
        return _confirm(mention, there)
    if claim.tool == "link" and (left := _find_left_behind(mention, head, past)):
        wrote, _ = past.writer(mention)
        return JudgedClaim(mention, FALSE, Source(left), held=True, wrote=wrote, now=left)
    if there and is_elsewhere:
        return None
    near = [] if there or claim.tool == "link" else _near(head, claim.name, mention.document)
    if not claim.is_certain and not there:
        # A word that only looks like a name counts if there is such a file.
        if near and (len(near) == 1 or "/" in claim.name or claim.tool == "tree"):
            # `tool` may be the program, not the folder `cmd/tool`, and `tool/` a remote of git.
            is_word = is_plain and "." not in claim.name and claim.tool != "tree"
            return None if is_word else _confirm(mention, near[0])
        if not re.search(r"[/.]", claim.name) or claim.tool == "tree":
            return None
    if near and is_plain:
        # Of several files in other places, any may be meant, and none of these need to be.
        is_one = len(near) == 1 or near[0].startswith(f"{mention.document.folder or '/'}/")
        return _confirm(mention, near[0]) if is_one else replace(_confirm(mention, near[0]), check=None)
    if is_plain and claim.name[0] in "._-" and any(path.endswith(claim.name) for path in head.files):
        return None  # the end of names of files: `.exp.json`, `_test.go`
    if there and not mention.document.folder:
        return _confirm(mention, there)
    judged = _judge_missing(mention, head, past, other=there or next(iter(near), ""), is_there=bool(there))
    is_fixture = not near and not there and claim.tool != "link" and head.list_ending_with(claim.name)
    return None if judged and judged.verdict == NEVER and is_fixture else judged


def _is_other_thing(mention: Mention) -> bool:
    """Return whether a sentence calls a word something else than a file or folder: "the `tool/` remote"."""
    token, text = mention.claim.token, mention.statement.text
    if mention.claim.tool or posixpath.splitext(mention.claim.name)[1]:
        return False
    if token.startswith("./") and "/" not in mention.claim.name and _BUILT.search(text):
        return True
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        is_word = not re.match(r"[\w/.-]", text[at - 1 : at]) and not re.match(r"[\w/-]", text[end : end + 1])
        if is_word and (_THING_AFTER.match(text, end) or _THING_BEFORE.search(text[max(0, at - _LONGEST_THING) : at])):
            return True
        at = text.find(token, at + 1)
    return False


def _judge_missing(mention: Mention, head: Code, past: Past, *, other: str, is_there: bool) -> JudgedClaim | None:
    """Judge a path that is not exactly there.

    *other* is the path that it may mean instead, or empty; *is_there* tells whether that is one of its own places.
    """
    claim = mention.claim
    if looks_like_name(claim) and is_identifier(head, claim.token):
        return None
    if _is_branch(mention, head):
        return None
    wrote, named = past.writer(mention)
    then = past.code(wrote)
    before = moved_to(mention.document, named)
    if claim.tool == "tree" and before.folder and then is not None:
        root, _, rest = claim.name.partition("/")
        own = posixpath.join(mention.document.folder, rest).rstrip("/")
        if rest and root == posixpath.basename(before.folder) and head.has(own):
            return _confirm(mention, own)
    gone = _find_lost_path(mention, named, then, head, is_alone=is_there or not other)
    if other and not gone:
        return _confirm(mention, other)
    if any(head.is_ignored(place) for place in (*claim.places, *([gone] if gone else []))) or mention.is_past:
        return None
    if gone and _STORED.search(mention.statement.text.partition(f"`{claim.token}`")[0][-200:]):
        return None
    if gone and then is not None and _is_choice(mention, then):
        return None
    if gone:
        return JudgedClaim(mention, FALSE, Source(gone), held=True, wrote=wrote, then=gone, check={"exists": gone})
    if not claim.is_certain or _may_be_elsewhere(mention, head) or head.is_ignored_somewhere(claim.name):
        return None
    held = False if then is not None else None
    where = claim.places[0] if claim.places else claim.name
    return JudgedClaim(mention, NEVER, Source(where), held=held, wrote=wrote)


def _may_be_elsewhere(mention: Mention, head: Code) -> bool:
    """Return whether a path that never was here may be an example, a pattern, or another thing."""
    claim = mention.claim
    if is_example(mention.statement.text) and claim.tool != "tree":
        return True
    if claim.tool == ABOVE and not any(head.has(posixpath.dirname(place)) for place in claim.places):
        return True
    is_deep = "/" in claim.name
    if is_deep and head.tree.has_submodules and not any(head.has(place.partition("/")[0]) for place in claim.places):
        return True
    if looks_like_name(claim) and (_is_module(claim, head) or not _has_first_folder(claim, head)):
        return True
    return stands_for_others(claim.token)


def _is_module(claim: Claim, head: Code) -> bool:
    """Return whether a word is the path of a file of code without its ending, as in an import: `src/parts/button`."""
    stems = ((place, posixpath.basename(place)) for place in claim.places)
    return any(
        path.startswith(f"{place}.") and is_code(path)
        for place, stem in stems
        for path in head.tree.list_own_with_stem(stem)
    )


def _has_first_folder(claim: Claim, head: Code) -> bool:
    """Return whether the first folder of a path exists or is a usual one; `linux/amd64` may mean anything."""
    first, _, rest = claim.name.partition("/")
    return first in _USUAL or any(
        place.endswith(f"/{rest}") and head.has(place[: -len(rest) - 1]) for place in claim.places
    )


def _is_choice(mention: Mention, then: Code) -> bool:
    """Return whether a path is one of two to choose from, of which the other did not exist: "`A.md` or `docs/B.md`"."""
    token, text = re.escape(mention.claim.token), mention.statement.text
    match = re.search(rf"`{token}`,? or (?:in )?`([^`\s]+)`|`([^`\s]+)`,? or (?:in )?`{token}`", text)
    other = (match[1] or match[2]).strip("./") if match else ""
    is_path = re.search(r"\w[/.]\w", other) is not None
    return is_path and not then.has(other) and not then.list_ending_with(other)


def _is_branch(mention: Mention, head: Code) -> bool:
    """Return whether a word is a branch: it looks like one, is called one, or is in a list of prefixes of branches."""
    token, text = mention.claim.token, mention.statement.text
    is_about = "branch" in f"{mention.statement.section} {text}".lower()
    if is_about and (_BRANCH.match(token) or re.search(rf"{re.escape(token)}`? branch\b", text)):
        return True
    if mention.statement.kind != BULLET or token.count("/") != 1:
        return False
    lines = head.text(mention.document.path).split("\n")[: mention.statement.line - 1]
    while lines and (not lines[-1].strip() or _ITEM.match(lines[-1])):
        lines.pop()
    return bool(lines) and re.search(r"\bbranch(?:es)?\b.{0,80}\b(?:prefix|name|start)", lines[-1], re.I) is not None


def _find_left_behind(mention: Mention, head: Code, past: Past) -> str:
    """Return what a link led to before its document was moved without it; empty if it was not."""
    wrote, named = past.writer(mention)
    old, here = (posixpath.dirname(path) for path in (named, mention.document.path))
    word = posixpath.normpath(posixpath.join(old, mention.claim.name))
    then = past.code(wrote) if old != here and not mention.claim.token.startswith("/") else None
    return word if then is not None and then.has(word) and head.has(word) else ""


def _confirm(mention: Mention, there: str) -> JudgedClaim:
    return JudgedClaim(mention, HOLDS, Source(there), check={"exists": there})


def _near(head: Code, name: str, document: Document) -> list[str]:
    """Return the paths that end with a name, those below the document's folder first."""
    paths = head.list_ending_with(name) if name and not name.startswith("..") else []
    paths = sorted(paths or _list_shortened(head, name), key=lambda path: (is_sample(path), path.count("/")))
    below = [path for path in paths if document.folder and path.startswith(f"{document.folder}/")]
    if below or "/" in name or "." in name:
        return below or paths
    # A folder of the same name somewhere in fixtures is another one.
    return [path for path in paths if not _FIXTURE.search(path)]


def _list_shortened(head: Code, name: str) -> list[str]:
    """Return the paths whose first folder a name shortens or writes with dots.

    `Domain/Order.cs` shortens `src/Shop.Domain/Order.cs`, and `app.assets/a.yaml` stands for `src/app/assets/a.yaml`.
    """
    first, _, rest = name.partition("/")
    if not rest:
        return []
    if re.fullmatch(r"[a-z_]\w*(?:\.[a-z_]\w*)+", first):
        return head.list_ending_with(f"{first.replace('.', '/')}/{rest}")
    ends = head.list_ending_with(rest) if first[:1].isupper() else []
    return [path for path in ends if path.endswith(f".{name}")]


def _find_lost_path(mention: Mention, named: str, then: Code | None, head: Code, *, is_alone: bool) -> str:
    """Return the path that the claim meant when its line was written, if it existed then and does not now."""
    if then is None:
        return ""
    claim, old = mention.claim, posixpath.dirname(named)
    is_moved = old != posixpath.dirname(mention.document.path)
    moved = [posixpath.normpath(posixpath.join(old, claim.name))] if is_moved else []
    folder = moved_to(mention.document, named).folder
    root, _, rest = claim.name.partition("/")
    if claim.tool == "tree" and folder and root == posixpath.basename(folder):
        moved.insert(0, posixpath.join(folder, rest).rstrip("/"))
    for place in (*moved, *claim.places):
        if then.has(place):
            return place if not head.has(place) else ""
    is_file = "/" in claim.name and ("." in posixpath.basename(claim.name) or claim.token.endswith("/"))
    is_name = "/" not in claim.name and claim.is_certain
    if is_alone and (is_name or is_file) and claim.tool not in ("tree", "link"):
        were = [path for path in then.list_ending_with(claim.name) if is_file or not _FIXTURE.search(path)]
        return were[0] if len(were) == 1 and not head.has(were[0]) else ""
    return ""
