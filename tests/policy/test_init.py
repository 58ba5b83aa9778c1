from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest
from support.each import each

from gitmem.config import Config
from gitmem.errors import ConfigError
from gitmem.frozen import fields_of, replace
from gitmem.policy import Policy, builtin, load
from gitmem.policy.kinds import KINDS, TAG_WORDS, Kind
from gitmem.policy.policy_file import apply_changes
from gitmem.policy.settings import ROWS
from gitmem.policy.template import default_toml

OWN = """
[recall]
half_life_days = 7
weights = {title = 4}

[recall.status]
failed = 0.1

[verify]
setup = "make deps"
folders = ["node_modules", ".venv"]
timeout = "5m"
ttl = "10d"
jobs = 2
min_sandbox = "landlock"
claimed = false

[context]
budget_tokens = 1500

[secrets]
allow = ["generic-token"]

[tags.words]
payments = ["stripe"]
ui = []

[kinds.runbook]
folder = "run-books"
ttl = "2w"
expires = true
required = ["importance"]

[kinds.gotcha]
needs_refs = true
"""


def own() -> Policy:
    return load(OWN, file="gitmem.toml")


def test_store_without_a_file_has_the_documented_defaults() -> None:
    policy = builtin()
    assert policy == Policy(**apply_changes({}, file="gitmem.toml"))

    assert (policy.recall.half_life_days, policy.recall.access_boost_max) == (14, 1.5)
    assert (policy.recall.access_recency_hours, policy.recall.candidate_multiplier) == (48, 3)
    assert (policy.verify.timeout_s, policy.verify.ttl_s, policy.verify.claimed) == (60, 30 * 86_400, True)
    assert (policy.context.budget_tokens, policy.context.max_memory_tokens, policy.context.recent_days) == (
        4000,
        500,
        7,
    )
    assert (policy.kinds, policy.tags, policy.secrets.allow) == (KINDS, TAG_WORDS, ())


def test_status_factors_follow_the_order_of_the_design() -> None:
    status = builtin().recall.status

    assert status.failed < status.suspect < status.unproven < status.stale < 1 < status.verified


def test_file_changes_what_it_names_and_nothing_else() -> None:
    policy = own()
    base = builtin()

    assert policy.recall == replace(
        base.recall,
        half_life_days=7.0,
        weights=replace(base.recall.weights, title=4.0),
        status=replace(base.recall.status, failed=0.1),
    )
    assert fields_of(policy.verify) == {
        "setup": "make deps",
        "folders": (".venv", "node_modules"),
        "timeout_s": 300,
        "ttl_s": 864_000,
        "outside_ttl_s": 86_400,
        "jobs": 2,
        "min_sandbox": "landlock",
        "claimed": False,
        "independent": False,
        "default_branch": "",
        "trace": "auto",
    }
    assert policy.context == replace(base.context, budget_tokens=1500)


def test_policy_of_a_branch_neither_silences_the_secret_scan_nor_asks_for_a_push() -> None:
    policy = load("[secrets]\nallow = ['jwt']\n[stops]\npush = true\ntask = true\n", file="gitmem.toml")
    mine = policy.with_own(Config(secrets_allow=("jwt",), stop_push=True))

    assert (policy.secrets.allow, policy.stops.push, policy.stops.task) == ((), False, True)
    assert (mine.secrets.allow, mine.stops.push, mine.stops.task) == (("jwt",), True, True)
    assert load("", file="x").with_own(Config(secrets_allow=("jwt",), stop_push=False)).stops.push is False


def test_policy_of_a_branch_raises_no_budget_past_the_bound() -> None:
    names = [f"{section}.{key}" for section, rows in ROWS.items() for key in rows if key.endswith("_tokens")]
    policy = load(
        "".join(f"{name} = 10_000_000\n" for name in names) + "roles.dev.budget_tokens = 10_000_000\n", file="x"
    )

    assert len(names) == 7
    assert {getattr(getattr(policy, section), key) for section, _, key in (n.partition(".") for n in names)} == {8000}
    assert policy.roles["dev"].budget_tokens == 8000
    assert load("session.budget_tokens = 300\n", file="x").session.budget_tokens == 300


def test_kind_of_the_store_and_change_of_a_built_in_one() -> None:
    policy = own()

    assert policy.kind("runbook") == Kind(
        "runbook", "run-books", ttl_s=1_209_600, expires=True, required=("importance",)
    )
    assert policy.kind("gotcha") == replace(KINDS["gotcha"], needs_refs=True)
    assert policy.kind("recipe") is KINDS["recipe"]


def test_facts_last_as_long_as_verdicts_unless_the_store_says_otherwise() -> None:
    assert own().kind("fact").ttl_s == 864_000
    assert load('verify.ttl = "10d"\nkinds.fact.ttl = "3d"\n', file="x").kind("fact").ttl_s == 259_200
    assert load('verify.ttl = "never"\n', file="x").kind("fact").ttl_s is None


@each(
    ("name", "folder"),
    [("runbook", "runbook"), ("anti-pattern", "anti_patterns"), ("archive", "memories"), ("runs", "memories")],
)
def test_every_kind_has_a_row_and_a_folder_for_memories(name: str, folder: str) -> None:
    assert builtin().kind(name).folder == folder


def test_kind_without_a_row_asks_for_nothing_and_lasts() -> None:
    assert builtin().kind("runbook") == Kind("runbook", "runbook")


def test_tags_are_added_and_switched_off() -> None:
    policy = own()

    assert policy.tags["payments"] == ("stripe",)
    assert "ui" not in policy.tags
    assert policy.tags["git"] == TAG_WORDS["git"]


@each("policy", [builtin(), own()], ids=["built-in", "own"])
def test_policy_comes_back_from_json(policy: Policy) -> None:
    assert Policy.from_dict(json.loads(json.dumps(policy.changes))) == policy


def test_stored_policy_holds_changes_alone_so_that_defaults_can_move() -> None:
    assert builtin().changes == {}
    assert load("[recall]\nhalf_life_days = 7\n", file="x").changes == {"recall": {"half_life_days": 7}}


def test_file_that_init_writes_changes_nothing() -> None:
    assert load(default_toml(), file="gitmem.toml") == builtin()


def test_file_that_init_writes_shows_every_setting_with_its_default() -> None:
    text = "\n".join(line.removeprefix("# ") for line in default_toml().split("\n") if " = " in line or "# [" in line)
    shown = tomllib.loads(text)
    policy = load(text, file="gitmem.toml")
    base = builtin()

    assert (policy.recall, policy.verify, policy.context, policy.secrets) == (
        *(base.recall, base.verify, base.context, base.secrets),
    )
    assert {len(shown[name]) for name in ("recall",)} == {len(fields_of(base.recall))}
    assert [len(shown[name]) for name in ("verify", "context")] == [
        len(fields_of(section)) for section in (base.verify, base.context)
    ]
    # Only a person's own configuration has these.
    assert "secrets" not in shown
    assert "push" not in shown["stops"]
    assert [len(shown["recall"][name]) for name in ("weights", "status")] == [5, 6]
    assert policy.kind("runbook").folder == "runbooks"
    assert policy.tags["payments"] == ("stripe", "invoice")


@each(
    ("text", "key", "nearest"),
    [
        ("[recal]\n", "recal", "recall"),
        ("[recall]\nhalflife = 1\n", "recall.halflife", "recall.half_life_days"),
        ("[recall]\nweight = {}\n", "recall.weight", "recall.weights"),
        ("[recall.weights]\ntitel = 1\n", "recall.weights.titel", "recall.weights.title"),
        ("[verify]\ntimeout_s = 1\n", "verify.timeout_s", "verify.timeout"),
        ("[tags]\nword = {}\n", "tags.word", "tags.words"),
        ("[kinds.fact]\nfoldr = 'x'\n", "kinds.fact.foldr", "kinds.fact.folder"),
        ("[kinds.fact]\nttl_s = 1\n", "kinds.fact.ttl_s", "kinds.fact.ttl"),
        ('folders = ["dist"]\n', "folders", "verify.folders"),
    ],
)
def test_unknown_key_is_told_the_nearest_known_one(text: str, key: str, nearest: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text, file="gitmem.toml")

    assert (caught.value.file, caught.value.key) == ("gitmem.toml", key)
    assert caught.value.hint == f"the closest one is {nearest}"


@each(
    ("text", "key"),
    [
        ("recall = 3\n", "recall"),
        ("recall.weights = 3\n", "recall.weights"),
        ("[recall]\nhalf_life_days = '7'\n", "recall.half_life_days"),
        ("[recall]\nhalf_life_days = 0\n", "recall.half_life_days"),
        ("[recall]\nhalf_life_days = nan\n", "recall.half_life_days"),
        ("[recall]\nrelative_floor = 1.5\n", "recall.relative_floor"),
        ("[recall]\nlanguage = 'klingon'\n", "recall.language"),
        ("[recall]\nlanguage = '../english'\n", "recall.language"),
        ("[recall]\nlanguage = ['german']\n", "recall.language"),
        ("[recall.status]\nfailed = 0\n", "recall.status.failed"),
        ("[verify]\nttl = 2026-11-21\n", "verify.ttl"),
        ("[verify]\ntimeout = '2d'\n", "verify.timeout"),
        ('[verify]\nsetup = "a\\u001b[8mb"\n', "verify.setup"),
        ("[verify]\nfolders = ['/etc']\n", "verify.folders"),
        ("[verify]\nfolders = ['../other']\n", "verify.folders"),
        ("[verify]\nfolders = ['web/.GIT/hooks']\n", "verify.folders"),
        ("[verify]\nfolders = ['.ssh']\n", "verify.folders"),
        ("[verify]\nfolders = ['a', 'a/b']\n", "verify.folders"),
        ("[verify]\njobs = -1\n", "verify.jobs"),
        ("[verify]\nmin_sandbox = 'chroot'\n", "verify.min_sandbox"),
        ("[secrets]\nallow = 'all'\n", "secrets.allow"),
        ("[tags]\nwords = []\n", "tags.words"),
        ("[tags.words]\nui = 'css'\n", "tags.words.ui"),
        ("[kinds]\nfact = 1\n", "kinds.fact"),
        ("[kinds.'Run Book']\n", "kinds.Run Book"),
        ("[kinds.x]\n", "kinds.x"),
        ("[kinds.fact]\nfolder = 'archive'\n", "kinds.fact.folder"),
        ("[kinds.fact]\nfolder = '../x'\n", "kinds.fact.folder"),
        ("[kinds.fact]\nrequired = ['titel']\n", "kinds.fact.required"),
    ],
)
def test_value_that_cannot_be_used_is_named(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text, file="gitmem.toml")

    assert caught.value.key == key
    assert caught.value.message.startswith(f"gitmem.toml: {key} must be ")


@each("text", ["[recall\n", "a = 1\na = 2\n", "x = " + "[" * 30_000, "x = " + "9" * 5_000, "x = \x00\n"])
def test_text_that_is_no_toml_is_one_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^gitmem\.toml is not valid TOML: "):
        load(text, file="gitmem.toml")


def test_stored_policy_is_read_without_toml() -> None:
    script = (
        "import sys; from gitmem.policy import Policy; Policy.from_dict({'recall': {'half_life_days': 7}}); "
        "print(sorted({'tomllib', 're', 'difflib', 'dataclasses'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_language_that_has_no_stemmer_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(ConfigError, match=r'"none" or one of .*, english, .*german, '):
        load("[recall]\nlanguage = 'de'\n", file="gitmem.toml")


@each("language", ["none", "english", "german"])
def test_language_is_taken(language: str) -> None:
    assert load(f"[recall]\nlanguage = '{language}'\n", file="gitmem.toml").recall.language == language


def test_role_of_the_store_is_a_row_beside_the_built_in_ones() -> None:
    roles = load('[roles.scout]\nkinds = ["gotcha"]\n[roles.developer]\nbudget_tokens = 7\n', file="x").roles

    assert (roles["scout"].budget_tokens, roles["scout"].kinds) == (0, ("gotcha",))
    assert (roles["developer"].budget_tokens, roles["developer"].kinds) == (7, roles["tea"].kinds)
    assert roles["architect"].budget_tokens == 1500


@each(
    ("text", "key"),
    [("[roles.scout]\nshell = 1\n", "roles.scout.shell"), ("[roles.Scout]\n", "roles.Scout"),
     ("[roles.scout]\nkinds = 1\n", "roles.scout.kinds"), ("[workflow]\nlimit = 0\n", "workflow.limit")],
)  # fmt: skip
def test_role_or_step_that_cannot_be_is_reported(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as stdin:
        load(text, file="x")

    assert stdin.value.key == key
