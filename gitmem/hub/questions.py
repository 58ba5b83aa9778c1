"""Saved questions: what a person asked a hub, and the answer of the last time, to tell what has changed since.

They are in a file that only its owner can read, because titles of memories may be confidential.
"""

from __future__ import annotations

import json

from gitmem.errors import ConfigError, GitmemError
from gitmem.frozen import frozen
from gitmem.system import make_folder, read_regular
from gitmem.system.atomic_write import write
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Any

    from gitmem.hub.client import HubHit

FILE_NAME = "hub-questions.json"
FORMAT = 1
NEW, GONE, CHANGED = "new", "gone", "changed"
# A status and a title, by the reference of a memory: REPOSITORY:KEY.
Answer = dict[str, tuple[str, str]]


@frozen
class Question:
    """A saved question.

    Attributes:
        site: The address of the hub.
        asked: The parameters of the search, by name.
        answer: What it found the last time; None if it did not answer yet.
    """

    site: str
    asked: tuple[tuple[str, str], ...]
    answer: Answer | None = None

    @property
    def text(self) -> str:
        """Return the question as typed."""
        return dict(self.asked).get("q", "")


@frozen
class Change:
    """A difference between two answers.

    Attributes:
        what: ``new``, ``gone`` or ``changed``.
        reference: The memory, as REPOSITORY:KEY.
        status: Its status now, or the last one if it is gone.
        title: Its title, in the same way.
        was: Its status before, if that is another one.
    """

    what: str
    reference: str
    status: str
    title: str
    was: str = ""


def answer_of(hits: Iterable[HubHit]) -> Answer:
    """Return what a hub found, as it is kept."""
    return {f"{hit.repository_name}:{hit.key}": (hit.status, hit.title) for hit in hits}


def list_changes(before: Answer, now: Answer) -> list[Change]:
    """Return what differs between two answers, sorted by reference; their order makes no difference."""
    changes = []
    for reference in sorted({*before, *now}):
        old, new = before.get(reference), now.get(reference)
        if old is None and new is not None:
            changes.append(Change(NEW, reference, *new))
        elif new is None and old is not None:
            changes.append(Change(GONE, reference, *old))
        elif old != new and new is not None and old is not None:
            changes.append(Change(CHANGED, reference, *new, was=old[0] if old[0] != new[0] else ""))
    return changes


def read_questions(path: Path) -> dict[str, Question]:
    """Return the saved questions by name, sorted; empty if there are none.

    Raises:
        ConfigError: The file is damaged.
    """
    try:
        table = parse_json(read_regular(path))
        questions = {name: _question(row) for name, row in sorted(table["questions"].items())}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
        raise ConfigError(f"{path}: it is damaged", file=str(path), key="questions") from err
    return questions


def _question(one: Mapping[str, Any]) -> Question:
    answer = one["answer"]
    last_answer = (
        None if answer is None else {str(name): (str(status), str(title)) for name, (status, title) in answer.items()}
    )
    return Question(str(one["site"]), tuple((str(name), str(value)) for name, value in one["asked"]), last_answer)


def write_questions(path: Path, questions: Mapping[str, Question]) -> None:
    """Replace the saved questions.

    Raises:
        GitmemError: The file cannot be written.
    """
    table = {
        name: {"site": question.site, "asked": question.asked, "answer": question.answer}
        for name, question in sorted(questions.items())
    }
    text = json.dumps({"format": FORMAT, "questions": table}, ensure_ascii=False, indent=1)
    try:
        make_folder(path.parent)
        write(path, text.encode("utf-8", "replace"), mode=0o600)
    except OSError as err:
        raise GitmemError(f"cannot write {path}: {err.strerror}") from err
