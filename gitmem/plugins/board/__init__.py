"""Boards: what the workers of a run share until it ends, as typed entries on refs/gitmem/runs/RUN."""

from __future__ import annotations

MODULES = {"board": "gitmem.plugins.board.cli"}
COMMANDS = {
    "board": ("work", "share what the workers of a run find: post, signal, gate, close"),
    "board open": ("work", "open the board of a run, or continue it"),
    "board post": ("work", "post an entry: an observation, an analysis, a gap, …"),
    "board link": ("work", "record how entries relate"),
    "board signal": ("work", "post a signal: an open question"),
    "board answer": ("work", "answer a signal"),
    "board waive": ("work", "let signals stay unanswered, with the reason"),
    "board gate": ("work", "check whether blocking signals are open"),
    "board survival": ("work", "check that a report says what it has to"),
    "board show": ("work", "show a board, or one entry"),
    "board list": ("work", "list the boards"),
    "board export": ("work", "print all entries as JSON lines"),
    "board close": ("work", "close a run, and record what it found as memories"),
}
