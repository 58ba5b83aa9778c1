"""What every format has in common: texts are cleaned before they go into it."""

from __future__ import annotations

from support.each import each
from support.findings import HOSTILE, SECRET, make_findings

from gitmem.commands.report import TEXT_KEPT, WRITERS, clean, render


@each("form", WRITERS)
def test_no_form_contains_a_secret_or_an_active_hidden_character(form):
    text = render(form, make_findings(texts=f"{HOSTILE} {SECRET}", number=2))

    assert SECRET not in text
    assert all(char == "\n" or char.isprintable() for char in text)
    assert text.endswith("\n")


def test_texts_become_one_line_of_bounded_length():
    found = clean(make_findings(texts="a\nb " * 1000))

    assert {len(f.title) for f in found.findings} == {TEXT_KEPT}
    assert found.summary.startswith("a b a b")
