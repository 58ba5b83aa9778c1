"""Which edits a body was merged from does not depend on who was merged first, nor on how often."""

from __future__ import annotations

import random
from itertools import permutations

from support.each import each

from gitmem.store.merge.bodies import join_bodies
from gitmem.store.merge.history import Commit, History

START = "".join(f"Line {n}.\n" for n in range(6))
NAMES = ("Ana", "Bob", "Cleo")


class Clones:
    """People who edit one body apart and sync through a hub, as ``sync`` merges."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.commits = {"base": Commit((), "", is_edit=True)}
        self.bodies = {"base": START}
        self.tips = dict.fromkeys((*NAMES, "hub"), "base")
        self.conflicts = 0

    def copy(self) -> Clones:
        other = Clones(self.dice)
        other.commits, other.bodies, other.tips = dict(self.commits), dict(self.bodies), dict(self.tips)
        return other

    def edit(self, who: str) -> None:
        """Let a person change some lines: of what they see, or of the first text, as one who does not care."""
        tip = self.tips[who]
        lines = (self.bodies[tip] if self.dice.random() < 0.7 else START).splitlines(keepends=True)
        for _ in range(self.dice.choice((1, 1, 2))):
            at = self.dice.randrange(len(lines) + 1)
            lines[at : at + self.dice.choice((0, 1, 1, 2))] = self.dice.choice(
                ([f"{who} {len(self.commits)}.\n"], ["Both.\n"], [])
            )
        self._commit(who, (tip,), "".join(lines) or "-\n", is_edit=True)

    def sync(self, who: str) -> None:
        ours, hub = self.tips[who], self.tips["hub"]
        if not self._is_in(hub, ours):
            if self._is_in(ours, hub):
                self.tips[who] = hub
            else:
                apart = History(self.commits, self.bodies.__getitem__).take_apart(ours, hub)
                assert apart is not None
                body, is_open = join_bodies(*apart)
                self.conflicts += is_open
                self._commit(who, (ours, hub), body, is_edit=False)
        if self.dice.random() < 0.75:  # a busy hub refuses some pushes
            self.tips["hub"] = self.tips[who]

    def settle(self, order: tuple[str, ...]) -> str:
        while len(set(self.tips.values())) > 1:
            for who in order:
                self.sync(who)
        return self.bodies[self.tips["hub"]]

    def _commit(self, who: str, parents: tuple[str, ...], body: str, *, is_edit: bool) -> None:
        name = f"{who}{len(self.commits)}{self.dice.random()}"
        self.commits[name] = Commit(parents, who, is_edit)
        self.bodies[name] = body
        self.tips[who] = name

    def _is_in(self, one: str, other: str) -> bool:
        waiting, seen = [other], set()
        while waiting:
            name = waiting.pop()
            if name == one:
                return True
            if name not in seen:
                seen.add(name)
                waiting += self.commits[name].parents
        return False


@each("seed", range(40))
def test_whoever_syncs_first_the_joined_body_is_the_same(seed: int) -> None:
    clones = Clones(random.Random(seed))
    for _ in range(clones.dice.choice((0, 6))):
        clones.edit(clones.dice.choice(NAMES))
        clones.sync(clones.dice.choice(NAMES))
    clones.settle(NAMES)
    for _ in range(clones.dice.choice((3, 5))):
        clones.edit(clones.dice.choice(NAMES))

    found = {}
    for order in permutations(NAMES):
        copy = clones.copy()
        found[copy.settle(order)] = order

    assert len(found) == 1, "\n=====\n".join(found)
