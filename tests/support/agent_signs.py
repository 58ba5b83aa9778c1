"""The variables by which agents are known, from the tables of all clients."""

from __future__ import annotations

from gitmem.agents.clients import AGENT_VARIABLES, all_tables, tables

# The variables of clients with an adapter, and their clients.
CLIENT_VARIABLES = {variable: name for name, table in tables().items() for variable in table.variables}
# All that show that an agent runs a command.
SIGNS = (
    *dict.fromkeys(variable for table in all_tables().values() for variable in table.variables),
    *AGENT_VARIABLES,
    "CLAUDE_CODE_SESSION_ID",
)
# The beginnings of all that agents' clients set.
STARTS = (
    *SIGNS,
    *(name for table in all_tables().values() for name in (table.variable_prefix, table.session_variable) if name),
)
