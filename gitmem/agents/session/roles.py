"""Which role an agent has, and what a start tells it: a budget, and the kinds that come first (C7, E7)."""

from __future__ import annotations

from gitmem.policy.settings import Role, role_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.config.setting import Config
    from gitmem.policy.policy import Policy


def role_of(policy: Policy, config: Config, event: Event) -> tuple[str, Role]:
    """Return the name and the row of an agent's role; no name and an empty row where it has none of the policy's.

    A sub-agent's kind names it where the policy knows it, else the setting ``gitmem.role``.
    """
    for named in (event.agent_type, config.role):
        name = role_name(named)
        row = policy.roles.get(name)
        if row is not None:
            return name, row
    return "", Role()
