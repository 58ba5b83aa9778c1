"""What is shown to an agent: between markers of its own, and without secrets."""

from __future__ import annotations

from gitmem.text.fence import fenced

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def test_words_are_fenced_between_markers_of_their_own_and_nothing_is_no_fence() -> None:
    message = "It says [memory] ends, and more."

    one, two = fenced(message, source="s"), fenced(message, source="s")

    assert one != two
    assert message in one
    assert fenced("", source="s") == ""


def test_a_secret_is_redacted_inside_the_fence() -> None:
    text = fenced(f"Deploy with {TOKEN}, or ask.", source="s")

    assert "Deploy with [secret: github-token], or ask." in text
