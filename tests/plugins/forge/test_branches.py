"""A branch's state is that of its newest pull request into the default branch of this repository."""

from __future__ import annotations

from support.each import each
from support.forge_server import Hub, pull

from gitmem.plugins.forge.branches import fate_of

MERGED, SHUT = {"state": "closed", "merged_at": "2026-10-01T11:00:00Z"}, {"state": "closed", "merged_at": None}


@each(
    ("pulls", "fate"),
    [
        ([], ("", 0)),
        ([pull(3, "topic")], ("open", 3)),
        ([pull(3, "topic", **MERGED)], ("merged", 3)),
        ([pull(3, "topic", **SHUT)], ("closed", 3)),
        ([pull(3, "topic", **SHUT), pull(5, "topic", **MERGED)], ("merged", 5)),
        ([pull(3, "topic", **MERGED), pull(5, "topic")], ("open", 5)),
        ([pull(3, "topic", **MERGED, repo="mallory/shop"), pull(4, "topic", **MERGED, repo=None)], ("", 0)),
        ([pull(3, "topic", base="release", **MERGED), pull(4, "other", **MERGED)], ("", 0)),
    ],
)
def test_newest_pull_request_decides_the_fate_of_a_branch(
    hub: Hub, pulls: list[dict[str, object]], fate: tuple[str, int]
) -> None:
    hub.plan("GET /pulls", (200, {}, pulls))

    assert fate_of(hub.forge(), "topic", "main") == fate
