"""The role of an agent, which decides what a start shows it: a budget, and the kinds that come first (C7, E7)."""

from __future__ import annotations

from gitmem.policy.settings import Role, role_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.config import Config
    from gitmem.policy import Policy


def role_of(policy: Policy, config: Config, event: Event) -> tuple[str, Role]:
    """Return the name and the policy's row of an agent's role; an empty name and row if the policy has no such role.

    The type of a sub-agent names its role if the policy knows it; otherwise the setting ``gitmem.role`` does.
    """
    for named in (event.agent_type, config.role):
        name = role_name(named)
        row = policy.roles.get(name)
        if row is not None:
            return name, row
    return "", Role()
