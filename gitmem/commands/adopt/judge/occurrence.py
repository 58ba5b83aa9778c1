"""Judge whether names occur in the code, and did when the line was written."""

from __future__ import annotations

import itertools
import posixpath
import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import is_example
from gitmem.commands.adopt.claims.symbols import LOOSE, dotted, is_plain_word, owner_of, qualified, whole_forms
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe, Source
from gitmem.commands.adopt.judge.identifiers import is_property
from gitmem.commands.adopt.judge.scopes import BODY, scope_of
from gitmem.commands.adopt.statements import CODE, split
from gitmem.commands.adopt.tree import is_sample
from gitmem.document.check_values import OR_IN
from gitmem.document.sources.symbols import find_symbol
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past

# Where a name may be that no file is stated for: a document may be about any of the code.
SCOPE = "**"
# The definition of an option or a variable of CMake, whose commands have no case. Source: cmake-commands(7).
_CMAKE = r"^[ \t]*(?:option|set|cmake_dependent_option)[ \t]*\([ \t]*{}[ \t)]"
# Files that a name is followed through, from the one that defined it when its line was written.
MOST_HOMES = 3
# Files that are searched for the definition of a qualified name.
MOST_FILES = 60
# Files that are read at once: often one of the first defines the name.
_AT_ONCE = 8
# The languages in which every call has parentheses: a name without them is not a call.
_CALLING = (".cs", ".java", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".py", ".swift", ".php", ".dart")
# What sentences about tests and examples say.
_TESTS = re.compile(
    r"\b(?i:tests?|testing|tested|specs?|mocks?|mocked|fixtures?|examples?|samples?|snippets?|demos?|e2e|stub(?:s|bed)?|"
    r"fakes?|asserts?|bench(?:mark)?s?)\b|\b[Tt]est(?=[A-Z_])|_tests?\b|(?<=[a-z])Tests?\b"
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# What spells the names of fields in another way in data: Pydantic, serde, Jackson, .NET, humps, camelcase-keys.
_CONVERTERS = (
    "alias_generator", "rename_all", "JsonNaming", "PropertyNamingStrategies", "PropertyNamingStrategy",
    "JsonNamingPolicy", "PropertyNamingPolicy", "humps", "camelize", "camelcaseKeys", "snakecaseKeys",
    "convertFromSnakeCase",
)  # fmt: skip
# The manifests of packages.
_MANIFESTS = (
    "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "build.gradle", "build.gradle.kts", "pom.xml",
    "pubspec.yaml", "mix.exs", "composer.json", "Gemfile", "Package.swift",
)  # fmt: skip
# What a plain word in code may be that no file defines.
_THING = r"(?:branch(?:es)?|tags?|remotes?|labels?|profiles?|channels?|folders?|director(?:y|ies)|columns?|tables?)"
# What says that a file does more than mention a name.
_DEFINED = re.compile(r"\b(?:defined|declared|implemented)\b", re.I)
# The fewest letters of a plain word that is taken for a name.
_SHORTEST = 5


def judge_symbol(mention: Mention, corpus: Corpus, head: Code, past: Past, *, tie: str = "") -> JudgedClaim | None:
    """Judge the claim that a name is in the code; None if it turns out not to be a claim.

    *tie* is the file that the statement says the name is in; empty if it names none.
    """
    judged = _judge(mention, corpus, head, past, tie)
    is_lost = judged is not None and judged.verdict == FALSE
    return None if is_lost and _is_converted(head, mention.claim.name) else judged


def _is_converted(head: Code, name: str) -> bool:
    """Return whether a name may be the other spelling of one in the code, which a program converts for its data."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    camel = re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)
    other = snake if name != snake else camel
    return other != name and bool(head.files_naming([other])) and bool(head.files_naming(_CONVERTERS))


def _judge(mention: Mention, corpus: Corpus, head: Code, past: Past, tie: str) -> JudgedClaim | None:
    claim = mention.claim
    where = corpus.present.get(claim.name)
    if claim.tool == LOOSE and (where is not None or not corpus.is_whole or mention.is_past):
        return None
    owner = owner_of(claim.token)
    if where is not None and owner:
        where = _find_member(owner, claim.name, corpus, head)
        if where is None:
            return _judge_owner(mention, owner, corpus, past, head)
    if where is not None and (forms := whole_forms(claim.token)):
        written = next((corpus.present[form] for form in forms if form in corpus.present), None)
        if written is None and (claim.token.endswith(">") or where.endswith(_CALLING)):
            return _judge_outside(mention, past, forms, head) if corpus.is_whole else None
        where = where if owner else written or where
    first = corpus.present.get(claim.name, "")
    if where is not None and claim.is_certain and is_sample(first) and not tie and _is_about_program(mention):
        return _judge_outside(mention, past, (claim.name,), head, left=first) if corpus.is_whole else None
    if where is not None:
        if tie:
            return _judge_tie(mention, head, past, tie) or _judge_mentioned(mention, head, corpus, tie)
        return _confirm(mention, where, owner, corpus, head)
    if not corpus.is_whole or mention.is_past:
        return None
    if claim.is_certain:
        judged = _judge_missing(mention, past, head, tie)
        is_bound = _VARIABLE.fullmatch(claim.name) and (_spells_property(mention) or is_property(head, claim.name))
        return None if judged is not None and judged.verdict == NEVER and is_bound else judged
    # A plain word means a name if the sentence says which file defines it, or if it is written as a name.
    judged = _judge_tie(mention, head, past, tie) if tie else _judge_plain(mention, past)
    return judged if judged is not None and judged.verdict == FALSE else None


def _confirm(mention: Mention, where: str, owner: str, corpus: Corpus, head: Code) -> JudgedClaim | None:
    """Return that a name holds; None if it is a plain word that files mention but do not define."""
    claim, text = mention.claim, mention.claim.name
    if name := dotted(claim):
        # That some text has `resources` proves nothing about `importlib.resources`.
        where, text = corpus.present.get(name, ""), name
    elif is_plain_word(claim):
        # Any text may have the word: a comment with `code` proves nothing about a program of that name.
        is_option = claim.token.startswith("-")
        where = "" if is_option or _is_other_thing(mention) else _find_definition(claim.name, where, corpus, head)
    if not where:
        return None
    # Without a file in the sentence, the name may move: the file only says where to look first.
    text = next((form for form in qualified(owner, claim.name) if corpus.present.get(form) == where), text)
    return JudgedClaim(mention, HOLDS, Source(where), check={"contains": text, "in": escape(where), OR_IN: SCOPE})


def _spells_property(mention: Mention) -> bool:
    """Return whether a sentence names the property that a variable sets: `app.max-retry` beside `APP_MAX_RETRY`."""
    words = mention.claim.name.lower().split("_")
    return any(re.split(r"[.-]", span.text.lower()) == words for span in mention.statement.spans if span.kind == "code")


def _judge_mentioned(mention: Mention, head: Code, corpus: Corpus, tie: str) -> JudgedClaim | None:
    """Judge a name that a sentence says is in a file, which does not define it.

    That the file mentions it is enough, unless the sentence says that it is defined there, or the name is a plain word.
    """
    name = mention.claim.name
    if _DEFINED.search(mention.statement.text):
        other = _find_definition(name, corpus.present[name], corpus, head)
        is_false = other and other != tie and not mention.is_past
        return JudgedClaim(mention, NEVER, Source(other), is_contradicted=True) if is_false else None
    if is_plain_word(mention.claim) or not re.search(rf"\b{re.escape(name)}\b", head.text(tie)):
        return None
    return JudgedClaim(mention, HOLDS, Source(tie), check={"contains": name, "in": escape(tie)})


def _is_other_thing(mention: Mention) -> bool:
    """Return whether a sentence calls a plain word a thing that no code defines: "the `main` branch"."""
    token = rf"[`*]{{1,3}}{re.escape(mention.claim.token)}[`*]{{1,3}}"
    thing = rf"{token} {_THING}\b|\b{_THING}(?: is| called| named)?:? {token}"
    return re.search(thing, mention.statement.text, re.I) is not None


def _find_definition(name: str, where: str, corpus: Corpus, head: Code) -> str:
    """Return a file of the program that defines a name outside of functions, *where* first; empty if none does."""
    paths = dict.fromkeys((where, *corpus.files_by_name.get(name, ())))
    files = [path for path in paths if not is_aside(path)][:MOST_FILES]
    batches = (head.texts(files[at : at + _AT_ONCE]).items() for at in range(0, len(files), _AT_ONCE))
    texts = itertools.chain.from_iterable(batches)
    return next((path for path, text in texts if is_defined_in(text, name) and not is_local(text, name)), "")


def _is_about_program(mention: Mention) -> bool:
    """Return whether a sentence is about the program, and not about its tests or examples."""
    statement, document = mention.statement, mention.document
    return not _TESTS.search(f"{document.path} {statement.section} {statement.text}")


def _judge_outside(
    mention: Mention, past: Past, forms: tuple[str, ...], head: Code, *, left: str = ""
) -> JudgedClaim | None:
    """Judge a name that the program no longer writes in some forms: it is false if the program did and defined it.

    *left* is the test or example that still has it: one that defines it may be what the sentence means.
    """
    name = mention.claim.name
    if mention.is_past:
        return None
    wrote, _ = past.writer(mention)
    then = past.code(wrote)
    were = then.texts(then.files_naming([name])) if then is not None else {}
    home = _home(
        name,
        (path for path, text in were.items() if any(form in text for form in forms)),
        wrote,
        mention.document,
        past,
    )
    # In another package of the repository it was another thing, if the code still has the name.
    if home and not (left and then is not None and _is_in_other_package(home, mention.document, then)):
        probe = Probe(home, lambda text: any(form in text for form in forms), name)
        source = Source(home, _line_of(past.text(wrote, home), name))
        return JudgedClaim(mention, FALSE, source, held=True, wrote=wrote, probe=probe, left=left)
    if left and is_defined_in(head.text(left), name):
        check = {"contains": name, "in": escape(left), OR_IN: SCOPE}
        return JudgedClaim(mention, HOLDS, Source(left), check=check)
    return None


def _is_in_other_package(path: str, document: Document, code: Code) -> bool:
    """Return whether a folder with a manifest of its own has a file, and not the document."""
    folder = posixpath.dirname(path)
    while folder:
        is_shared = f"{document.path}/".startswith(f"{folder}/")
        if not is_shared and any(f"{folder}/{name}" in code.files for name in _MANIFESTS):
            return bool(document.folder)
        folder = posixpath.dirname(folder)
    return False


def _find_member(owner: str, name: str, corpus: Corpus, head: Code) -> str | None:
    """Return a file that has a qualified name, or defines it in its class, module or package; None if none is known."""
    written = next((corpus.present[form] for form in qualified(owner, name) if form in corpus.present), None)
    if written is not None:
        return written
    files = sorted(corpus.files_by_name.get(name, ()), key=is_aside)[:MOST_FILES]
    for path, text in head.texts(files).items():
        parts = [part.lower().replace("_", "") for part in re.split(r"[/.]", path)[:-1]]
        is_class_here = owner[:1].isupper() and is_defined_in(text, owner)
        is_inside = owner.lower().replace("_", "") in parts and not is_class_here
        if is_defined_in(text, f"{owner}.{name}") or (is_inside and is_defined_in(text, name)):
            return path
    return None


def _judge_owner(mention: Mention, owner: str, corpus: Corpus, past: Past, head: Code) -> JudgedClaim | None:
    """Judge a qualified name whose last part is in the code, but nowhere as its owner's.

    It is false where the owner is gone. Else it may be inherited, so nothing is said.
    """
    if owner in corpus.present or not corpus.is_whole or mention.is_past or not mention.claim.is_certain:
        return None
    return _judge_missing(mention, past, head, "", name=owner)


def _judge_plain(mention: Mention, past: Past) -> JudgedClaim | None:
    """Judge the claim that a name of one word is in the code, which does not have that word now."""
    name = mention.claim.name
    is_written_so = mention.claim.tool == LOOSE or name[0].isupper() or re.search(r"\(|\.|::|#|->", mention.claim.token)
    if len(name) < _SHORTEST or not is_written_so:
        return None
    wrote, _ = past.writer(mention)
    then = past.code(wrote)
    home = _home(name, then.files_naming([name]), wrote, mention.document, past) if then is not None else ""
    return _lost(mention, name, home, wrote, past) if home else None


def _judge_missing(mention: Mention, past: Past, head: Code, tie: str, *, name: str = "") -> JudgedClaim | None:
    """Judge the claim that its name, or *name*, is in the code, which does not have it now."""
    name = name or mention.claim.name
    wrote, _ = past.writer(mention)
    were = past.files_with(wrote, name) if wrote else None
    home = _home(name, were or (), wrote, mention.document, past)
    if home:
        return _lost(mention, name, home, wrote, past, is_tied=tie == home)
    if is_example(mention.statement.text) or _is_set_in(_example_code(head.text(mention.document.path)), name):
        return None
    return JudgedClaim(mention, NEVER, held=None if were is None else False, wrote=wrote)


@lru_cache(maxsize=8)
def _example_code(text: str) -> str:
    """Return the lines of a document's code blocks: the names that they define are those of an example."""
    return "\n".join(line for statement in split(text) if statement.kind == CODE for line in statement.lines)


def _lost(mention: Mention, name: str, home: str, wrote: str, past: Past, *, is_tied: bool = False) -> JudgedClaim:
    """Return the finding that a name is no longer in the code; a file defined it when the line was written."""
    check = {"symbol": name, "in": escape(home)} | ({} if is_tied else {OR_IN: SCOPE})
    source = Source(home, _line_of(past.text(wrote, home), name))
    return JudgedClaim(mention, FALSE, source, held=True, wrote=wrote, probe=_probe(name, home), check=check)


def _judge_tie(mention: Mention, head: Code, past: Past, tie: str) -> JudgedClaim | None:
    """Judge the claim that a file defines a name; None if it only mentions it: the sentence may mean that.

    The name is somewhere in the code.
    """
    name, check = mention.claim.name, {"symbol": mention.claim.name, "in": escape(tie)}
    if is_defined_in(head.text(tie), name):
        return JudgedClaim(mention, HOLDS, Source(tie), check=check)
    if mention.is_past:
        return None
    wrote, _ = past.writer(mention)
    if not is_defined_in(past.text(wrote, tie), name):
        is_mentioned = re.search(rf"\b{re.escape(name)}\b", head.text(tie)) is not None
        held = False if wrote else None
        return None if is_mentioned else JudgedClaim(mention, NEVER, Source(tie), held=held, wrote=wrote)
    probe = Probe(tie, lambda text: is_defined_in(text, name), name)
    return JudgedClaim(mention, FALSE, Source(tie), held=True, wrote=wrote, probe=probe, check=check, home=tie)


def _home(name: str, files: Iterable[str], wrote: str, document: Document, past: Past) -> str:
    """Return the file that defined a name when the line was written, if the document is about that file."""
    for path in sorted(files, key=lambda path_in: not path_in.startswith(f"{document.folder}/")):
        is_about = not document.folder or path.startswith(f"{document.folder.split('/', 1)[0]}/")
        if is_about and not is_aside(path) and is_defined_in(past.text(wrote, path), name):
            return path
    return ""


def find_symbol_culprit(finding: JudgedClaim, past: Past) -> str:
    """Return the commit that took a name out of the code: out of its file, or of the last one that it moved to."""
    assert finding.probe is not None
    name, culprit = finding.claim.name, past.broke(finding.probe)
    if finding.home:
        return culprit
    later = culprit
    for _ in range(MOST_HOMES):
        home = _home(name, past.files_with(later, name) or (), later, finding.document, past) if later else ""
        later = past.broke(_probe(name, home)) if home else ""
        culprit = later or culprit
    return culprit


def _probe(name: str, home: str) -> Probe:
    return Probe(home, lambda text: re.search(rf"\b{re.escape(name)}\b", text) is not None, name)


def is_defined_in(text: str, name: str) -> bool:
    """Return whether a text of code defines a name."""
    return _line_of(text, name) > 0


def _is_set_in(text: str, name: str) -> bool:
    """Return whether a text of code defines a name, or sets it: `Consumer<String> traced = …`."""
    return is_defined_in(text, name) or re.search(rf"(?<![.\w]){re.escape(name)}[ \t]*:?=(?!=)", text) is not None


def is_local(text: str, name: str) -> bool:
    """Return whether a text of code defines a name first by an assignment in the body of a function."""
    line = _line_of(text, name)
    start = sum(len(one) + 1 for one in text.split("\n")[: line - 1])
    assigned = rf"[ \t]+[^=\n({{]*(?<![.\w]){re.escape(name)}[ \t]*(?::[^=\n]+?)?[ \t]*:?=(?![=>])"
    return line > 0 and re.match(assigned, text[start:]) is not None and scope_of(text, start).kind == BODY


def _line_of(text: str, name: str) -> int:
    if line := find_symbol(text.encode("utf-8", "surrogateescape"), name):
        return line
    match = re.search(_CMAKE.format(re.escape(name)), text, re.M) if name in text else None
    return text.count("\n", 0, match.start()) + 1 if match else 0
