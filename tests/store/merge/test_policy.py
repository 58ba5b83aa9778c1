"""A policy merges by line and stays one that can be read."""

from __future__ import annotations

from itertools import permutations

from gitmem.policy import load
from gitmem.store.merge.policy import SETTLE_MARK, FileVersion, unite_policies


def policies(base: str, one: str, other: str) -> tuple[str, bool]:
    sides = FileVersion(one.encode(), "Ana"), FileVersion(other.encode(), "Bob")
    found = unite_policies(base.encode(), *sides)
    assert found == unite_policies(base.encode(), *reversed(sides))
    return found[0].decode(), found[1]


BASE = '# ours\n[verify]\nttl = "30d"\njobs = 1\n\n[recall]\nhalf_life_days = 14\n\n[context]\nrecent_days = 7\n'


def test_changes_of_different_settings_unite() -> None:
    found, is_open = policies(BASE, BASE.replace("30d", "10d"), BASE.replace("recent_days = 7", "recent_days = 9"))

    assert found == BASE.replace("30d", "10d").replace("recent_days = 7", "recent_days = 9")
    assert not is_open


def test_of_one_setting_changed_twice_one_counts_and_the_other_is_a_comment() -> None:
    found, is_open = policies(BASE, BASE.replace("30d", "10d"), BASE.replace("30d", "20d"))

    assert load(found, file="x").verify.ttl_s == 20 * 86_400
    assert f'{SETTLE_MARK} Ana wrote:\n# ttl = "10d"\n' in found
    assert is_open


def test_two_new_tables_of_one_name_never_make_a_file_that_cannot_be_read() -> None:
    one, other = BASE + "[secrets]\nallow = []\n", "[secrets]\nallow = []\n" + BASE

    found, is_open = policies(BASE, one, other)

    assert load(found, file="x").context.recent_days == 7
    assert is_open


def test_a_policy_that_cannot_be_read_gives_way() -> None:
    assert policies(BASE, "[[[", BASE.replace("30d", "1d")) == (BASE.replace("30d", "1d"), True)


def test_of_three_versions_of_a_setting_every_order_of_merging_makes_the_same() -> None:
    base = b"[verify]\njobs = 1\n"
    texts = {name: base.replace(b"1", number) for name, number in (("Ana", b"2"), ("Bob", b"3"), ("Cem", b"4"))}
    found = set()
    for first, second, third in permutations(texts):
        both, _ = unite_policies(base, FileVersion(texts[first], first), FileVersion(texts[second], second))
        greatest = max((first, second), key=lambda name: texts[name])
        found.add(unite_policies(base, FileVersion(both, greatest), FileVersion(texts[third], third)))

    assert found == {
        (
            b"[verify]\njobs = 4\n# gitmem: two versions, to settle. Ana wrote:\n# jobs = 2\n"
            b"# gitmem: two versions, to settle. Bob wrote:\n# jobs = 3\n",
            True,
        )
    }
