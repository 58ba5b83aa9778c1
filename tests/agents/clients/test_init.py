"""Each client is one module with one table, and everything else is derived from it."""

from __future__ import annotations

import pytest

from gitmem.agents import CLIENTS
from gitmem.agents.clients import client as forms
from gitmem.agents.clients import find_table, has_transcripts, load, tables
from gitmem.config import CLIENT_VARIABLES

HOOK_FORMS = {forms.AUGGIE, forms.CLINE, forms.CLAUDE, forms.COPILOT, forms.CURSOR, forms.GEMINI}
COMMAND_FORMS = {"", forms.QWEN, forms.CLAUDE, forms.COPILOT, forms.CURSOR, forms.GEMINI, forms.OPENCODE}
SERVER_FORMS = {forms.CLAUDE, forms.CODEX, forms.COPILOT, forms.OPENCODE}


@pytest.mark.parametrize("name", CLIENTS)
def test_table_is_complete(name: str) -> None:
    client = tables()[name]

    assert client.title
    assert (client.hook_form in HOOK_FORMS) and (client.server_form in SERVER_FORMS)
    assert client.command_form in COMMAND_FORMS
    assert bool(client.commands[0] or client.commands[1]) == bool(client.command_form)
    assert bool(client.settings[0]) != bool(client.plugin[0]), "hooks or a plugin"
    assert bool(client.hooks) == bool(client.settings[0])
    assert client.shells
    assert has_transcripts(name) == hasattr(load(name), "read_turns")


def test_variables_name_clients_that_exist() -> None:
    # Factory documents no variable for the commands of droid.
    assert set(CLIENT_VARIABLES.values()) == set(CLIENTS) - {"droid"}


def test_unknown_client_has_no_table() -> None:
    assert find_table("nano") is None
    assert not has_transcripts("nano")
