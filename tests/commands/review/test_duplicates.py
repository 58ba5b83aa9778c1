"""Near duplicates and contradictions among many memories: the same answers, and bounded."""

from __future__ import annotations

import time
from pathlib import Path

from support.reviews import changed, of, text

from gitmem.commands.review import duplicates


def test_many_changed_memories_are_compared_with_all_as_few_are(repo: Path, monkeypatch) -> None:
    base = {"gotchas/one.md": text("The gateway drops every request without a trace id")}
    head = {"gotchas/two.md": text("The gateway drops each request without a trace id")}
    head |= {f"gotchas/other-{n}.md": text(f"Word{n} thing{n} about part{n}") for n in range(5)}
    few = changed(repo, base, head)
    monkeypatch.setattr(duplicates, "FEW", 2)

    many = changed(repo, {**head, **base, "gotchas/three.md": text("Nothing of that kind")})
    again = of(many, "near-duplicate")

    assert [(f.key, f.message.split(" ")[0]) for f in of(few, "near-duplicate")] == [("two", "one")]
    assert again == []  # they were there before
    monkeypatch.setattr(duplicates, "FEW", 0)
    last = changed(repo, {"gotchas/four.md": text("The gateway drops all requests without a trace id")})
    assert {f.key for f in of(last, "near-duplicate")} == {"four"}


def test_memory_that_supersedes_another_is_not_its_duplicate(repo: Path) -> None:
    title = "The gateway drops every request without a trace id"

    review = changed(
        repo,
        {"gotchas/one.md": text(title)},
        {"gotchas/two.md": text(title.replace("every", "each"), supersedes="[one]")},
    )

    assert of(review, "near-duplicate") == []


def test_a_template_of_memories_is_compared_within_bounds_and_the_rest_is_counted(repo: Path) -> None:
    head = {f"gotchas/k{n}.md": text(f"The retries of the client are capped at {n}") for n in range(600)}
    begun = time.process_time()

    review = changed(repo, {"gotchas/a.md": text("A")}, head)

    found = of(review, "contradiction")
    assert len(found) == duplicates.PAIRS_SHOWN + 1
    assert found[0].message.endswith("more pairs")
    assert time.process_time() - begun < 15
