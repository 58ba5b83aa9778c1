"""Run several searches in rounds, so that checks at the same commit run together. Pure."""

from __future__ import annotations

from collections import Counter

from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from gitmem.verify.blame.bisect import BisectResult, Runs

    Key = TypeVar("Key")


def search_together(
    searches: Mapping[Key, Runs],
    ask: Callable[[str, Sequence[Key]], Sequence[str]],
    ended: Callable[[Key, BisectResult | GitmemError], None],
) -> None:
    """Run searches until all have ended.

    Args:
        searches: The searches.
        ask: Runs the checks of some searches at one commit and returns their answers in the same order.
        ended: Called with the result of each search when it ends, or with the reason why it could not continue.
    """
    waiting: dict[Key, str] = {}

    def advance(key: Key, answer: str | None) -> None:
        try:
            waiting[key] = next(searches[key]) if answer is None else searches[key].send(answer)
        except StopIteration as end:
            ended(key, end.value)
        except GitmemError as err:
            ended(key, err)

    for key in searches:
        advance(key, None)
    while waiting:
        commit = Counter(waiting.values()).most_common(1)[0][0]
        keys = [key for key, wanted in waiting.items() if wanted == commit]
        for key in keys:
            del waiting[key]
        for key, answer in zip(keys, ask(commit, keys), strict=True):
            advance(key, answer)
