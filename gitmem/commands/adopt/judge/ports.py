"""Judge the ports that documents name by the places that open, publish or configure them."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import is_example
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe, Source
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past

# Ports that programs open without being told. A project that lists one of them may rely on that. Source: their manuals.
_USUAL = {
    "3000": ("next", "nuxt", "reactscripts", "rails", "gitea"), "5173": ("vite",), "4173": ("vite",),
    "4200": ("@angular/core", "@angular/cli"), "4321": ("astro",), "6006": ("storybook",), "5000": ("flask",),
    "8000": ("uvicorn", "fastapi", "django", "mkdocs", "gunicorn"), "8080": ("vueclient", "webpackdevserver"),
    "8501": ("streamlit",), "7860": ("gradio",), "8888": ("jupyter", "jupyterlab", "notebook"), "8787": ("wrangler",),
}  # fmt: skip
# Ports of servers that people also run by themselves: databases, queues, models.
_SERVERS = frozenset(
    {"5432", "3306", "6379", "27017", "9200", "5672", "1433", "9092", "11434", "22", "80", "443", "25"}
)
_PORT = r"(?<![\d.]){}(?![\d.]\d|\d)"
_DECLARED = (
    r"(?i:port)[\w\"'\])]*[^\w\n]{{1,8}}(?:[\w.]+\([^\d\n]{{0,24}})?{}",  # `port: 8000`, `PORT || 8000`
    r"(?i:port)s?\W{{1,4}}(?:\w+\W{{1,4}}){{0,2}}{}",  # `os.environ.get("PORT", "8000")`
    r"[\w\])\"'.}}*]:{}",  # `localhost:8000`, `":8000"`, `"80:8000"`
    r"(?:^|[-\"'\s]){}:\d{{2,5}}(?:/\w+)?(?:$|[\"'\s])",  # `- "8000:80"`
    r"(?:EXPOSE[^\n]*?|[lL]isten\w*\W{{1,4}}|\s-p\s*){}",
)
# Folders below the root in which a file may be about anything of the project: a port deeper down is one part's.
_DEEP = 3
# Words of paths and sentences that say nothing about what opens a port.
_COMMON = frozenset({
    "port", "ports", "host", "localhost", "http", "https", "html", "json", "yaml", "main", "index", "config", "default",
    "defaults", "test", "tests", "example", "examples", "readme", "contributing",
})  # fmt: skip
_WORD = re.compile(r"[a-z]{4,}")
# "When port 3000 is taken": not a port that something here opens.
_TAKEN = re.compile(
    r"\b(?:if|when|whenever|unless|in case)\b[^.;]{0,40}\bport\W{0,3}\d+\W{0,3}[^.;]{0,20}\b"
    r"(?:taken|in use|busy|occupied|unavailable|blocked|already|free|not available)\b"
    r"|\bport\W{0,3}\d+\W{0,3}(?:is )?(?:already )?(?:taken|in use|busy|occupied)\b",
    re.I,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--)")
# Any port that one of these declares.
_ANY = re.compile("|".join(f"(?:{form.format(_PORT.format('([1-9][0-9]{1,4})'))})" for form in _DECLARED))


def judge_port(
    mention: Mention, head: Code, past: Past, corpus: Corpus, packages: Mapping[str, object]
) -> JudgedClaim | None:
    """Judge that something uses a port; None if nothing ever declared it, or it may be a program's usual one.

    A file deep down, a test, an example and a file outside the document's folder declare another part's port, unless
    the sentence and the path have a word in common.

    *packages* are those that manifests list, by plain name.
    """
    port = mention.claim.stated
    if (named := _judge_named(mention, head, port)) is not None:
        return named
    near = [path for path in corpus.files_by_name.get(port, ()) if _is_about(mention, path)]
    if (source := _find(head, near, port)) is not None:
        return JudgedClaim(mention, HOLDS, source, check=_check(head, source))
    if _find(head, corpus.files_by_name.get(port, ()), port) is not None:
        return None
    is_usual = port in _SERVERS or any(name in packages for name in _USUAL.get(port, ()))
    if mention.is_past or is_usual or not corpus.is_whole:
        return None
    wrote, _ = past.writer(mention)
    then = past.code(wrote)
    if then is None:
        return None
    paths = [path for path in past.files_with(wrote, port) or () if not is_aside(path) and _is_about(mention, path)]
    was = _find(then, paths, port)
    # Where no port is declared any more, the program may open its usual one.
    source = _declared(head.text(was.path), was.path) if was is not None else None
    if was is None or source is None:
        return None
    probe = Probe(was.path, lambda text: _line_of(text, port) > 0)
    return JudgedClaim(mention, FALSE, source, held=True, wrote=wrote, probe=probe, check=_check(then, was))


def _judge_named(mention: Mention, head: Code, port: str) -> JudgedClaim | None:
    """Judge a port by the file that its sentence names; None if it names no file that declares ports."""
    spots = [span.text for span in mention.statement.spans if span.kind in ("code", "link") and span.text in head.files]
    declared = {path: one for path in dict.fromkeys(spots) if (one := _declared(head.text(path), path)) is not None}
    if (source := _find(head, declared, port)) is not None:
        return JudgedClaim(mention, HOLDS, source, check=_check(head, source))
    if len(declared) != 1 or len(spots) != 1 or mention.is_past or port in _SERVERS:
        return None
    if is_example(mention.statement.text) or _TAKEN.search(mention.statement.text):
        return None
    if any(form in head.text(spots[0]) for form in spellings_of_port(port)):  # perhaps declared in another way
        return None
    return JudgedClaim(mention, NEVER, next(iter(declared.values())), is_contradicted=True)


def spellings_of_port(port: str) -> tuple[str, ...]:
    """Return how code writes a port: `4100`, or `4_100` with a sign between the thousands."""
    return (port, f"{port[:-3]}_{port[-3:]}") if len(port) > 3 else (port,)


def _find(code: Code, paths: Iterable[str], port: str) -> Source | None:
    """Return the first file and line that declare a port."""
    for path, text in code.texts(sorted(paths, key=lambda path: (is_aside(path), path))).items():
        if line := _line_of(text, port):
            return Source(path, line, port)
    return None


def _line_of(text: str, port: str) -> int:
    spellings = [spelling for spelling in spellings_of_port(port) if spelling in text]
    if not spellings:
        return 0
    pattern = re.compile("|".join(form.format(_PORT.format(f"(?:{'|'.join(spellings)})")) for form in _DECLARED))
    return next((number for number, line in _lines(text) if pattern.search(line)), 0)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that may open a port, with their numbers: not comments."""
    numbered = enumerate(text.split("\n"), 1)
    return ((number, line) for number, line in numbered if len(line) < 400 and not _COMMENT.match(line))


def _declared(text: str, path: str) -> Source | None:
    """Return the ports that a file declares now, with the line of the first; None if it declares none."""
    match = {
        next(filter(None, match.groups())): number for number, line in _lines(text) for match in _ANY.finditer(line)
    }
    return Source(path, next(iter(match.values())), " and ".join(list(match)[:3])) if match else None


def _is_about(mention: Mention, path: str) -> bool:
    """Return whether a file may declare the port that a sentence means."""
    folder = mention.document.folder
    if folder and path.startswith(f"{folder}/"):
        return True
    if path.count("/") < _DEEP and not is_aside(path) and not folder:
        return True
    context = f"{mention.document.path} {mention.statement.section} {mention.statement.text}".lower()
    return bool({*_WORD.findall(path.lower())} & {*_WORD.findall(context)} - _COMMON)


def _check(code: Code, source: Source) -> Mapping[str, str]:
    line = code.text(source.path).split("\n")[source.line - 1].strip()
    return {"contains": line, "in": escape(source.path)}
