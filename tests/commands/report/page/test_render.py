"""The page as one document: complete without scripts, the same for the same data, and inert whatever memories say."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from support.each import each

from gitmem.commands.report.page import render
from gitmem.commands.report.page.model import Moment, Page, PageMemory, Strip, Timeline
from gitmem.commands.report.page.sections import SHOWN, count_of
from gitmem.frozen import replace
from gitmem.model import STATUSES

EVIL = (
    "</script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'><!-- \u2028\u202e\x1b[2J`${1}`"
)
CULPRIT = "c" * 40
JOBS = {
    "last": {**{"at": "2026-09-20T10:00:00Z", "age_s": 9, "state": "ended", "commit": "a" * 40, "due": 3, "failed": 1},
             **{"unchecked": 0, "problem": "", "scheduled": True, "behind": 0, "ahead": 0}},
    "branch": {"commit": "b" * 40, "at": "2026-09-20T10:01:00Z", "age_s": 8, "code": "a" * 40, "behind": 2, "ahead": 1},
    "claimed": {"commit": "c" * 40, "at": "2026-09-19T10:01:00Z", "age_s": 8, "code": "",
                "behind": None, "ahead": None},
    "schedules": [{"what": "github", "every": "daily", "often": "daily", "file": "x"}],
    "silent": "",
    "soon_off": "",
}  # fmt: skip
FAILED = PageMemory("rs256", "fact", "Tokens are signed with RS256", status="failed", why="no file says so", by="Ana",
               check="{contains: RS256}", judged=1_790_000_000, judged_at="a" * 40, held="d" * 40, culprit=CULPRIT,
               broken="broken by cccccccccccc (Cem: sign with EdDSA)")  # fmt: skip
SUSPECT = PageMemory("rotate", "recipe", "Rotate the key", status="suspect", why="rests on rs256", chain=("rs256",),
                requires=("rs256", "nowhere"))  # fmt: skip
STALE = PageMemory(
    "readme", "fact", "A README", status="stale", why="its time to live has passed since it was checked", check="x"
)
PAGE = Page("service", "project", 1_790_000_000, "0.1.0", branch="main", code="a" * 40, tip="b" * 40, jobs=JOBS,
            entries=(FAILED, SUSPECT, STALE, PageMemory("plain", "gotcha", "Plain", tags=("vpn",))),
            links=(("rs256", "rotate"),),
            timeline=Timeline("main", (Moment(CULPRIT, 1, "Cem", "sign with EdDSA"),), ((0, 1, 1, 0),),
                              (Strip("rs256", "!"),), ((Moment(CULPRIT, 1, "Cem", "sign with EdDSA"),
                                                        ("rs256",)),)))  # fmt: skip


BLOCKS = {"p", "h1", "h2", "h3", "h4", "dt", "dd", "li", "a", "div", "section", "summary", "footer"}


class Document(HTMLParser):
    """The elements of a page, and its text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._raw = "", False
        self.feed(text)
        self.close()
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        self._raw = tag in ("script", "style")
        self.text += " " if tag in BLOCKS else ""

    def handle_endtag(self, tag) -> None:
        self._raw = False

    def handle_data(self, data) -> None:
        self.text += "" if self._raw else data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_first_comes_what_is_broken_why_by_which_commit_and_what_rests_on_it() -> None:
    text = Document(render.render(PAGE)).text

    assert "1 fact no longer holds 0 of 2 facts hold; 1 memory rests on what failed; 4 memories in all." in text
    card = section(text, "Broken now", "Not proven")
    said = ("no file says so", "cccccccccccc (Cem: sign with EdDSA)", "dddddddddddd", "Ana", "1 memory rests on it")
    places = [card.index(one) for one in said]
    assert places == sorted(places)
    assert "suspect: Rotate the key" in card
    assert (
        text.rindex("Broken now")
        < text.index("its time to live has passed since it was checked")
        < text.rindex("All memories")
    )


def section(text: str, heading: str, next_heading: str) -> str:
    """Return the text of one section: the navigation has the same words before the first of them."""
    return text[text.rindex(heading) : text.rindex(next_heading)]


@each("number", [2, 3])
def test_facts_that_one_commit_broke_are_one_card_and_come_first(number: int) -> None:
    moved = [replace(FAILED, key=f"moved-{n}", title=f"Moved {n}", why="no such file") for n in range(number)]
    other = replace(FAILED, key="other", title="Other", culprit="e" * 40, broken="broken by eeeeeeeeeeee (Eva: x)")
    rests = replace(SUSPECT, chain=("moved-1",))

    text = Document(render.render(replace(PAGE, entries=(other, rests, *moved), links=(), timeline=None))).text

    first = text[text.index("Look first at") : text.rindex("Broken now")]
    assert f"{number} facts broken by one commit cccccccccccc (Cem: sign with EdDSA)" in first
    assert "1 memory rests on them Other" in first
    cards = section(text, "Broken now", "Verify jobs")
    names = [f"{number} facts broken by one commit", "Why no such file", "Broken by cccccccccccc", "Moved 1", "Moved 0",
             "failed: Other" if "failed: Other" in cards else "Other"]  # fmt: skip
    assert [cards.index(one) for one in names] == sorted(cards.index(one) for one in names)
    assert cards.count("Broken by cccccccccccc") == 1


def test_facts_that_two_commits_broke_for_one_reason_are_apart_unless_there_are_many() -> None:
    def page(number: int) -> str:
        failed = [replace(FAILED, key=f"k{n}", title=f"Fact {n}", culprit="", broken="") for n in range(number)]
        return Document(render.render(replace(PAGE, entries=tuple(failed), links=(), timeline=None))).text

    assert "2 facts with one reason" not in page(2)
    assert "3 facts with one reason Why no file says so" in page(3)


def test_first_screen_shows_three_causes_counts_the_others_and_has_no_box_with_zero() -> None:
    failed = [
        replace(FAILED, key=f"k{n}", title=f"Fact {n}", culprit=f"{n}" * 40, broken=f"broken by {str(n) * 12} (A: b)")
        for n in range(5)
    ]

    page = render.render(replace(PAGE, entries=(*failed, STALE), links=(), timeline=None))

    hero = Document(page[page.index("<main>") : page.index('id="_broken"')])
    assert "Fact 2" in hero.text
    assert "Fact 3" not in hero.text
    assert "2 more causes" in hero.text
    assert [a["data-filter"] for a in hero.all("a") if "data-filter" in a] == ["failed", "stale"]


@each("entries", [(), (PageMemory("plain", "gotcha", "Plain"),)])
def test_page_without_a_fact_says_what_to_do_and_draws_nothing(entries: tuple[PageMemory, ...]) -> None:
    idle = {**JOBS, "last": None, "branch": None, "claimed": None, "schedules": []}
    command = 'gitmem fact "There is a README" --exists README.md'
    page = replace(PAGE, entries=entries, links=(), timeline=None, jobs=idle)

    document = Document(render.render(replace(page, first_fact=command)))

    assert "gitmem adopt finds the statements" in document.text
    assert f"{command} records a fact" in document.text
    assert "records a fact" not in Document(render.render(page)).text
    assert document.all("svg") == []
    assert ("No verify job has run yet. gitmem verify runs the checks now" in document.text) == bool(entries)
    assert "Last job here" not in document.text


def test_navigation_has_the_words_of_the_headings() -> None:
    page = render.render(PAGE)
    nav = dict(re.findall(r'<a href="#(_\w+)">([^<]+)</a>', page[page.index("<nav") : page.index("</nav>")]))

    assert nav == dict(re.findall(r'<h2 id="(_\w+)-h">([^<]+)</h2>', page))
    assert list(nav) == ["_broken", "_open", "_graph", "_time", "_jobs", "_all"]


def test_history_of_one_commit_is_a_sentence() -> None:
    one = Document(render.render(PAGE))
    text = section(one.text, "History", "Verify jobs")

    assert "Of main, only one commit is known: at cccccccccccc, 0 of 2 facts hold, 1 suspect, 1 failed." in text
    assert [svg for svg in one.all("svg") if svg.get("class") == "time"] == []
    line = replace(PAGE.timeline, moments=PAGE.timeline.moments * 2, counts=PAGE.timeline.counts * 2)
    two = Document(render.render(replace(PAGE, timeline=replace(line, strips=(Strip("rs256", "V!"),)))))
    assert len([svg for svg in two.all("svg") if svg.get("class") == "time"]) == 1


def test_titles_have_their_markdown_and_pictures_only_its_words() -> None:
    named = replace(FAILED, title="Run `make test` **before** a push")

    page = render.render(replace(PAGE, entries=(named, SUSPECT)))

    shown = "Run <code>make test</code> <strong>before</strong> a push</"
    places = [page.index(f"{shown}{tag}>", page.index(f'id="{where}"')) for where, tag in
              (("_headline", "a"), ("_broken", "a"), ("_time", "span"), ("rs256", "b"))]  # fmt: skip
    assert places == sorted(set(places))
    assert "**" not in page[page.index('<svg class="graph"') : page.index("</svg>", page.index('class="graph"'))]


def test_files_link_to_the_forge_and_what_is_no_file_does_not() -> None:
    base = f"https://forge.example/acme/shop/blob/{'a' * 40}/"
    paths, refs = ("Makefile", "src/**", "src/auth/"), ("src/a.py:3", "../x.py:3", "JIRA-12", "https://example.org/y")

    page = render.render(replace(PAGE, files=base, entries=(replace(FAILED, paths=paths, refs=refs),)))

    hrefs = {a["href"] for a in Document(page).all("a") if not (a["href"] or "").startswith("#")}
    assert hrefs == {f"{base}Makefile", f"{base}src/auth", f"{base}src/a.py#L3", "https://example.org/y"}


def test_commits_link_to_the_forge_and_the_memory_s_own_do_not() -> None:
    base = "https://forge.example/acme/shop/commit/"

    page = render.render(replace(PAGE, commits=base))

    linked = {one["href"].removeprefix(base) for one in Document(page).all("a") if (one["href"] or "").startswith(base)}
    assert linked == {"a" * 40, CULPRIT, "d" * 40}
    assert "forge.example" not in render.render(PAGE)


def test_mark_beside_the_name_is_that_of_the_worst_status() -> None:
    well = (replace(FAILED, status="verified"), replace(SUSPECT, status=""))
    marks = [Document(render.render(replace(PAGE, entries=entries))).all("i")[0] for entries in (PAGE.entries, well)]

    assert [mark["class"] for mark in marks] == ["mark failed", "mark verified"]


def test_jobs_are_reported_with_their_commits_and_silence_is_a_warning() -> None:
    silent = "no verify job ran here for 70 days, and one should run daily"
    quiet = replace(PAGE, jobs={**JOBS, "silent": silent}, warnings=(silent,))

    text = Document(render.render(quiet)).text

    assert "Last job here 2026-09-20 10:00 UTC on aaaaaaaaaaaa: 3 due, 1 failed" in text
    assert (
        "2026-09-20 10:01 UTC for the code at aaaaaaaaaaaa (2 commits behind, 1 commit ahead), as bbbbbbbbbbbb" in text
    )
    assert "By other machines 2026-09-19 10:01 UTC, as cccccccccccc" in text
    assert text.index(silent) < text.index("Their checks ran and failed. What concerns most")
    assert "Last verify job 2026-09-20 10:01 UTC on aaaaaaaaaaaa (2 commits behind, 1 commit ahead)" in text
    assert (
        "No verify job has run yet: gitmem verify · code at"
        in Document(render.render(replace(PAGE, jobs={**JOBS, "last": None, "branch": None}))).text
    )


@each(
    ("statuses", "headline"),
    [
        (["verified", "failed"], "1 fact no longer holds"),
        (["failed", "failed"], "2 facts no longer hold"),
        (["verified"], "1 fact holds"),
        (["verified", "verified"], "2 facts hold 2 memories in all."),
        (["verified", "stale"], "No checked fact has failed"),
        (["unproven"], "No fact is known to fail, but none is proved"),
        ([""], "Nothing has been checked yet"),
        ([], "There are no memories yet"),
    ],
)
def test_the_headline_is_true(statuses, headline: str) -> None:
    entries = tuple(PageMemory(f"k{n}", "fact", "T", status=status, check="x") for n, status in enumerate(statuses))

    text = Document(render.render(Page("x", "project", 1, "0", entries=entries))).text

    assert headline in text


def test_a_decision_is_no_fact_in_the_headline_and_is_looked_at_first_where_nothing_failed() -> None:
    fact = PageMemory("f", "fact", "Holds", status="verified", check="x")
    changed = PageMemory("d", "decision", "Keep it", status="stale", why="the lines of code have changed")

    text = Document(render.render(Page("x", "project", 1, "0", entries=(fact, changed)))).text

    assert "1 fact holds 2 memories in all. Look first at Keep it stale: the lines of code have changed" in text
    assert "There are no facts yet" in Document(render.render(Page("x", "project", 1, "0", entries=(changed,)))).text


def test_nothing_that_memories_say_becomes_more_than_text() -> None:
    entry = PageMemory("evil", "fact", EVIL, status="failed", why=EVIL, body=EVIL, by=EVIL, tags=(EVIL,), paths=(EVIL,),
                  refs=(EVIL, "javascript:alert(1)"), requires=(EVIL,), produces=(EVIL,), superseded_by=EVIL,
                  state=EVIL, check=EVIL, judged_at=EVIL, culprit=EVIL, broken=EVIL, held=EVIL)  # fmt: skip
    moment = Moment(CULPRIT, 1, EVIL, EVIL)
    line = Timeline(EVIL, (moment,), ((0, 0, 1, 0),), (Strip("evil", "!"),), ((moment, ("evil",)),))
    jobs = {**JOBS, "last": {**JOBS["last"], "state": "failed", "problem": EVIL, "commit": EVIL}, "silent": EVIL}
    twin = replace(entry, key="twin", kind=EVIL, status="suspect", chain=("evil",))
    page = Page(
        **{"name": EVIL, "scope": "project", "made": 1, "version": "0", "rev": EVIL, "branch": EVIL, "code": EVIL},
        **{"tip": EVIL, "entries": (entry, twin), "links": (("evil", "twin"),), "timeline": line, "jobs": jobs},
        warnings=(EVIL,),
    )

    text = render.render(page)

    document = Document(text)
    assert [script.get("type") for script in document.all("script")] == ["text/plain", "text/plain", None]
    assert len(document.all("style")) == 1
    assert document.all("img") == []
    assert not [name for _, attributes in document.elements for name in attributes if name.startswith("on")]
    hrefs = [a["href"] or "" for a in document.all("a")]
    assert [href for href in hrefs if not href.startswith("#")] == []
    assert not set("\u2028\u202e\x1b") & set(text)
    assert "\\u{202e}" in text


def test_the_policy_lets_this_style_and_this_script_be_and_nothing_else() -> None:
    text = render.render(PAGE)

    def allowed(tag: str) -> str:
        inside = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert inside
        return f"{tag}-src 'sha256-{b64encode(sha256(inside[1].encode()).digest()).decode()}'"

    policy = Document(text).all("meta")[1]["content"] or ""
    rules = policy.split("; ")
    assert rules[:3] == ["default-src 'none'", allowed("style"), allowed("script")]
    assert "unsafe" not in policy
    assert not re.search(r'\ssrc=|url\(|@import|\sstyle="', text)


def test_everything_is_there_without_a_script_and_every_link_leads_somewhere() -> None:
    document = Document(render.render(PAGE))

    ids = [attributes["id"] for _, attributes in document.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert {(a["href"] or "")[1:] for a in document.all("a")} <= set(ids)
    assert {"rs256", "rotate", "readme", "plain"} <= set(ids)
    for name in ("header", "nav", "main", "footer"):
        assert len(document.all(name)) == 1
    assert next(a for a in document.all("div") if a.get("role") == "search") == {**a_search, "hidden": None}


a_search = {"class": "search", "role": "search"}


def test_long_lists_are_counted_and_folded() -> None:
    many = tuple(replace(FAILED, key=f"k{n:02}") for n in range(SHOWN + 3))

    assert "3 more failed" in Document(render.render(replace(PAGE, entries=many, links=(), timeline=None))).text


def test_what_flaps_is_reported_whatever_its_status() -> None:
    steady = replace(STALE, key="steady", title="Steady", status="verified", why="")
    entries = (steady, replace(steady, key="flaps", title="Does it?", flapping=True))

    text = Document(render.render(replace(PAGE, entries=entries, links=(), timeline=None))).text

    column = section(text, "Flapping 1", "Verify jobs")
    assert "verified: Does it?" in column
    assert "Steady" not in column


def test_the_same_data_gives_the_same_page() -> None:
    assert render.render(PAGE) == render.render(PAGE)
    assert render.render(PAGE).startswith(render.MARK)


def luminance(color: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_status_has_a_mark_and_a_bar_of_its_own() -> None:
    styles = render.styles()

    assert [s for s in STATUSES if f".mark.{s} {{" not in styles or f"rect.{s} {{" not in styles] == []


@each("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_can_be_read_in_both_schemes(scheme: int) -> None:
    roots = re.findall(r":root \{(.*?)\}", render.styles(), re.DOTALL)
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", roots[scheme]))

    for text in ("ink", "soft", "link", *STATUSES):
        for ground in ("paper", "surface"):
            assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
    for status in STATUSES:
        assert contrast(colors[status], colors[f"{status}-bg"]) >= 4.5, status
        assert contrast(colors["ink"], colors[f"{status}-bg"]) >= 4.5, status


def test_thousands_have_a_comma() -> None:
    assert count_of(1964, "memory", "memories") == "1,964 memories"
