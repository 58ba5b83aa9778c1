"""The timeline's drawing: runs of one state are one shape, culprits are marked, names are inert."""

from __future__ import annotations

from gitmem.commands.report.page.model import Moment, PageMemory, Strip, Timeline
from gitmem.commands.report.page.strips import DRAWN, draw


def line(*strips: Strip, number: int = 4) -> Timeline:
    moments = tuple(Moment(f"{n:040x}", n) for n in range(number))
    counts = tuple((1, 0, 0, 0) for _ in moments)
    return Timeline("main", moments, counts, strips)


def test_each_run_is_one_shape_and_the_culprit_has_its_sign() -> None:
    svg = draw(line(Strip("a", "Vv!x")), {"a": PageMemory("a", "fact", "A")})

    assert svg.count('<rect class="held"') == 1
    assert svg.count('<rect class="fell"') == 1
    assert svg.count("✗") == svg.count('class="cut"') == 1
    assert svg.count('<rect class="verified"') == 1


def test_no_more_than_so_many_are_drawn_and_no_name_does_anything() -> None:
    strips = [Strip(f"k{n}", "XXXX") for n in range(DRAWN + 5)]

    svg = draw(line(*strips), {s.key: PageMemory(s.key, "fact", "</text><script>") for s in strips})

    assert svg.count('class="s"') == DRAWN
    assert "<script" not in svg
