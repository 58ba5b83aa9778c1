"""The parts of the page as HTML, each from the page's data alone. Pure: what others wrote goes through ``markup``."""

from __future__ import annotations

from gitmem.commands.report.page import graph as picture
from gitmem.commands.report.page import markup, strips
from gitmem.commands.report.page.memories import commit, day, link, mark, time
from gitmem.commands.report.page.model import LIVE
from gitmem.frozen import replace
from gitmem.model import FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import MARKS, SIGNS
from gitmem.verify.jobs.history import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.report.page.memories import Shelf
    from gitmem.commands.report.page.model import Page, PageMemory, Timeline

# How many of a list are seen at once; the rest is behind a line that says how many.
SHOWN = 12


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its word."""
    return f"{number:,} {one if number == 1 else many or one + 's'}".replace(",", "\u202f")


def headline(page: Page) -> str:
    """Return what matters most, in a few words."""
    counts = page.counts()
    if counts[FAILED]:
        return f"{counted(counts[FAILED], 'fact no longer holds', 'facts no longer hold')}"
    if not sum(counts.values()):
        return "Nothing has been checked yet" if page.entries else "There are no memories yet"
    if counts[VERIFIED] == sum(counts.values()):
        return "Every checked fact holds"
    if not counts[VERIFIED]:
        return "No fact is known to fail, but none is proved"
    return "No checked fact has failed"


def hero(page: Page) -> str:
    """Return the first screen: what is the matter, the counts, and what a reader must know before all else."""
    counts = page.counts()
    facts = [entry for entry in page.entries if entry.check and entry.status]
    live = sum(entry.place == LIVE for entry in page.entries)
    parts = []
    if counts[SUSPECT]:
        parts.append(f"{counted(counts[SUSPECT], 'memory rests', 'memories rest')} on failed facts")
    if facts:
        proved = sum(entry.status == VERIFIED for entry in facts)
        parts.append(f"{proved} of {counted(len(facts), 'fact')} {'is' if proved == 1 else 'are'} proved")
    parts.append(f"{counted(live, 'memory', 'memories')} in all")
    where = f"at {commit(page.code)}" + (f" of <b>{markup.line(page.branch)}</b>" if page.branch else "")
    asked = f", as known at <b>{markup.line(page.rev)}</b>" if page.rev else ""
    message = f'<p class="lead">{"; ".join(parts)}.</p>'
    message += f'<p class="meta">{"Code " + where if page.code else "No code"}{asked} · memory at {commit(page.tip)}'
    message += _checked(page.jobs)
    message += f' · made {time(page.made)} UTC<span id="_age"></span></p>'
    is_bad = counts[FAILED] > 0
    return (
        f'<section class="hero {"bad" if is_bad else "well"}" aria-labelledby="_headline"><h1 id="_headline">'
        f"{headline(page)}</h1>{message}{_bar(counts)}{_tiles(counts)}{warnings(page)}</section>"
    )


def _checked(jobs: Mapping[str, Any] | None) -> str:
    """Return when a verify job ran last, here or for the branch, and on which commit of the code."""
    if jobs is None:
        return ""
    known = [(job["at"], job[name], job["behind"]) for job, name in _ran(jobs)]
    if not known:
        return " · no verify job has run yet"
    at, code, behind = max(known, key=lambda one: one[0])
    return f" · last verify job {_when(at)}" + (f" on {commit(code)}{_behind(behind)}" if code else "")


def _ran(jobs: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """Return the jobs that are known, each with the name of the field that has its commit of the code."""
    return [(jobs[which], name) for which, name in (("last", "commit"), ("branch", "code")) if jobs[which]]


def _bar(counts: Mapping[str, int]) -> str:
    """Return the shares of the statuses as a bar; what is not nothing is seen."""
    total = sum(counts.values())
    if not total:
        return ""
    least = 8
    room = 1000 - least * sum(1 for number in counts.values() if number)
    parts, x = [], 0.0
    for status in STATUSES:
        if counts[status]:
            wide = least + room * counts[status] / total
            parts.append(
                f'<rect class="{status}" x="{x:.1f}" y="0" width="{max(wide - 3, 3):.1f}" height="10" rx="2"/>'
            )
            x += wide
    return (
        f'<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    )


def _tiles(counts: Mapping[str, int]) -> str:
    tiles = "".join(
        f'<li class="{status}{"" if number else " none"}">'
        f'<a href="#_all" data-filter="{status}" title="{SIGNS[status].meaning}">'
        f'<i class="mark {status}" aria-hidden="true">{MARKS[status]}</i><b>{number}</b> <span>{status}</span></a></li>'
        for status, number in counts.items()
    )
    return f'<ul class="tiles" aria-label="Memories by status">{tiles}</ul>' if sum(counts.values()) else ""


def warnings(page: Page) -> str:
    """Return what a reader must know before all else; empty where that is nothing."""
    lines = "".join(f"<li>{markup.line(warning)}</li>" for warning in page.warnings)
    return f'<ul class="warnings" aria-label="Warnings">{lines}</ul>' if lines else ""


def broken(page: Page, shelf: Shelf) -> str:
    """Return what failed, each with its cause, and what rests on it; empty where nothing did."""
    failed = sorted(page.of(FAILED), key=lambda entry: (-len(_resting(page, entry)), entry.key))
    if not failed:
        return ""
    cards = [_card(entry, _resting(page, entry), shelf) for entry in failed]
    message = (
        "Their checks ran and failed. For each fact: the reason, the commit that broke it, and the memories that "
        "rest on it."
    )
    return _section("_broken", "Broken now", message, _few(cards, "failed"))


def _resting(page: Page, failed: PageMemory) -> list[PageMemory]:
    """Return the suspects whose chain ends at a failed fact, the nearest first."""
    found = [entry for entry in page.of(SUSPECT) if entry.chain[-1:] == (failed.key,)]
    return sorted(found, key=lambda entry: (len(entry.chain), entry.key))


def _card(entry: PageMemory, resting: Sequence[PageMemory], shelf: Shelf) -> str:
    rows = []
    if entry.why:
        rows.append(("Why", f'<span class="said">{markup.line(entry.why)}</span>'))
    if entry.broken:
        rows.append(("Culprit", _culprit(entry.broken)))
    elif entry.judged_at:
        rows.append(("Culprit", f'unknown: <code class="do">gitmem why {entry.key}</code>'))
    if entry.held:
        rows.append(("Held last", f"at {commit(entry.held)}"))
    if entry.judged:
        rows.append(("Seen", f"{time(entry.judged)} at {commit(entry.judged_at)}"))
    if entry.by:
        rows.append(("Written by", markup.line(entry.by)))
    rows.append(("Way on", f'<code class="do">gitmem settle {entry.key}</code>'))
    terms = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    behind = ""
    if resting:
        items = [f'<li class="d{min(len(one.chain), 3)}">{link(one.key, shelf)}</li>' for one in resting]
        head = f"<h4>{counted(len(resting), 'memory rests', 'memories rest')} on it</h4>"
        behind = f'<div class="resting">{head}<ul>{"".join(items[:SHOWN])}</ul>{_rest(items, "memories", "ul")}</div>'
    return (
        f'<article class="card"><h3>{mark(FAILED)}<a href="#{entry.key}" dir="auto">{markup.line(entry.title)}</a></h3>'
        f"<dl>{terms}</dl>{behind}</article>"
    )


def _culprit(broken: str) -> str:
    """Return the phrase of a culprit (``verify.blame.culprit.phrase``) with its commit set apart."""
    words = markup.line(broken)
    head, _, rest = words.removeprefix("broken by ").partition(" ")
    return f"<code>{head}</code> {rest}" if words.startswith("broken by ") else words


def _rest(items: Sequence[str], what: str, tag: str) -> str:
    if len(items) <= SHOWN:
        return ""
    more = f"{len(items) - SHOWN} more {what}"
    return f"<details><summary>{more}</summary><{tag}>{''.join(items[SHOWN:])}</{tag}></details>"


def _few(items: Sequence[str], what: str) -> str:
    return "".join(items[:SHOWN]) + _rest(items, what, "div")


def open_ends(page: Page, shelf: Shelf) -> str:
    """Return what is unproven, stale or flapping, with the reason; empty where nothing is."""
    flapping = [replace(entry, why=entry.status) for entry in page.entries if entry.flapping]
    lists = [(status, SIGNS[status].meaning, page.of(status)) for status in (UNPROVEN, STALE)]
    parts = []
    for name, meaning, entries in [*lists, ("flapping", "the check gives different answers", flapping)]:
        entries.sort(key=lambda entry: (entry.key not in page.waiting, entry.key))
        if entries:
            items = [f'<li>{link(e.key, shelf)}<span class="because">{markup.line(e.why)}</span></li>' for e in entries]
            sign = mark(name, named=False) if name in MARKS else ""
            head = f"<h3>{sign}{name.capitalize()} <small>{len(entries)}</small></h3>"
            few = f"<ul>{''.join(items[:SHOWN])}</ul>{_rest(items, name, 'ul')}"
            parts.append(f'<div class="column">{head}<p>{meaning.capitalize()}.</p>{few}</div>')
    if not parts:
        return ""
    message = "These are not known to be false, but not known to be true either."
    return _section("_open", "Not proven", message, f'<div class="columns">{"".join(parts)}</div>')


def graph(page: Page) -> str:
    """Return the graph of what rests on what; empty where nothing rests on anything."""
    live = [entry for entry in page.entries if entry.place == LIVE]
    drawn = picture.draw(live, page.links)
    if not drawn.svg:
        return ""
    message = "From left to right: required memories, then the memories that require them."
    if page.of(SUSPECT):
        message += (
            " The moving lines show suspicion, from failed facts to the memories that rest on them, up to three "
            "links away."
        )
    if drawn.left_out:
        message += f" {drawn.left_out} more memories have links and are not drawn: open one to see its links."
    box = (
        '<div class="scroll" role="region" tabindex="0" aria-label="Graph of dependencies between '
        f'memories">{drawn.svg}</div>'
    )
    return _section("_graph", "Dependencies", message, box)


def history(page: Page, shelf: Shelf) -> str:
    """Return the timeline, with what it shows in words; empty where nothing is known."""
    line = page.timeline
    if line is None:
        return ""
    name = markup.line(line.branch)
    message = f"The newest {len(line.moments)} commits of {name}" if line.has_more else f"All commits of {name}"
    message += ", oldest on the left: how many facts held, and a strip for each fact that failed at one of them."
    message += " A dot is a commit where a check ran; between two dots that agree, no check ran."
    if not line.is_whole:
        message += " Older verdicts were not read."
    if len(line.strips) > strips.DRAWN:
        message += f" {len(line.strips) - strips.DRAWN} more facts failed and are not drawn."
    legend = "".join(
        f'<li><svg width="14" height="10" aria-hidden="true"><rect class="{name}" width="14" height="10" rx="2"/></svg>'
        f" {MARKS.get(name, '')} {name}</li>"
        for name in strips.CLASSES
    )
    drawing = strips.draw(line, shelf.entries)
    box = f'<div class="scroll end" role="region" tabindex="0" aria-label="Timeline of statuses">{drawing}</div>'
    # For narrow screens, where the names beside the strips are out of sight.
    names = "".join(
        f"<li><span>{nth}</span>{link(strip.key, shelf)}</li>"
        for nth, strip in enumerate(line.strips[: strips.DRAWN], 1)
    )
    named = f'<ol class="strips">{names}</ol>' if names else ""
    inside = f'<ul class="legend">{legend}</ul>{box}{named}{_breaks(line, shelf)}'
    return _section("_time", "History", message, inside)


def _breaks(line: Timeline, shelf: Shelf) -> str:
    items = []
    for moment, keys in line.breaks:
        who = f"{markup.line(moment.by)}: " if moment.by else ""
        facts = "".join(f"<li>{link(key, shelf)}</li>" for key in keys)
        items.append(
            f'<li><p>{commit(moment.commit)} <span class="subject" dir="auto">{who}{markup.line(moment.subject)}</span>'
            f' <span class="because">{day(moment.at)}</span></p><ul>{facts}</ul></li>'
        )
    if not items:
        return ""
    more = _rest(items, "culprits", 'ol class="breaks"').replace('</ol class="breaks">', "</ol>")
    return f'<h3>Commits that broke facts</h3><ol class="breaks">{"".join(items[:SHOWN])}</ol>{more}'


def jobs(page: Page) -> str:
    """Return when verify jobs ran, on which commit, and what runs them; empty for the past."""
    silence = page.jobs
    if silence is None:
        return ""
    rows = []
    last: Mapping[str, Any] | None = silence["last"]
    if last:
        on = f" on {commit(last['commit'])}{_behind(last['behind'])}" if last["commit"] else ""
        rows.append(("Last job here", f"{_when(last['at'])}{on}: {markup.line(ended(last))}"))
    else:
        rows.append(("Last job here", "none ran in this clone"))
    branch, claimed = silence["branch"], silence["claimed"]
    rows.append(("Last recorded", _recorded(branch) if branch else "no job has written to the memory's branch"))
    if claimed and claimed != branch:
        rows.append(("By other machines", _recorded(claimed)))
    names = [f"{markup.line(one['what'])}, {markup.line(one['often'])}" for one in silence["schedules"]]
    rows.append(("Scheduled by", "; ".join(names) or "none known here: <code>gitmem install</code>"))
    for wrong in filter(None, (silence["silent"], silence["soon_off"])):
        rows.append(("Silence", f'<strong class="silent">{markup.line(wrong)}</strong>'))
    if page.waiting:
        waits = f"{counted(len(page.waiting), 'command')}: <code>gitmem trust --review</code>"
        rows.append(("Waiting for approval", waits))
    terms = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return _section("_jobs", "Verify jobs", "The jobs that keep this page up to date.", f"<dl>{terms}</dl>")


def _recorded(found: Mapping[str, Any]) -> str:
    code = f" for the code at {commit(found['code'])}{_behind(found['behind'])}" if found["code"] else ""
    return f"{_when(found['at'])}{code}, as {commit(found['commit'])}"


def _behind(number: int | None) -> str:
    """Return how far behind HEAD a commit of the code is, where that is known and more than nothing."""
    return f" ({counted(number, 'commit')} behind)" if number else ""


def _when(message: str) -> str:
    return f'<time datetime="{message}">{message[:10]} {message[11:16]} UTC</time>'


def everything(page: Page, listing: str) -> str:
    """Return the section of all memories."""
    if not page.entries:
        return ""
    message = (
        f"{counted(len(page.entries), 'memory', 'memories')} by kind, those that need attention first, then the newest."
    )
    if page.cut_at:
        message += f" Texts are truncated after {page.cut_at} bytes, also for search."
    return _section("_all", "All memories", message, listing)


def foot(page: Page) -> str:
    """Return what the page is, and what it does not show."""
    of = "the project's memories" if page.scope == "project" else f"memories with the scope {page.scope}"
    message = f"This page shows {of}"
    message += f", and none of the {page.left_out} of other scopes." if page.left_out else ", and no private ones."
    if page.scope == "private":
        message = "<strong>This page shows private memories.</strong>"
    return (
        f"<p>{message} It is one file and loads nothing: it works from disk and can be passed on as it is.</p>"
        f"<p>Made by gitmem {markup.line(page.version)} at {time(page.made)} UTC: <code>gitmem report</code></p>"
    )


def _section(name: str, heading: str, about: str, inside: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{heading}</h2>'
        f'<p class="about">{about}</p>{inside}</section>'
    )
