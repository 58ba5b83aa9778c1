"""Changes of a policy's text: what is not named stays, and what would be no policy is refused."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.errors import UsageError
from gitmem.policy import Policy, builtin, load
from gitmem.policy.edit import settings_named, settings_of, with_more, with_setting, without_setting
from gitmem.policy.settings import ROWS
from gitmem.policy.template import default_toml, spell

HEAD = "# by hand\nformat = 2\n"
FORMS = {
    "nothing": HEAD,
    "a template": default_toml(),
    "its table": f"{HEAD}\n[recall.dense]  # ours\nweight = 1  # was 2\n\n[verify]\njobs = 2\n",
    "a dotted key": f"{HEAD}recall.dense.weight = 1\n",
    "an inline table": f"{HEAD}[recall]\ndense = {{weight = 1, floor = 0.5}}\n",
    "only a table in it": f"{HEAD}[recall.weights]\ntitle = 2\n",
}


@each("form", FORMS)
def test_setting_is_written_into_any_form_of_policy_and_the_rest_stays(form: str) -> None:
    text = FORMS[form]
    before, remarks = tomllib.loads(text), [line for line in text.split("\n") if line.startswith("#")]

    new = with_setting(text, "recall.dense.weight", "3")

    after = tomllib.loads(new)
    assert after["recall"]["dense"].pop("weight") == 3
    before.get("recall", {}).get("dense", {}).pop("weight", None)
    before.setdefault("recall", {}).setdefault("dense", {})
    assert after == before
    assert [line for line in new.split("\n") if line.startswith("#")] == remarks
    assert (
        tomllib.loads(without_setting(new, "recall.dense.weight")).get("recall", {}).get("dense", {})
        == (before["recall"]["dense"])
    )


@each(
    ("name", "value", "expected"),
    [
        ("capture.fixes", "false", False),
        ("kinds.gotcha.ttl", "90d", "90d"),
        ("kinds.gotcha.description", "12", "12"),
        ("rotation.kinds", "learned, session", ["learned", "session"]),
        ("rotation.kinds", '["learned"]', ["learned"]),
        ("collections.code-patterns.readers", "work", ["work"]),
        ("tags.words.payments", "stripe,invoice", ["stripe", "invoice"]),
    ],
)
def test_value_is_read_as_its_setting_needs_it(name: str, value: str, expected: object) -> None:
    found: object = tomllib.loads(with_setting("", name, value))
    for part in name.split("."):
        assert isinstance(found, dict)
        found = found[part]

    assert found == expected


@each(
    ("name", "value", "hint"),
    [
        ("capture.fixes", "maybe", ""),
        ("recall.dense.wieght", "3", "recall.dense.weight"),
        ("rotation.kinds", '["learned"', ""),
        ("rotation.kinds", "[" * 5000, ""),
        ("recall..weight", "3", "gitmem policy show --all"),
        ("", "3", "gitmem policy show --all"),
        ("recall", "3", "gitmem policy set recall."),
        ("stops.push", "true", "git config --global gitmem.stopPush true"),
    ],
)
def test_what_is_no_setting_is_refused(name: str, value: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_setting(HEAD, name, value)

    assert hint in caught.value.hint


@given(st.sampled_from([line for line in settings_of(builtin()) if line.default]))
def test_every_default_can_be_set_and_is_then_the_same(line) -> None:
    if line.name.startswith("collections.") or line.value in ('""', "[]", '"0d"'):
        return  # only leaving them out says so

    policy = load(with_setting("", line.name, line.value), file="test")

    assert [(one.value, one.is_set) for one in settings_named(policy, line.name)] == [(line.value, True)]


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_any_text_is_spelled_as_toml_reads_it(value: str) -> None:
    assert tomllib.loads(f"value = {spell(ROWS['verify']['setup'], value)}") == {"value": value}


def test_list_with_quotes_in_it_can_be_added_to() -> None:
    text = with_more(with_setting(HEAD, "tags.words.quoting", 'say "so",b'), "tags.words.quoting", "c")

    assert tomllib.loads(text)["tags"]["words"]["quoting"] == ['say "so"', "b", "c"]


def test_list_keeps_what_is_in_it_when_more_is_added() -> None:
    text = with_more(with_more(HEAD, "rotation.kinds", "gotcha"), "rotation.kinds", "gotcha, note")

    assert tomllib.loads(text)["rotation"] == {"kinds": ["learned", "session", "gotcha", "note"]}
    with pytest.raises(UsageError, match="not a list"):
        with_more(HEAD, "rotation.limit", "3")


def test_table_that_is_unset_goes_whole_and_leaves_no_empty_one() -> None:
    text = with_setting(with_setting(HEAD, "kinds.gotcha.ttl", "90d"), "kinds.gotcha.expires", "true")

    assert tomllib.loads(without_setting(text, "kinds.gotcha")) == {"format": 2}
    with pytest.raises(UsageError, match="does not set kinds"):
        without_setting(HEAD, "kinds.gotcha")


def test_unknown_name_is_answered_with_the_closest_table() -> None:
    with pytest.raises(UsageError) as caught:
        settings_named(Policy.from_dict({}), "recall.dens")

    assert "recall.dense" in caught.value.hint
