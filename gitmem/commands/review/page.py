"""A review as one self-contained HTML page: no script, nothing loaded, light and dark, readable on a phone.

Every text is escaped, and the page's policy lets nothing run or load even where one should slip through.
"""

from __future__ import annotations

from html import escape

from gitmem.commands.review import model as f
from gitmem.commands.review.markdown import HEADINGS
from gitmem.text import html_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.commands.review.model import CheckCommand, MemoryChange, Review, ReviewFinding, Shift, WordRun

# What a browser shows without being asked: a change of 20,000 memories is not a page that anybody reads.
SHOWN = 5_000
FINDINGS_SHOWN = 2_000

STYLE = """
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2128;--dim:#59636e;--line:#d1d9e0;--box:#f6f8fa;--red:#b3261e;
--red-bg:#ffebe9;
--green:#116329;--green-bg:#dafbe1;--yellow:#7d4e00;--yellow-bg:#fff8c5;--link:#0550ae}
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;--box:#161b22;
--red:#ff8a80;
--red-bg:#4a1515;--green:#7ee787;--green-bg:#12351d;--yellow:#e3b341;--yellow-bg:#3a2d06;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--bg);color:var(--fg);
font:1rem/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);
padding-bottom:.25rem}
h3{font-size:1rem;margin:0;display:inline}
p{margin:.25rem 0}.dim{color:var(--dim)}code,pre{font:.9rem/1.45 ui-monospace,monospace}
pre{white-space:pre-wrap;background:var(--box);border:1px solid var(--line);border-radius:.375rem;padding:.6rem;
margin:.4rem 0}
nav a{color:var(--link);margin-right:1rem;white-space:nowrap}
article{border:1px solid var(--line);border-radius:.5rem;padding:.75rem;margin:.6rem 0}
.error{border-left:.3rem solid var(--red)}.warning{border-left:.3rem solid var(--yellow)}
.note{border-left:.3rem solid var(--line)}
.tag{display:inline-block;border-radius:1rem;padding:0 .6rem;font-size:.85rem;background:var(--box);
border:1px solid var(--line)}
.error .tag,.failed{color:var(--red)}.warning .tag,.suspect,.stale{color:var(--yellow)}.verified{color:var(--green)}
ins{background:var(--green-bg);color:var(--green);text-decoration:none}del{background:var(--red-bg);color:var(--red)}
.words{white-space:pre-wrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .75rem;margin:.4rem 0}dt{color:var(--dim)}dd{margin:0}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-left:1rem}}
"""


def page(review: Review) -> str:
    """Return the page."""
    parts = [_head(review), _findings(review), _commands(review), _statuses(review), _settings(review)]
    parts += [_changes(review, what) for what in f.KINDS]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html_policy.policy(STYLE)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>gitmem review</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{''.join(parts)}</body>\n</html>\n"
    )


def _head(review: Review) -> str:
    base = f"<code>{escape(review.base[:12])}</code>" if review.base else "nothing"
    lines = [f"{base} → <code>{escape(review.head[:12])}</code>"]
    if review.commits > 0:
        names = ", ".join(f"{escape(name.partition(' <')[0])} ({number})" for name, number in review.authors[:5])
        more = f" and {len(review.authors) - 5} more" if len(review.authors) > 5 else ""
        lines.append(f"{review.commits} commit{'s' * (review.commits != 1)} by {names}{more}")
    if review.code:
        lines.append(f"statuses for the code at <code>{escape(review.code[:12])}</code>")
    sections = [("findings", "Findings", review.findings), ("commands", "Commands to read", _commands_of(review))]
    sections += [("statuses", "Statuses that differ", review.shifts), ("policy", "Policy", review.settings)]
    sections += [(what, HEADINGS[what], review.of(what)) for what in f.KINDS]
    links = "".join(f'<a href="#{name}">{title} ({len(those)})</a> ' for name, title, those in sections if those)
    notes = "".join(f"<p>{escape(note)}</p>" for note in review.notes)
    return (
        f"<header><h1>gitmem review</h1><p><strong>{escape(review.summary)}</strong></p>"
        f'<p class="dim">{"; ".join(lines)}</p>{notes}<nav aria-label="Parts of this page">{links}</nav></header>\n'
    )


def _section(name: str, title: str, count: int, blocks: Iterable[str], *, limit: int = SHOWN) -> str:
    """Return a part of the page; what is beyond the limit is counted."""
    if not count:
        return ""
    kept = [block for _, block in zip(range(limit), blocks, strict=False)]
    more = f"<p>And {count - len(kept)} more.</p>" if count > len(kept) else ""
    return f'<section id="{name}"><h2>{title} ({count})</h2>\n{"".join(kept)}{more}</section>\n'


def _findings(review: Review) -> str:
    blocks = map(_finding, review.findings)
    return _section("findings", "Findings", len(review.findings), blocks, limit=FINDINGS_SHOWN)


def _finding(one: ReviewFinding) -> str:
    where = f"{one.path}:{one.line}" if one.line else one.path
    hint = f'<p class="dim">{escape(one.hint)}</p>' if one.hint else ""
    return (
        f'<article class="{one.severity}"><span class="tag">{one.severity}: {escape(one.code)}</span> '
        f"<code>{escape(where)}</code><p>{escape(one.message)}</p>{hint}</article>\n"
    )


def _commands_of(review: Review) -> list[tuple[MemoryChange, CheckCommand]]:
    return [(c, c.command) for c in review.changes if c.command is not None and c.command.form != "builtin"]


def _commands(review: Review) -> str:
    those = _commands_of(review)
    blocks = (f"<article><h3>{escape(change.key)}</h3>{_command(command)}</article>\n" for change, command in those)
    return _section("commands", "Commands to read", len(those), blocks)


def _command(command: CheckCommand) -> str:
    asks = f"<dt>asks for</dt><dd>{'<br>'.join(map(escape, command.asks))}</dd>" if command.asks else ""
    was = f"<p>before:</p><pre>{escape(command.was)}</pre>" if command.was else ""
    return (
        f"<pre>{escape(command.text)}</pre>{was}<dl><dt>form</dt><dd>{escape(command.form)}</dd><dt>approval here</dt>"
        f"<dd>{escape(command.approval)}</dd><dt>known</dt><dd>{escape(command.history)}</dd>{asks}</dl>"
    )


def _statuses(review: Review) -> str:
    return _section("statuses", "Statuses that differ", len(review.shifts), map(_shift, review.shifts))


def _shift(shift: Shift) -> str:
    was = f" (was {escape(shift.before)})" if shift.before else ""
    because = f"<p>{escape(shift.because)}</p>" if shift.because else ""
    status = f'<span class="{escape(shift.after)}">{escape(shift.after or "no status")}</span>{was}'
    return f"<article><h3>{escape(shift.key)}</h3> {status}<p>{escape(shift.title)}</p>{because}</article>\n"


def _settings(review: Review) -> str:
    rows = (f"<dl><dt>{escape(s.name)}</dt><dd>{_changed(s)}</dd></dl>\n" for s in review.settings)
    return _section("policy", "Policy", len(review.settings), rows)


def _changes(review: Review, what: str) -> str:
    those = review.of(what)
    return _section(what, HEADINGS[what], len(those), map(_change, those))


def _change(change: MemoryChange) -> str:
    because = f" — {escape(change.because)}" if change.because else ""
    by = f' <span class="dim">by {escape(change.by)}</span>' if change.by else ""
    title = _words(change.words) or escape(change.title)
    fields = "".join(f"<dt>{escape(one.name)}</dt><dd>{_changed(one)}</dd>" for one in change.fields)
    parts = [f'<div class="words">{_words(change.body)}</div>' if change.body else ""]
    parts += [f"<dl>{fields}</dl>" if fields else "", f"<pre>{escape(change.raw)}</pre>" if change.raw else ""]
    if change.command is not None and change.command.form == "builtin":
        parts.append(_command(change.command))
    return (
        f'<article><span class="tag">{escape(change.kind or change.what)}</span> <h3>{escape(change.key)}</h3>'
        f"{because}{by}<p>{title}</p>{''.join(parts)}</article>\n"
    )


def _changed(one: f.FieldChange) -> str:
    was = f"<del>{escape(one.before)}</del> → " if one.before else ""
    return f"{was}{escape(one.after) or '–'}"


def _words(pieces: tuple[WordRun, ...]) -> str:
    marks = {f.SAME: "{}", f.GONE: "<del>{}</del> ", f.NEW: "<ins>{}</ins> "}
    return "".join(marks[piece.op].format(escape(piece.text)) for piece in pieces)
