"""Collections: which kinds they have, who reads and writes them, and what a prompt is routed to."""

from __future__ import annotations

import pytest

from gitmem.errors import ConfigError, RefusedError, UsageError
from gitmem.policy import builtin, collections, load

RULES = """
[collections.code-patterns]
readers = ["work", "prompt", "request"]
writers = ["capture", "workflow"]
prompt_words = ["how to", "how do", "example of"]
prompt_paths = true
min_tokens = 5
max_tokens = 20
ttl = "30d"
required = ["paths"]
scope = "project"

[collections.conventions]
prompt_words = ["best practice"]
scope = "universal"

[kinds.runbook]
collection = "runbooks"

[collections.runbooks]
readers = ["request"]
"""


def policy(text: str = RULES):
    return load(text, file="gitmem.toml")


def test_without_rules_only_what_is_pulled_is_left_out_unless_someone_asks() -> None:
    assert builtin().unread("request") == ()
    assert builtin().unread("prompt", "how to") == builtin().unread("start") == ("github", "jira")


@pytest.mark.parametrize(
    ("reader", "prompt", "left_out"),
    [
        ("start", "", {"code_pattern", "github", "jira", "runbook"}),
        ("work", "", {"github", "jira", "runbook"}),
        ("request", "", set()),
        ("prompt", "the login is slow", {"code_pattern", "convention", "github", "jira", "runbook"}),
        ("prompt", "How to sign a token?", {"convention", "github", "jira", "runbook"}),
        ("prompt", "the bug is in `src/auth/jwt.py:89`.", {"convention", "github", "jira", "runbook"}),
        ("prompt", "look into src/auth/login/", {"convention", "github", "jira", "runbook"}),
        ("prompt", "is that a best-practice?", {"code_pattern", "github", "jira", "runbook"}),
        ("prompt", "somehow to and/or https://a.b/c.py", {"code_pattern", "convention", "github", "jira", "runbook"}),
    ],
)  # fmt: skip
def test_matrix_and_routing_say_what_a_reader_gets(reader: str, prompt: str, left_out: set[str]) -> None:
    assert set(policy().unread(reader, prompt)) == left_out


def test_collection_decides_for_its_kinds() -> None:
    kind = policy().kind("code_pattern")

    assert (kind.ttl_s, kind.expires) == (30 * 86_400, True)
    assert kind.required == ("project", "created", "importance", "paths")
    assert [policy().home_of(name) for name in ("code_pattern", "convention", "learned")] == [
        "project", "universal", "project",
    ]  # fmt: skip
    own = policy(RULES + '[kinds.code_pattern]\nttl = "1d"\n')
    assert own.kind("code_pattern").ttl_s == 86_400


def test_kinds_of_a_collection_are_chosen_by_its_name() -> None:
    assert collections.kinds_of(builtin(), ["discussions"], []) == ("decision", "discussion", "session")
    assert collections.kinds_of(builtin(), ["jira-data", "code_patterns"], []) == ("jira", "code_pattern")
    assert collections.kinds_of(builtin(), ["discussions"], ["decision", "gotcha"]) == ("decision",)
    assert collections.kinds_of(policy(), ["runbooks"], []) == ("runbook",)
    assert collections.kind_for(builtin(), "discussions", "") == "discussion"
    assert collections.kind_for(builtin(), "discussions", "decision") == "decision"
    for names, kinds in ((["nothing"], []), (["conventions"], ["gotcha"])):
        with pytest.raises(UsageError):
            collections.kinds_of(builtin(), names, kinds)


def test_writers_scopes_and_sizes_are_enforced() -> None:
    collections.refuse_writer(policy(), "code_pattern", "workflow")
    collections.refuse_size(policy(), "code_pattern", lambda: 20)
    collections.refuse_scope(policy(), "convention", "universal")
    with pytest.raises(RefusedError, match="accepts no code_pattern from remember, only from workflow or capture"):
        collections.refuse_writer(policy(), "code_pattern", "remember")
    with pytest.raises(RefusedError, match="kept in the project scope"):
        collections.refuse_scope(policy(), "code_pattern", "domain")
    for tokens in (4, 21):
        with pytest.raises(RefusedError, match=f"has {tokens} tokens; one of the collection code-patterns has"):
            collections.refuse_size(policy(), "code_pattern", lambda tokens=tokens: tokens)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[collections.code-pattern]\nttl = '1d'", "collections.code-pattern"),  # no kind is in it
        ("[collections.conventions]\nreader = ['work']", "collections.conventions.reader"),
        ("[collections.conventions]\nreaders = ['prompts']", "collections.conventions.readers"),
        ("[collections.conventions]\nscope = 'everywhere'", "collections.conventions.scope"),
        ("[collections.conventions]\nkind = 'gotcha'", "collections.conventions.kind"),
        ("[collections]\nconventions = 1", "collections.conventions"),
        ("[kinds.gotcha]\ncollection = 'two words'", "kinds.gotcha.collection"),
    ],
)
def test_rules_that_cannot_have_an_effect_are_refused(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as err:
        policy(text)

    assert err.value.key == key
