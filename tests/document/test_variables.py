"""What names of environment variables a fact may give."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.document.fields import check_fields
from gitmem.errors import FormatError


@each(
    ("env", "said"),
    [
        (12, "a list of names"),
        ({"CI": "1"}, "a list of names"),
        (["CI=1"], "a list of names"),
        (["1A"], "a list of names"),
        (["A B"], "a list of names"),
        (["\u00c9"], "a list of names"),
        ([""], "a list of names"),
        (["A" * 61], "a list of names"),
        ([f"A{n}" for n in range(21)], "names 21 variables"),
        *(
            (["CI", name], f"cannot name {name}:")
            for name in (
                *("PATH", "Path", "HOME", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "ENV"),
                *("PYTHONPATH", "GIT_DIR", "GITMEM_FORGE_TOKEN", "BASH_ENV", "IFS", "NODE_OPTIONS", "LC_ALL", "TZ"),
                *("PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "MAKEFLAGS", "GOFLAGS", "CARGO_HOME"),
            )
        ),
    ],
)
def test_variables_of_a_check_are_names_that_change_no_sandbox_and_no_interpreter(env: object, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        check_fields({"title": "x", "verify": "a", "env": env})

    assert caught.value.code == "bad-env"
    assert said in caught.value.message


@each("env", ["CI", ["CI", "_A1", "DATABASE_URL", "NODE_ENV"], [], None])
def test_variables_of_a_check_may_be_one_or_several(env: object) -> None:
    check_fields({"verify": "a", "env": env})
