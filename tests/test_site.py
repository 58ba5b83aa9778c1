"""The site of the documentation has every page, and its links lead somewhere (`make docs`)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.browser import CHROMIUM, DRIVER, Browser

PROJECT = Path(__file__).resolve().parent.parent
AXE = PROJECT / "build/axe/node_modules/axe-core/axe.min.js"
# MyST uses what Sphinx 11 drops.
OLD = ("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


@pytest.fixture(scope="module")
def site() -> ModuleType:
    """Return docs/site/build.py as a module."""
    spec = importlib.util.spec_from_file_location("build_site", PROJECT / "docs" / "site" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_staged_and_in_the_contents(site: ModuleType, tmp_path: Path) -> None:
    site.stage(tmp_path)

    staged = {path.relative_to(tmp_path).with_suffix("").as_posix() for path in tmp_path.rglob("*.md")}
    landing = (tmp_path / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?m)^[A-Z][^<\n]* <(\S+)>$", landing))
    assert listed == staged - {"index"}


@pytest.mark.parametrize(
    ("written", "on_the_site"),
    [
        ("[a](../verify.md#sandbox)", "[a](../verify.md#sandbox)"),
        ("[`a`](../../README.md)", "[`a`](../index.md)"),
        ("[a](../../benchmarks/README.md#x)", "[a](../benchmarks.md#x)"),
        ("![a](../adopt.svg)", "![a](../adopt.svg)"),
        ("[the memory](../../.memory)", "the memory"),
        ("[a](https://example.org/x.md) [b](#c)", "[a](https://example.org/x.md) [b](#c)"),
        ("`[a](no.md)`\n\n```sh\n[a](no.md)\n```\n", "`[a](no.md)`\n\n```sh\n[a](no.md)\n```\n"),
    ],
)
def test_links_are_those_of_the_site(site: ModuleType, written: str, on_the_site: str) -> None:
    source = "docs/howto/page.md"

    assert site.adjust(written, source, {**site.pages(), source: "howto/page.md"}) == on_the_site


def test_link_to_a_missing_file_is_an_error(site: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"docs/guide\.md: no such file: gone\.md"):
        site.adjust("[a](gone.md)", "docs/guide.md", site.pages())


@pytest.mark.filterwarnings(*OLD)
def test_strict_build_fails_for_an_anchor_that_leads_nowhere(
    site: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sphinx")
    monkeypatch.setattr(site, "BUILD", tmp_path / "site")
    monkeypatch.setattr(
        site, "stage", lambda folder: (folder.mkdir(), (folder / "index.md").write_text("# A\n\n[b](#nowhere)\n"))
    )

    assert site.main() == 1
    assert "nowhere" in capfd.readouterr().err


@pytest.mark.skipif(
    not (CHROMIUM and DRIVER and AXE.exists()), reason="no chromium, no driver of it or no axe-core here"
)
@pytest.mark.filterwarnings(*OLD)
def test_axe_finds_nothing_to_complain_of(site: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (
        f"# A\n\n## List\n\n| a | |\n|---|---|\n| b | `{'c' * 80}` |\n\n```console\n$ "
        + "echo d " * 40
        + "\nd\n```\n\n- [Page b](b.md)\n"
    )

    def stage(folder: Path) -> None:
        folder.mkdir()
        (folder / "index.md").write_text(site.contents(page))
        (folder / "b.md").write_text("# B\n\n[a](index.md)\n")

    monkeypatch.setattr(site, "BUILD", tmp_path / "site")
    monkeypatch.setattr(site, "stage", stage)
    assert site.main() == 0

    browser = Browser(tmp_path / "chromium")
    found = []
    for width, is_dark in ((1280, False), (1280, True), (360, False), (360, True)):
        browser.screen(width, 900, dark=is_dark)
        for name in ("index", "search"):
            browser.open(tmp_path / "site" / f"{name}.html")
            browser.js(AXE.read_text(encoding="utf-8"))
            found += browser.js("return axe.run().then((all) => all.violations.map((one) => one.id))")
    browser.close()
    assert found == []
