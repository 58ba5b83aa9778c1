"""Format findings as a notice: headline, causes with their facts, commands to copy, then the rest folded.

The same Markdown is used for a comment, an issue and a step's summary. All untrusted text is made inert, only this
module makes links, and lines that do not fit are left out and counted.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen
from gitmem.statuses import name_chain
from gitmem.text import display
from gitmem.text.secrets import redact
from gitmem.verify.overview.cause import few, group
from gitmem.verify.overview.cause import title as title_of
from gitmem.verify.overview.finding import (
    BROKEN,
    ERROR,
    FAILED,
    HOLDS,
    MENDED,
    NOTE,
    OUTDATED,
    OUTSIDE,
    RETIRED,
    SILENCED,
    STILL,
    SUSPECT,
    UNCHECKED,
    UNSTEADY,
    WORDS,
    WRONG,
    Spot,
    case_of,
)
from gitmem.verify.overview.notice.inert import code_block, inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.verify.overview.cause import Cause
    from gitmem.verify.overview.finding import FactFinding, Findings, FindingSection, StatedLine
    from gitmem.verify.overview.notice.permalinks import Links

BAD, UNSURE, WELL = "❌", "⚠️", "✅"
# Characters shown of a text; facts of one cause that are not folded; facts for which commands are shown.
TEXT_KEPT, OPEN, WAYS = 400, 3, 10
# Bytes reserved for the end of a list or a fold.
_SPARE = 400
# The reason of facts whose commands are not approved: they need a person, and are not a fault of the change.
WAITING = "not approved"
# Kinds that a reader must look at, and kinds that are only for reference.
SHOWN = (BROKEN, FAILED, WRONG, SILENCED, SUSPECT, OUTDATED, UNCHECKED)
FOLDED = (UNSTEADY, STILL, OUTSIDE, RETIRED, MENDED)
_KEY = re.compile("[a-z0-9][a-z0-9._-]*")


@frozen
class Headline:
    """The headline of a notice.

    Attributes:
        sign: ``BAD``, ``UNSURE`` or ``WELL``.
        text: The headline.
        is_news: Whether there is anything that a person should read.
    """

    sign: str
    text: str
    is_news: bool


def headline_of(findings: Findings) -> Headline:
    """Return the headline for the findings: the most severe of them."""
    broken, failed, wrong = (len(findings.of(kind)) for kind in (BROKEN, FAILED, WRONG))
    silenced = len(findings.of(SILENCED)) + len(findings.untouched)
    is_check = findings.command == "check"
    bad = [f"makes {_count(broken, 'fact')} false"] if broken else []
    bad += [f"silences {_count(silenced, 'fact')}"] if silenced else []
    parts = [f"This change {' and '.join(bad)}"] if bad else []
    parts += [f"{_count(failed, 'fact does', 'facts do')} not hold"] if failed else []
    parts += [f"{_count(wrong, 'verdict', 'verdicts')} on the memory branch {_be(wrong)} wrong"] if wrong else []
    if findings.command == "adopt":
        return _headline_on_documents(findings)
    grave = [section.heading for section in findings.sections if section.level == ERROR]
    parts += grave if not parts else []
    if parts:
        is_bad = bool(broken or failed or wrong or grave)
        return Headline(BAD if is_bad else UNSURE, "; ".join(parts), is_news=True)
    suspect = len(findings.of(SUSPECT))
    unchecked = sum(finding.because != WAITING for finding in findings.of(UNCHECKED))
    unsure = [f"{_count(suspect, 'memory', 'memories')} {_be(suspect)} suspect"] if suspect else []
    outdated = len(findings.of(OUTDATED))
    unsure += [f"{_count(outdated, 'document names', 'documents name')} an old path"] if outdated else []
    unsure += [f"{_count(unchecked, 'fact')} could not be checked"] if unchecked else []
    unsure += [section.heading for section in findings.sections if section.level != NOTE and not unsure]
    if unsure:
        return Headline(UNSURE, "; ".join(unsure), is_news=True)
    mended, waiting = len(findings.of(MENDED)), len(findings.of(UNCHECKED))
    is_news = bool(mended or waiting or findings.sections)
    if is_check:
        gain = f" and {mended} true again" if mended else ""
        return Headline(WELL, f"This change makes no fact false{gain}", is_news)
    return Headline(WELL, "No fact fails", is_news)


def _headline_on_documents(findings: Findings) -> Headline:
    number = sum(len(section.rows) for section in findings.sections)
    if not number:
        return Headline(WELL, "No document says anything that the code contradicts", is_news=False)
    if findings.base:
        return Headline(BAD, f"This change makes {_count(number, 'statement')} of documents false", is_news=True)
    return Headline(BAD, f"{_count(number, 'statement')} of documents {_be(number)} false", is_news=True)


def render(findings: Findings, links: Links, limit: int) -> str:
    """Format findings as Markdown of at most *limit* bytes (2,000 at least); ends with one line feed.

    Args:
        findings: The findings; their texts are untrusted.
        links: Where links lead.
        limit: Maximum size in bytes.
    """
    return _Notice(findings, links, limit).text()


class _Notice:
    """A notice that is being written: adds blocks, the most important first, while there is room."""

    def __init__(self, findings: Findings, links: Links, limit: int) -> None:
        self._found, self._links = findings, links
        self._names = {case.key: case.wording for case in map(case_of, findings.findings) if case.title}
        self._left = limit - _SPARE
        self._blocks: list[str] = []
        self._missing = 0

    def text(self) -> str:
        findings = self._found
        headline = headline_of(findings)
        self._add(f"### {headline.sign} {inert(headline.text, TEXT_KEPT)}")
        self._add(self._lead())
        for section in findings.sections:
            if section.is_first:
                self._section(section)
        for kind in SHOWN:
            self._add_findings(kind)
        corrected = [line for finding in findings.findings for line in finding.stated if line.corrected or line.cut]
        shown: set[tuple[Spot, str, range]] = set()
        for line in corrected:
            if (spot := (line.spot, line.corrected, line.cut)) not in shown:  # several facts may be about one line
                self._add(self._correction(line))
            shown.add(spot)
        self._add_untouched()
        self._list_ways()
        for section in findings.sections:
            if not section.is_first:
                self._section(section)
        waiting = sum(finding.because == WAITING for finding in findings.of(UNCHECKED))
        if waiting:
            text = f"{_count(waiting, 'fact waits', 'facts wait')} for approval of its command and was not checked"
            self._add(f"{text if waiting == 1 else text.replace('its command and was', 'their commands and were')}.")
        for kind in FOLDED:
            self._add_findings(kind)
        self._add("\n".join(f"> {inert(note, TEXT_KEPT)}\n>" for note in findings.notes).removesuffix("\n>"))
        if self._missing:
            self._blocks.append(
                f"{_count(self._missing, 'more line')} did not fit: `gitmem {findings.command} --each`."
            )
        return "\n\n".join(self._blocks) + "\n"

    def _add(self, block: str) -> bool:
        """Add a block if there is one and it fits, and return whether it did."""
        size = len(block.encode()) + 2
        if not block or size > self._left:
            self._missing += block.count("\n") + bool(block)
            return False
        self._left -= size
        self._blocks.append(block)
        return True

    def _lead(self) -> str:
        findings, links = self._found, self._links
        commits = [links.commit(commit) for commit in (findings.base, findings.head) if commit]
        span = " → ".join(filter(None, commits))
        held = len(findings.of(HOLDS)) + findings.held
        parts = [inert(findings.summary, TEXT_KEPT).rstrip(".") + "." if findings.summary else ""]
        parts += [f"{_count(held, 'more holds', 'more hold')}." if held and not findings.summary else ""]
        return " ".join(filter(None, (*parts, span)))

    # Facts

    def _add_findings(self, kind: str) -> None:
        """Add the findings of one kind by cause; suspects that are already shown with a cause are skipped."""
        findings = [f for f in self._found.of(kind) if kind != UNCHECKED or f.because != WAITING]
        known = {f.key for f in self._found.of(BROKEN, FAILED)} if kind == SUSPECT else frozenset()
        findings = [f for f in findings if not (f.chain and f.chain[-1] in known)]
        if not findings:
            return
        lines: list[str] = []
        resting = self._found.of(SUSPECT) if kind in (BROKEN, FAILED) else []
        causes = group([case_of(f) for f in (*findings, *resting)])
        by_key = {f.key: f for f in (*self._found.of(SUSPECT), *findings)}
        for cause in causes:
            if kind == SUSPECT or cause.cases[0].status != SUSPECT:
                lines += self._cause(cause, by_key)
        heading = f"{WORDS[kind].heading} ({len(findings)})"
        if kind in FOLDED:
            self._list(lines, head=f"<details><summary>{heading}</summary>\n\n", tail="\n\n</details>")
        else:
            self._list(lines, head=f"#### {heading}\n\n")

    def _cause(self, cause: Cause, by_key: dict[str, FactFinding]) -> Iterator[str]:
        """Yield the lines of one cause: its facts, folded if there are many, and the memories that rest on them."""
        cases = cause.cases
        if cause.is_apart:
            yield from (self._entry(by_key[case.key]) for case in cases)
        else:
            yield f"- **{inert(title_of(cause, {}), TEXT_KEPT)}**{self._describe_break(cases[0].culprit)}"
            yield from ("  " + self._entry(by_key[case.key]) for case in cases[:OPEN])
            if len(cases) > OPEN:
                rest = few([case.wording for case in cases[OPEN:]], columns=400)
                yield f"  - … and {len(cases) - OPEN} more: {inert(rest, TEXT_KEPT)}"
        if cause.suspects:
            number = _count(len(cause.suspects), "memory rests", "memories rest")
            names = inert(few([case.wording for case in cause.suspects], columns=200), TEXT_KEPT)
            yield f"  - {number} on {'it' if len(cases) == 1 else 'them'}: {names}"

    def _entry(self, finding: FactFinding) -> str:
        """Format one fact as a list item."""
        links = self._links
        is_own = finding.fact is not None
        spot = finding.fact or Spot(finding.path)
        name = links.file(spot.path, spot.line, is_memory=not is_own, shown=finding.name)
        because = name_chain(finding.because, finding.chain, self._names)
        why = [inert(because, TEXT_KEPT)] if because else []
        places = [*(line.spot for line in finding.stated), *finding.places]
        why += [f"see {', '.join(links.file(place.path, place.line) for place in places)}"] if places else []
        broken = self._describe_break((finding.culprit, finding.culprit_after)) if finding.culprit else ""
        why += [broken.removeprefix(", ")] if broken else []
        why += [f"written by {inert(finding.by, TEXT_KEPT)}"] if finding.by else []
        again = " (already suspect)" if finding.kind == SUSPECT and not finding.is_new and finding.chain else ""
        title = f"**{inert(finding.title, TEXT_KEPT)}**" if finding.title else ""
        text = " ".join(filter(None, (title, f"({name})")))
        return f"- {text}{again}" + (f"<br>{'; '.join(why)}" if why else "")

    def _describe_break(self, culprit: tuple[str, str]) -> str:
        commit, after = (self._links.commit(commit) for commit in culprit)
        if not commit:
            return ""
        return f", broken after {after}, by {commit} at the latest" if after else f", broken by {commit}"

    def _list(self, lines: Sequence[str], *, head: str, tail: str = "") -> None:
        """Add a list, or as much of it as fits."""
        listed: list[str] = []
        room = self._left - len((head + tail).encode()) - 2
        for line in lines:
            room -= len(line.encode()) + 1
            if room < 0:
                break
            listed.append(line)
        self._missing += len(lines) - len(listed)
        if listed:
            self._add(head + "\n".join(listed) + tail)

    # Ways out

    def _correction(self, line: StatedLine) -> str:
        """Format the correction of a document as a diff to copy; a comment cannot hold a suggestion."""
        right = line.corrected
        place = self._links.file(line.spot.path, line.spot.line)
        if line.cut:
            return f"{place} is about something that is gone: {line.remove}."
        if redact(display(right)) != right or len(right) > TEXT_KEPT:
            return ""
        where = inert(line.where, TEXT_KEPT)
        against = f" ({where} contradicts it)" if where else ""
        before = "" if redact(display(line.text)) != line.text or len(line.text) > TEXT_KEPT else f"-{line.text}\n"
        block = code_block(f"{before}+{right}", "diff")
        return f"{place} should say{against}:\n\n{block}"

    def _list_ways(self) -> None:
        """Add the ways to resolve facts that became false, as commands to copy."""
        keys = [f.name for f in self._found.of(BROKEN, FAILED) if _KEY.fullmatch(f.name)]
        if not keys:
            return
        is_check = self._found.command == "check"
        which = "" if len(keys) == 1 else f" of `{keys[0]}`"
        first, *rest = (_list_ways(key, is_check=is_check) for key in keys[: WAYS + 1])
        commands = "\n".join(f"# {why}\n{command}" for why, command in first.items())
        self._add(f"**Three ways out**{which}:\n\n{code_block(commands, 'sh')}")
        if rest:
            inside = code_block("\n\n".join("\n".join(block.values()) for block in rest), "sh")
            self._add(f"<details><summary>The same for the others</summary>\n\n{inside}\n\n</details>")

    # The rest

    def _add_untouched(self) -> None:
        untouched = self._found.untouched
        lines = [f"- **{inert(key, TEXT_KEPT)}**: the change {inert(how, TEXT_KEPT)}" for key, how in untouched]
        if lines:
            title = f"Silenced, although the change touches nothing that they read ({len(lines)})"
            self._list(lines, head=f"#### {title}\n\n")

    def _section(self, section: FindingSection) -> None:
        lines = []
        for row in section.rows:
            key = f"**{inert(row.key, TEXT_KEPT)}**: " if row.key else ""
            place = self._links.file(row.path, row.line, commit=section.memory) if row.path else ""
            code = code_block(redact(row.code[:TEXT_KEPT])).replace("\n", "\n  ") if row.code else ""
            text = f"- {key}{inert(row.text, TEXT_KEPT)}" + (f" ({place})" if place else "")
            lines.append(text + (f"\n\n  {code}\n" if code else ""))
        title = f"{inert(section.heading, TEXT_KEPT)} ({len(section.rows)})"
        if section.level == NOTE:
            self._list(lines, head=f"<details><summary>{title}</summary>\n\n", tail="\n\n</details>")
        else:
            self._list(lines, head=f"#### {title}\n\n")


def _list_ways(key: str, *, is_check: bool) -> dict[str, str]:
    """Return the ways to resolve a failed fact, each with its command."""
    repair = f"gitmem check {key}" if is_check else f"gitmem settle {key} --recheck"
    here = ", which this branch changes as well" if is_check else ""
    return {
        "repair: the fact is right; correct the code, then check it again": repair,
        f"update: something else is true now{here}": f"gitmem settle {key} --reword '…' --contains '…' --in '…'",
        "retire: nothing in it is true any more": f"gitmem settle {key} --retire --why '…'",
    }


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"
