"""What a model answered becomes vectors of length 1, or an error that says what was wrong with it."""

from __future__ import annotations

import numpy as np
import pytest
from support.each import each

from gitmem.errors import EmbeddingError
from gitmem.index.embed.provider import no_rows, unit_rows


@each("scale", [1.0, 1e-38, 5e37], ids=["plain", "tiny", "huge"])
def test_rows_have_length_one_whatever_their_size_was(scale: float) -> None:
    found = unit_rows(np.array([[3, 4], [0, -2]], dtype=np.float32) * np.float32(scale), count=2, name="m")

    assert found.dtype == np.float32
    assert np.allclose(found, [[0.6, 0.8], [0, -1]])


def test_a_row_of_zeros_stays_one() -> None:
    assert unit_rows([[0, 0], [0, 1]], count=2, name="m").tolist() == [[0, 0], [0, 1]]


@each(
    ("answer", "expected"),
    [
        ([[1, 2], [3]], "rows that are not numbers, or differ in size"),
        ([["a", "b"], ["c", "d"]], "rows that are not numbers, or differ in size"),
        ([[1, 2]], "1 x 2 for 2 texts"),
        ([1, 2], "2 for 2 texts"),
        ([[], []], "2 x 0 for 2 texts"),
        (3, "one number for 2 texts"),
        ([[1, 2], [3, float("nan")]], "numbers that are not finite"),
        ([[1, 2], [3, float("inf")]], "numbers that are not finite"),
        ([[1, 2, 3], [1, 2, 3]], "3 dimensions instead of 2 as before"),
    ],
)
def test_anything_else_is_refused_and_said(answer: object, expected: str) -> None:
    with pytest.raises(EmbeddingError) as caught:
        unit_rows(answer, count=2, name="tiny", dimensions=2)

    assert caught.value.message == f"the embedding provider tiny answered with {expected}"


def test_no_text_has_no_rows() -> None:
    assert no_rows().shape == (0, 0)
