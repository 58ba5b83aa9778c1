"""Adding to a specification."""

from __future__ import annotations


def test_a_paragraph_is_added_to_the_active_topic(run_cli) -> None:
    run_cli("session", "use", "billing", "One")

    assert run_cli("session", "note", "Two", "words").out == "billing\n"

    assert "│ One\n│ \n│ Two words\n" in run_cli("session").out


def test_empty_text_is_wrong_use(run_cli) -> None:
    assert run_cli("session", "note", " ").status == 2
