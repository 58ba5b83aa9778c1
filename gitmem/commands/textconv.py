"""One file of the memory for display in a diff. Pure, and light: git starts a process for each file."""

from __future__ import annotations

from gitmem.document.spec import check_of, format_check
from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.model import BUILTIN
from gitmem.text import display


def readable(path: str, data: bytes) -> str:
    """Return a file as complete text: each verdict as one line, anything else unchanged.

    Args:
        path: Its name, or one that ends with it, as in git's temporary files.
        data: Its content.
    """
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    if name.endswith(".toml"):
        lines = _verdicts(name, data)
        if lines:
            return lines
    text = display(data.decode("utf-8", "backslashreplace").replace("\r\n", "\n"), lines=True)
    more = _commands(name, data, text) if name.endswith(".md") and b"verify" in data else ""
    return text + ("" if text.endswith("\n") or not more else "\n") + more


def _commands(name: str, data: bytes, text: str) -> str:
    """Return the commands that a memory's file does not show literally, as lines to append."""
    from gitmem.document.parse import parse  # 4 ms, only for facts

    try:
        document = parse(data, path=name)
    except FormatError as err:
        return f"[not a memory: {display(err.message)}]\n"
    check, refute = check_of(document), document.fields.get("refute")
    messages = [("check", format_check(check))] if check is not None and check.form != BUILTIN else []
    messages += [("counterexample", refute)] if isinstance(refute, str) else []
    lines = []
    for what, command in messages:
        # A command written plainly follows its field, line by line.
        if any(f"{line.strip()}\n" not in text for line in command.split("\n")):
            lines += [f"[{what}, as it runs]", *(f"    {line}" for line in display(command, lines=True).split("\n"))]
    return "".join(f"{line}\n" for line in lines)


def _verdicts(name: str, data: bytes) -> str:
    """Return the verdicts of a file, one per line; empty if it has none."""
    from gitmem.store.verdicts.buckets import sections_of

    # git names a temporary file only by the last part of the path, without the folder.
    shard = name.removesuffix(".toml")
    lines = [_verdict(key, text) for (key, _), text in sections_of(data, f"verdicts/{shard}.toml")]
    return "".join(lines) if lines and all(lines) else _verdict(shard.rpartition(".")[0], data)


def _verdict(key: str, data: bytes) -> str:
    """Return a verdict as one line; empty if it is not a verdict."""
    from gitmem.store.verdicts import parse_verdict

    try:
        verdict = parse_verdict(data, key=key, path="")
    except FormatError:
        return ""
    lines = [f"{key or 'the fact'} {verdict.outcome} at {verdict.commit[:12]}"]
    lines += [f"because {verdict.because}"] if verdict.because else []
    lines += [f"broken by {verdict.culprit[:12]}"] if verdict.culprit and verdict.outcome == "fails" else []
    lines += [f"last held at {verdict.held_commit[:12]}"] if verdict.held_commit and verdict.outcome == "fails" else []
    lines += ["unconfirmed"] if not verdict.confirmed else []
    lines += ["weak: it also holds in an empty folder"] if verdict.weak else []
    lines += ["flapping"] if verdict.flapping else []
    lines += [f"tried again without an answer: {verdict.attempt}"] if verdict.attempt else []
    lines += [f"on {verdict.sandbox}" if verdict.sandbox else "", f"judged {format_time(verdict.at)}"]
    lines += [f"check {verdict.spec[:12]}, claim {verdict.claim[:12]}, inputs {verdict.inputs[:12]}"]
    return display(" · ".join(filter(None, lines))) + "\n"
