"""Format the findings of adopt as words, and for forges and other programs."""

from __future__ import annotations

import json
from hashlib import sha256
from urllib.parse import quote

from gitmem import __version__
from gitmem.commands.adopt.causes import name_cause
from gitmem.commands.adopt.claims.claim import COMMAND, SUBCOMMAND
from gitmem.commands.adopt.claims.symbols import whole_forms
from gitmem.commands.adopt.findings import FALSE, HOLDS, KNOWN, NEVER
from gitmem.commands.adopt.kinds import KINDS
from gitmem.commands.adopt.memories import title_of_check
from gitmem.text import as_sentence, count_of, display, escape_json, unlike_command, workflow_command
from gitmem.verify.overview.finding import describe_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from gitmem.commands.adopt.findings import Adoption, Contradiction, Correction, Culprit, JudgedClaim, Side

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# GitHub shows this many annotations per step, and drops the others.
SHOWN = 10


def sentence(finding: JudgedClaim) -> str:
    """Return the problem with a claim, on one line, cleaned."""
    claim, source = finding.claim, finding.source
    if claim.kind == "path":
        text = f"{claim.token} does not exist"
    elif claim.kind == "symbol":
        where = f"only in {finding.left} now" if finding.left else "not in the code"
        lost = f"{claim.token if whole_forms(claim.token) else claim.name} is {where}{_contrast(finding)}"
        text = f"{finding.home} does not define {claim.name}" if finding.home else lost
    elif problem := KINDS[claim.kind].problem:
        text = problem.format(token=claim.token, name=claim.name) + _contrast(finding)
    elif claim.tool == "count":
        text = f"says {claim.token}, but there are {source.actual if source else ''}"
    else:
        text = (
            f"says {claim.token}, but {source.where if source else 'the code'} says {source.actual if source else ''}"
        )
    return display(" ".join(text.split()))


def checked(finding: JudgedClaim) -> str:
    """Return what was checked of a statement that was not found false, cleaned: it may say more than that."""
    return display(title_of_check(finding.check) if finding.check else finding.claim.token)


def _contrast(finding: JudgedClaim) -> str:
    """Return where the code contradicts a claim, or did confirm it, as the rest of a sentence; empty if unknown."""
    source = finding.source
    if source is None or finding.claim.kind == COMMAND:
        return ""
    if finding.is_contradicted:
        where = "the code" if source.path == "." else source.where
        verb = "says" if source.line else "has"
        return f": {where} {verb} {source.actual}" if source.actual else f": see {source.where}"
    return f": it was in {source.where}"


def unfounded(findings: Sequence[JudgedClaim]) -> str:
    """Return what is wrong with a command or file that never was there, with the places that name it, cleaned."""
    claim, where = findings[0].claim, findings[0].document.path
    lines = ", ".join(str(finding.claim.line) for finding in findings if finding.document.path == where)
    others = len({finding.document.path for finding in findings} - {where})
    more = f" and {count_of(others, 'more document')}" if others else ""
    is_command, is_gone = claim.kind in (COMMAND, SUBCOMMAND), findings[0].culprit is not None
    what, verb = (f"`{claim.token}`", "was defined") if is_command else (claim.token, "existed")
    never = f"{what} was never defined" if is_command else f"{what} never existed"
    problem = f"{what} {verb} only before the line was written" if is_gone else never
    return display(f"{where}:{lines}{more}  {problem}")


def describe_never(finding: JudgedClaim) -> str:
    """Return the verdict on a claim that holds nowhere in the history, in words."""
    return "was never true" if finding.claim.stated else "never existed"


def contradiction(contradiction: Contradiction) -> str:
    """Return what documents say differently, on one line, cleaned."""
    return display(f"{contradiction.subject}: {'; '.join(map(_side, contradiction.sides))}")


def _side(side: Side) -> str:
    first, *others = side.places
    more = f" and {count_of(len(others), 'more document')}" if others else ""
    source = f" (so does {side.source})" if side.source else ""
    return f"{first}{more} say{'s' if not others else ''} {side.says}{source}"


def elsewhere(finding: JudgedClaim) -> str:
    """Return where other documents are right, cleaned; empty if none says the same."""
    first, *others = finding.right or ("",)
    more = f" and {count_of(len(others), 'more place')}" if others else ""
    return display(f"{first}{more} {'are' if others else 'is'} right") if first else ""


def also(finding: JudgedClaim) -> str:
    """Return which other lines make the same claim: ``also on line 5, 9``; empty without any."""
    return f"also on line {', '.join(map(str, finding.more))}" if finding.more else ""


def same_cause(findings: Sequence[JudgedClaim], most: int) -> str:
    """Return where further false statements of one cause are: ``and 3 more of the same commit: a.md:1, 4, b.md:2``."""
    places = list(dict.fromkeys((finding.document.path, finding.claim.line) for finding in findings))
    before = ("", *(path for path, _ in places))
    named = [
        f"{line}" if path == last else f"{path}:{line}" for (path, line), last in zip(places, before, strict=False)
    ]
    rest = ", …" if len(named) > most else ""
    return display(
        f"and {len(findings)} more of the same {name_cause(findings[0])[0]}: {', '.join(named[:most])}{rest}"
    )


def blame(finding: JudgedClaim) -> str:
    """Return since when a claim is false and because of whom, on one line, cleaned; empty if unknown."""
    culprit = finding.culprit
    if culprit is not None:
        start = "since" if finding.verdict == FALSE else "gone since"
        merged = f", merged by {_commit_text(culprit.merge)}" if culprit.merge else ""
        return display(f"{start} {_commit_text(culprit)}{merged}")
    return "it was not true when it was written" if finding.held is False else ""


def _commit_text(commit: Culprit) -> str:
    return f"{commit.commit[:10]} “{commit.subject}” ({commit.author}, {commit.date[:10]})"


def advice(finding: JudgedClaim) -> str:
    """Return how to correct the document, cleaned; empty if unknown."""
    if finding.fix:
        return f"should say: {display(finding.fix)}"
    if finding.cut:
        return f"remove {describe_lines(finding.cut)}"
    if finding.is_surplus:
        return f"remove {display(finding.claim.token)}"
    return f"it is now {display(finding.now)}" if finding.now else ""


def summary(adoption: Adoption) -> str:
    """Return the counts on one line."""
    false, holds, never = (len(adoption.of(verdict)) for verdict in (FALSE, HOLDS, NEVER))
    documents = count_of(len(adoption.documents), "document")
    more = f", {never} never existed" if never else ""
    since = f" since {adoption.base[:10]}" if adoption.base else ""
    rest = f" ({count_of(number, 'statement')} not checkable)" if (number := len(adoption.unchecked)) else ""
    by_name = sum("contains" in (finding.check or ()) for finding in adoption.of(HOLDS))
    some = f", {by_name} of them by name only" if by_name else ""
    held = f"{holds} hold{'s' if holds == 1 else ''}{', by name only' if by_name == holds > 0 else some}"
    ignored = f", {len(adoption.ignored)} ignored" if adoption.ignored else ""
    known = f", {number} known (baseline)" if (number := len(adoption.of(KNOWN))) else ""
    lines = f", lines since {adoption.since[:10]}" if adoption.since else ""
    unjudged = f", {number} not judged" if (number := len(adoption.unjudged)) else ""
    count = len(adoption.contradictions)
    differing = f", {count_of(count, 'contradiction')} between documents" if count else ""
    return f"{documents}{lines}: {false} false{since}{known}, {held}{more}{unjudged}{ignored}{differing}{rest}"


def as_table(adoption: Adoption) -> dict[str, Any]:
    """Return the documented JSON."""
    return {
        "commit": adoption.commit,
        "base": adoption.base,
        "since": adoption.since,
        "documents": [{"path": document.path, "kind": document.kind} for document in adoption.documents],
        "false": [_row(judged) for judged in adoption.of(FALSE)],
        "known": [_row(judged) for judged in adoption.of(KNOWN)],
        "never_held": [_row(judged) for judged in adoption.of(NEVER)],
        "holds": [_row(judged) for judged in adoption.of(HOLDS)],
        "unchecked": [
            {"path": where.path, "line": statement.line, "text": statement.text}
            for where, statement in adoption.unchecked
        ],
        "ignored": [
            {
                "path": where.path,
                "line": ignored.statement.line,
                "text": ignored.statement.text,
                "reason": ignored.reason,
            }
            for where, ignored in adoption.ignored
        ],
        "contradictions": [
            {
                "subject": contradiction.subject,
                "sides": [
                    {"says": side.says, "places": list(side.places), "source": side.source}
                    for side in contradiction.sides
                ],
            }
            for contradiction in adoption.contradictions
        ],
        "unjudged": [
            {"path": where.path, "line": statement.line, "text": statement.text}
            for where, statement in adoption.unjudged
        ],
        "closed": [document.path for document in adoption.closed],
        "notes": list(adoption.notes),
    }


def _row(finding: JudgedClaim) -> dict[str, Any]:
    claim, source = finding.claim, finding.source
    return {
        "path": finding.document.path,
        "line": claim.line,
        "more_lines": list(finding.more),
        "kind": claim.kind,
        "token": claim.token,
        "stated": claim.stated,
        "evidence": source.where if source else "",
        "actual": source.actual if source else "",
        "held_when_written": finding.held,
        "wrote": finding.wrote,
        "fix": finding.fix,
        "advice": advice(finding),
        "check": dict(finding.check) if finding.check else None,
        "home": finding.home,
        "right": list(finding.right),
        "culprit": _commit_row(finding.culprit),
        "merge": _commit_row(finding.culprit.merge if finding.culprit else None),
    }


def _commit_row(culprit: Culprit | None) -> dict[str, str] | None:
    if culprit is None:
        return None
    return {"commit": culprit.commit, "subject": culprit.subject, "author": culprit.author, "date": culprit.date}


def commands(adoption: Adoption) -> str:
    """Return workflow commands of GitHub Actions, one per false statement, and the summary."""
    lines = [f"gitmem adopt: {unlike_command(summary(adoption))}"]
    false = adoption.of(FALSE)
    for finding in false[:SHOWN]:
        path, line = finding.document.path, finding.claim.line
        lines.append(workflow_command("error", _message(finding), title="false statement", path=path, line=line))
    if len(false) > SHOWN:
        lines.append(f"gitmem adopt: {len(false) - SHOWN} more")
    return "\n".join(lines) + "\n"


def _message(finding: JudgedClaim) -> str:
    """Return the problem in sentences: the line, what contradicts it, since when, and the correction."""
    place, message = f"{finding.document.path}:{finding.claim.line}", sentence(finding)
    message = f"{display(place)}{'' if message.startswith('says ') else ':'} {message}"
    return " ".join(
        as_sentence(sentence)
        for sentence in (message, also(finding), blame(finding), advice(finding), elsewhere(finding))
        if sentence
    )


def sarif(adoption: Adoption) -> str:
    """Return a SARIF 2.1.0 log of the false statements."""
    rule = {
        "id": "gitmem/false-statement",
        "shortDescription": {"text": "A document states something that the code contradicts"},
        "defaultConfiguration": {"level": "error"},
    }
    run = {
        "tool": {"driver": {"name": "gitmem", "version": __version__, "rules": [rule]}},
        "automationDetails": {"id": "gitmem/adopt/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in adoption.of(FALSE)],
        "properties": {"head": adoption.commit, "summary": summary(adoption)},
    }
    text = json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)
    return escape_json(text) + "\n"


def _result(finding: JudgedClaim) -> dict[str, Any]:
    where = f"{finding.document.path} {finding.claim.kind} {finding.claim.name} {finding.claim.stated}"
    related = [_location(finding.source.path, finding.source.line)] if finding.source and finding.source.line else []
    return {
        "ruleId": "gitmem/false-statement",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": _message(finding)},
        "locations": [_location(finding.document.path, finding.claim.line)],
        "relatedLocations": related,
        "partialFingerprints": {"gitmemClaim/v1": sha256(where.encode()).hexdigest()},
    }


def _location(path: str, line: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}}
    return {"physicalLocation": place | ({"region": {"startLine": line}} if line else {})}


def markdown(adoption: Adoption) -> str:
    """Return a page for a step's summary or a comment."""
    lines = ["## What the documents say", "", f"{_cell(summary(adoption))}.", ""]
    if false := adoption.of(FALSE):
        lines += ["| place | false statement | since | correction |", "|---|---|---|---|"]
        for judged in false:
            statement = ", ".join(filter(None, (sentence(judged), also(judged))))
            row = (f"{judged.document.path}:{judged.claim.line}", statement, blame(judged), advice(judged))
            lines.append(f"| {' | '.join(map(_cell, row))} |")
    if adoption.contradictions:
        lines += ["", "Documents that contradict each other:", ""]
        lines += [f"- {_cell(contradiction(one))}" for one in adoption.contradictions]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    cleaned = " ".join(display(text).split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>|#!~" else char for char in cleaned)


def rdjson(corrected: Iterable[Correction]) -> str:
    """Return corrections in reviewdog's format (-f=rdjson). Source: reviewdog, proto/rdf, DiagnosticResult."""
    diagnostics = []
    for correction in corrected:
        # A line is deleted with its end: up to the start of the next one.
        end = (
            (correction.line + 1, 1)
            if correction.after is None
            else (correction.line, len(correction.before.encode()) + 1)
        )
        span = {"start": {"line": correction.line, "column": 1}, "end": {"line": end[0], "column": end[1]}}
        diagnostics.append({
            "message": "the code contradicts this line",
            "location": {"path": correction.path, "range": span},
            "severity": "ERROR",
            "suggestions": [{"range": span, "text": correction.after or ""}],
        })  # fmt: skip
    whole = {"source": {"name": "gitmem adopt"}, "severity": "ERROR", "diagnostics": diagnostics}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def suggestions(corrected: Iterable[Correction]) -> str:
    """Return corrections as suggestion blocks, which GitHub can apply from a review comment on the line."""
    parts = []
    for correction in corrected:
        text = "" if correction.after is None else f"{correction.after}\n"
        fence = "`" * max(3, 1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
        parts.append(f"{correction.path}:{correction.line}\n\n{fence}suggestion\n{text}{fence}\n")
    return "\n".join(parts)


WRITERS: dict[str, Callable[[Adoption], str]] = {"github": commands, "markdown": markdown, "sarif": sarif}
