"""Collections: who reads them, what a prompt is routed to, and what their kinds take from them."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.errors import ConfigError
from gitmem.policy import builtin, load

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


@each(
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


@each(
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
