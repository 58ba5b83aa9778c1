from __future__ import annotations

from gitmem.store.scopes import PROJECT, SCOPES


def test_the_project_comes_first_where_several_scopes_have_a_key() -> None:
    assert SCOPES[0] == PROJECT
