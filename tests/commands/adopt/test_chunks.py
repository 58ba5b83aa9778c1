"""A document is cut at its headings, and nothing of it is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.commands.adopt.chunks import prose_chunks


@given(st.lists(st.sampled_from(["# A", "## B", "text", "", "```", "- item", "x" * 3_000]), max_size=60))
def test_every_line_of_a_document_is_in_one_chunk(lines: list[str]) -> None:
    chunks = prose_chunks("\n".join(lines))

    covered = [number for chunk in chunks for number in range(chunk.first, chunk.last + 1)]
    written = [number for number, line in enumerate(lines, start=1) if line.strip()]
    assert sorted(set(covered)) == sorted(covered)
    assert set(written) <= set(covered)
