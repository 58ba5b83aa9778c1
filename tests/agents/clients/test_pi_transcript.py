"""Sessions of pi, as it writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clients import Client

from gitmem.agents.transcripts.read import read_transcript
from gitmem.agents.transcripts.turns import COMMAND, PROMPT, SAID


def test_turns_are_in_their_order(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    client, other = Client("pi", repo, "s1"), Client("pi", repo, "s2")
    client.write("user", "fix it")
    client.write("ran", "make")
    client.write("assistant", "Done.")
    other.write("assistant", "Something else.")

    turns = read_transcript(str(client.transcript), "s1")

    assert [(turn.what, turn.text, turn.failed) for turn in turns] == [
        (PROMPT, "fix it", None),
        (COMMAND, "make", False),
        (SAID, "Done.", None),
    ]
