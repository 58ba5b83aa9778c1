"""The page in a real browser: search by typing, no mouse, both schemes, a phone; nothing loads, nothing complains.

What a memory says is hostile here: it would tell the console, ask the network and set a variable if it ran.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from support.processes import wait_until

from benchmarks.browser import CHROMIUM, DRIVER, Browser
from gitmem.commands.report.page import payload, render
from gitmem.commands.report.page.model import Moment, Page, PageMemory, Strip, Timeline
from gitmem.commands.report.page.serve import ReportServer
from gitmem.frozen import replace

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium or no chromedriver here (Debian: chromium, chromium-driver)"
)

# What lies behind a line is there, and one press away; what is hidden is not.
SHOWN = """[...document.querySelectorAll("h1, summary, label")]
  .filter((node) => node.checkVisibility()).map((node) => node.textContent).join()"""
EVIL = "<img src=http://evil.example/x onerror='window.ran=1'><script>window.ran=2</script>"
TITLE = "Tokens are signed with RS256 after the change of the gateway, which only ever holds the public keys"
ENTRIES = (
    PageMemory("rs256", "fact", TITLE, status="failed", why="no file says so", check="x", tags=("auth",), body=EVIL),
    PageMemory(
        "rotate", "recipe", "Rotate the key", status="suspect", chain=("rs256",), body="Sign with the second token."
    ),
    PageMemory("support", "recipe", "Support script 7", status="suspect", chain=("rotate", "rs256")),
    PageMemory("vpn", "gotcha", "Deploys need the VPN", body="Else the token is refused. " + "x" * 500 + "\n\n" + EVIL),
    PageMemory("old-token", "gotcha", "The token of old", place="archived"),
    *(PageMemory(f"more-{n}", "learned", f"More of number {n}", body="filler") for n in range(60)),
)
MOMENTS = tuple(Moment(f"{n:040x}", n, EVIL, EVIL) for n in range(80))
PAGE = Page(
    **{"name": "service", "scope": "project", "made": 1_790_000_000, "version": "0.1.0", "entries": ENTRIES},
    links=(("rs256", "rotate"), ("rotate", "support")),
    timeline=Timeline("main", MOMENTS, ((0, 0, 1, 0),) * 80, (Strip("rs256", "v" * 70 + "!" + "x" * 9),)),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page as a file."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(render.render(PAGE), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser for all these tests: beginning is what takes long."""
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium: Browser, page: Path) -> Iterator[Browser]:
    """Return the browser with the page freshly loaded; afterwards nothing was loaded, run or complained of."""
    chromium.screen(1280, 900)
    chromium.requests(), chromium.complaints()
    chromium.open(page)
    assert wait_until(lambda: is_ready(chromium))
    yield chromium
    assert chromium.complaints() == []
    assert chromium.requests() == []
    assert chromium.js("return window.ran ?? null") is None


def is_ready(browser: Browser) -> bool:
    """Return whether the page has read its texts, and ranks by them."""
    return browser.js("return 'ready' in document.body.dataset")


def hits(browser: Browser) -> list[str]:
    return browser.js("return [...document.querySelectorAll('#_hits li')].map((hit) => hit.dataset.key)")


def seen(browser: Browser, id: str) -> bool:
    return browser.js("return document.getElementById(arguments[0]).checkVisibility()", id)


def test_typing_finds_titles_before_texts_marks_the_words_and_counts(browser: Browser) -> None:
    browser.press("/", "token")

    assert hits(browser) == ["rs256", "rotate", "vpn"]
    assert browser.js("return document.getElementById('_count').textContent") == "3 memories"
    marks = browser.js("return [...document.querySelectorAll('#_hits mark')].map((mark) => mark.textContent)")
    assert marks == ["Token", "token", "token"]
    browser.press(" second")
    assert hits(browser) == ["rotate"]
    browser.press(" nothing")
    assert browser.js("return document.getElementById('_count').textContent") == "No memory has all of these words"


def test_a_memory_is_found_opened_and_left_without_a_mouse(browser: Browser) -> None:
    browser.press("/", "token", "ArrowDown", "ArrowDown", "ArrowUp")
    active = browser.js("return document.getElementById('_words').getAttribute('aria-activedescendant')")
    assert browser.js("return document.getElementById(arguments[0]).dataset.key", active) == "rotate"

    browser.press("Enter")

    assert browser.js("return location.hash") == "#rotate"
    assert browser.js("return document.activeElement.parentElement.id") == "rotate"
    assert browser.js("return document.getElementById('rotate').open")
    assert (seen(browser, "_report"), seen(browser, "_found")) == (True, False)
    around = browser.js(
        "return [...document.querySelectorAll('#rotate svg a')].map((node) => node.getAttribute('href'))"
    )
    assert sorted(around) == ["#rotate", "#rs256", "#support"]
    browser.press("/", "x", "Escape")
    assert browser.js("return [document.activeElement.id, document.activeElement.value]") == ["_words", ""]
    assert seen(browser, "_report")


def test_what_is_retired_is_found_when_it_is_asked_for_and_filters_hold(browser: Browser) -> None:
    browser.press("/", "token")
    browser.js("document.getElementById('_old').click()")
    assert "old-token" in hits(browser)

    browser.js("document.querySelector('#_chips [data-status=suspect]').click()")

    assert hits(browser) == ["rotate"]
    browser.press("Escape")
    browser.js("document.querySelector('[data-filter=suspect]').click()")
    assert hits(browser) == ["rotate", "support"]


def test_more_hits_than_fit_are_counted_and_come_when_asked_for(browser: Browser) -> None:
    browser.press("/", "filler")

    assert (len(hits(browser)), seen(browser, "_more")) == (50, True)
    browser.js("document.getElementById('_more').click()")
    assert (len(hits(browser)), seen(browser, "_more")) == (60, False)


def test_a_link_to_a_memory_opens_it_also_where_it_is_retired(chromium: Browser, page: Path) -> None:
    chromium.open(page, "#old-token")

    assert wait_until(lambda: chromium.js("return document.getElementById('old-token')?.open"))
    assert seen(chromium, "old-token")


FORGE = "https://f.example/"
MARKDOWN = """# Heading #

A paragraph with `code`, `rotate`, **strong** words and https://example.org/x?y=1.
More of it.

- one
  goes on
* two

1. three

| a | b |

    indented

```sh
echo "<b>"
```
~~~
not closed"""


def test_script_shows_a_memory_as_the_version_without_scripts_does(chromium: Browser, tmp_path: Path) -> None:
    rich = PageMemory(
        **{
            "key": "rich",
            "kind": "fact",
            "title": "Rich `code` and **strong** words",
            "status": "failed",
            "why": "no file",
            "broken": "broken by x",
        },
        **{
            "body": MARKDOWN,
            "created": 1_780_000_000,
            "by": "Ana",
            "tags": ("a", "b"),
            "paths": ("src/**", "Makefile", ".ci/"),
        },
        **{
            "refs": ("src/a.py:3", "b" * 40, "JIRA-12", "https://example.org/y"),
            "requires": ("rotate", "nowhere"),
            "produces": ("label",),
        },
        **{"superseded_by": "vpn", "task": "AUTH-12", "check": "{exists: x}", "judged": 1_790_000_000},
        **{"judged_at": "a" * 40, "held": "d" * 40, "weak": True, "flapping": True},
    )
    entries = (rich, replace(rich, key="gone", place="archived", status="", state="open"), *ENTRIES)
    links = (("rotate", "rich"), ("rich", "vpn"))
    file = tmp_path / "page.html"
    file.write_text(
        render.render(replace(PAGE, entries=entries, links=links, commits=f"{FORGE}commit/", files=f"{FORGE}blob/x/")),
        "utf-8",
    )
    chromium.open(file)
    assert wait_until(lambda: is_ready(chromium))

    differences = chromium.js("""
      const normal = (node) => { node.normalize(); return text(node); };
      const plain = new DOMParser().parseFromString(document.querySelector("noscript").textContent, "text/html");
      const words = (text) => text.replace(/\\s+/g, " ").trim();
      const text = (node) => node.nodeType === 3 ? words(node.textContent) : [node.tagName, node.className, node.id,
        node.getAttribute("href") ?? "", node.dir, JSON.stringify(node.dataset),
        ...[...node.childNodes].map(text).filter((one) => one !== "")].join("|");
      const wrong = [];
      for (const before of plain.querySelectorAll("details.memory")) {
        const now = document.getElementById(before.id);
        now.open = true;
        now.dispatchEvent(new Event("toggle"));
        now.querySelectorAll(".scroll").forEach((one) => one.remove());
        if (normal(now) !== normal(before)) wrong.push([text(now), text(before)]);
      }
      return wrong""")
    assert differences == []


def test_long_lists_hold_only_what_is_near_and_links_lead_into_them(chromium: Browser, tmp_path: Path) -> None:
    many = [PageMemory(f"k{nth}", "fact", f"Title of {nth}", body="b", created=9_999 - nth) for nth in range(3_000)]
    file = tmp_path / "page.html"
    file.write_text(render.render(replace(PAGE, entries=(*ENTRIES, *many))), encoding="utf-8")
    chromium.screen(1280, 900)
    chromium.open(file)
    rows = "return [...document.querySelectorAll('details.memory')].map((one) => one.id)"
    assert wait_until(lambda: "k0" in chromium.js(rows))

    chromium.js("document.getElementById('k0').scrollIntoView()")
    assert wait_until(lambda: "k60" in chromium.js(rows))
    assert len(chromium.js(rows)) < 300
    chromium.js("location.hash = 'k2900'")
    assert wait_until(lambda: chromium.js("return document.getElementById('k2900')?.open"))
    assert seen(chromium, "k2900")
    assert wait_until(lambda: "k0" not in chromium.js(rows))
    chromium.js("window.scrollTo(0, 0)")
    assert wait_until(lambda: "rs256" in chromium.js(rows))
    assert "k2900" in chromium.js(rows)


def test_a_node_of_the_graph_shows_its_line_when_it_has_the_focus(browser: Browser) -> None:
    browser.js("document.querySelector('#_graph [data-key=support]').focus()")

    near = browser.js("return [...document.querySelectorAll('#_graph .node.near')].map((node) => node.dataset.key)")
    assert sorted(near) == ["rotate", "rs256", "support"]
    assert browser.js("return document.querySelectorAll('#_graph path.flow.near').length") == 2


def test_a_key_beside_a_title_of_one_long_word_stays_on_its_line(browser: Browser) -> None:
    browser.js("document.querySelector('#vpn .t').textContent = 'W'.repeat(190)")

    # A line is 20 pixels high or so: letter by letter below each other, three take 60.
    assert browser.js("return document.querySelector('#vpn > summary code').getBoundingClientRect().height") < 30


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_it_follows_the_scheme_and_fits_a_phone(browser: Browser, is_dark: bool) -> None:
    browser.screen(360, 740, dark=is_dark)

    for key in ("rs256", "vpn"):
        browser.js("document.getElementById(arguments[0]).open = true", key)
    assert browser.js("return document.documentElement.scrollWidth") <= 360
    # Numbers are on one line with their words, and sections that do not fit fade out.
    assert browser.js("return getComputedStyle(document.querySelector('.tiles a')).alignItems") == "baseline"
    assert browser.js("return getComputedStyle(document.querySelector('nav')).maskImage").startswith("linear-gradient")
    red = browser.js("return Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert (red < 60) == is_dark
    browser.press("/", "token")
    assert browser.js("return document.documentElement.scrollWidth") <= 360
    # Of a picture that is too wide, the newest is seen, and it can be reached by keys.
    browser.press("Escape")
    assert browser.js(
        "const box = document.querySelector('.scroll.end'); return [box.scrollLeft > 0, box.tabIndex]"
    ) == [*(True, 0)]


def test_motion_stops_where_it_is_not_wanted(browser: Browser) -> None:
    moving = "return getComputedStyle(document.querySelector('path.flow')).animationName"
    assert browser.js(moving) == "none"

    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "no-preference"}])

    assert browser.js(moving) == "flow"


def test_everything_that_acts_has_a_name_and_the_page_its_landmarks(browser: Browser) -> None:
    browser.press("/", "token")
    nodes = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    browser.press("Escape")
    nodes = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    roles += [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]

    acting = {"button", "link", "checkbox", "combobox", "listbox", "option", "DisclosureTriangle", "image", "SvgRoot"}
    assert [role for role in roles if role[0] in acting and not role[1].strip()] == []
    assert {"banner", "main", "navigation", "search", "contentinfo", "region", "status"} <= {role for role, _ in roles}
    assert ("heading", "1 fact no longer holds") in roles
    levels = browser.js(
        "return [...document.querySelectorAll('main :is(h1,h2,h3,h4)')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_without_scripts_everything_can_be_read(chromium: Browser, page: Path) -> None:
    chromium.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(page)
        shown = chromium.cdp("Runtime.evaluate", expression=SHOWN)
    finally:
        chromium.cdp("Emulation.setScriptExecutionDisabled", value=False)

    text = shown["result"]["value"]
    assert "1 fact no longer holds" in text
    assert "Deploys need the VPN" in text
    assert "Search all memories" not in text


class Changing:
    """A memory whose search ranks what it is given, and whose page changes."""

    current = "1"

    def state(self) -> str:
        return self.current

    def page(self, state: str) -> str:
        return render.render(replace(PAGE, name=f"state {state}"), served=state)

    def texts(self, state: str, block: int) -> list[str]:
        return [payload.body(entry) for entry in payload.in_order(PAGE.entries)]

    def find(self, words: str) -> list[str]:
        return ["vpn", "support", "rs256"] if words == "token" else []


def test_served_page_ranks_by_the_server_and_is_renewed_once_it_changes(chromium: Browser) -> None:
    source = Changing()
    with ReportServer(source) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        chromium.open(server.url)
        chromium.press("/", "token")
        assert wait_until(lambda: hits(chromium) == ["vpn", "support", "rs256", "rotate"])
        chromium.press("Escape")
        source.current = "2"
        assert wait_until(lambda: "state 2" in chromium.js("return document.title"))
        server.shutdown()

    assert [one for one in chromium.complaints() if "favicon" not in one] == []
    assert {url.startswith(server.url) for url in chromium.requests()} == {True}


def test_a_graph_higher_than_its_box_begins_at_the_first_failure(chromium: Browser, tmp_path: Path) -> None:
    facts = tuple(PageMemory(f"f{n:02}", "fact", f"Fact {n}", status="verified", check="x") for n in range(60))
    top = PageMemory("top", "decision", "Rests on all")
    links = tuple((one.key, top.key) for one in facts)
    file = tmp_path / "graph.html"
    entries = (*facts[:40], replace(facts[40], status="failed"), *facts[41:], top)
    file.write_text(render.render(replace(PAGE, entries=entries, links=links, timeline=None)), encoding="utf-8")
    chromium.screen(400, 800)
    chromium.open(file)

    box, node = chromium.js(
        "return ['#_graph .scroll', '#_graph .node.failed'].map((one) => {"
        " const at = document.querySelector(one).getBoundingClientRect(); return [at.top, at.bottom]; })"
    )

    assert box[0] <= node[0] < node[1] <= box[1]
    assert chromium.js("return document.querySelector('#_graph .scroll').scrollTop") > 0


AXE = Path(__file__).parents[4] / "build/axe/node_modules/axe-core/axe.min.js"
# Every kind of section, with a cause that several facts share, links to a forge and every status.
MOVED = PageMemory(
    "moved", "fact", "Moved", status="failed", check="x", culprit="c" * 40, judged=1, judged_at="a" * 40, held="d" * 40,
    broken="broken by cccccccccccc (Cem: move src)",
)  # fmt: skip
HOLDS = PageMemory("holds", "fact", "Holds", status="verified", check="x", refs=("src/a.py:3",), requires=("vpn",))
WHOLE = replace(
    PAGE,
    branch="main",
    code="a" * 40,
    tip="b" * 40,
    commits="https://forge.example/acme/shop/commit/",
    files="https://forge.example/acme/shop/blob/x/",
    warnings=("the schedule is silent",),
    waiting=("waits",),
    entries=(
        *(*PAGE.entries, HOLDS, *(replace(MOVED, key=f"moved-{n}") for n in range(3))),
        replace(HOLDS, key="rich", title=f"{TITLE} {'x' * 150}", body=MARKDOWN),
        *(replace(HOLDS, key=name, status=name, why="so") for name in ("blocked", "unproven", "stale")),
    ),
)


# What is open has its inside, which may have to be read first.
OPENED = "return [...document.querySelectorAll('details.memory[open]')].every((one) => one.children.length > 1)"


@pytest.mark.skipif(not AXE.exists(), reason=f"no axe-core here (npm install --prefix {AXE.parents[2]} axe-core)")
@pytest.mark.parametrize("screen", [(360, True), (1920, False)])
def test_axe_finds_nothing_to_complain_of(chromium: Browser, tmp_path: Path, screen: tuple[int, bool]) -> None:
    file, empty = tmp_path / "page.html", tmp_path / "empty.html"
    file.write_text(render.render(WHOLE), encoding="utf-8")
    empty.write_text(render.render(replace(PAGE, entries=(), links=(), timeline=None)), encoding="utf-8")
    width, dark = screen
    chromium.screen(width, 900, dark=dark)
    found = {}
    for state, steps in {
        "nothing": "",
        "first": "",
        "all open": "document.querySelectorAll('details').forEach((one) => one.open = true)",
        "searching": "document.getElementById('_words').value = 'token'; "
        "document.getElementById('_words').dispatchEvent(new Event('input'))",
    }.items():
        chromium.open(empty if state == "nothing" else file)
        assert wait_until(lambda: is_ready(chromium))
        chromium.js(steps)
        assert wait_until(lambda: chromium.js(OPENED))
        chromium.js(AXE.read_text(encoding="utf-8"))
        found[state] = chromium.js(
            "return axe.run().then((all) => all.violations.map((one) => [one.id, one.nodes.map((node) => node.html)]))"
        )

    assert found == {"nothing": [], "first": [], "all open": [], "searching": []}
