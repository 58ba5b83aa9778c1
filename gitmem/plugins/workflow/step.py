"""Common parts of workflow steps: the author's role, and how a story and a component are stored.

The story is the field ``task``, a component is a tag (so that ``recall --tag`` and ``list --tag`` find it), and the
role is part of ``by``, with the person and the agent.
"""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.frozen import frozen, replace
from gitmem.policy.kinds import WORKFLOW, role_name
from gitmem.repository.roles import author_fields
from gitmem.text import display
from gitmem.text.slugs import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.policy import Policy
    from gitmem.policy.kinds import Role
    from gitmem.repository.open_store import OpenStore
    from gitmem.write.new_memory import NewMemory

# The longest name of a role, story or component.
NAME_LIMIT = 100


@frozen
class WorkflowStep:
    """A step of a workflow.

    Attributes:
        role: The worker's role, or empty.
        story: The story or task, or empty.
        component: The part of the system, or empty.
    """

    role: str = ""
    story: str = ""
    component: str = ""

    def applied_to(self, store: OpenStore, new: NewMemory) -> NewMemory:
        """Return a memory as it is written in this step.

        Raises:
            UsageError: A name is invalid.
        """
        fields = {**new.fields, **self.fields(store, tuple(new.fields.get("tags") or ()))}
        return replace(new, fields=fields, writer=WORKFLOW)

    def fields(self, store: OpenStore, tags: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the fields of a memory written in this step.

        Raises:
            UsageError: A name is invalid.
        """
        part = component_tag(self.component)
        listed = [*dict.fromkeys([*tags, *([part] if part else [])])]
        return {
            "task": _name("story", self.story),
            "tags": listed,
            "by": author_fields(store, role_name(_name("role", self.role))),
        }


def worker_role(policy: Policy, configured: str, named: str) -> tuple[str, Role | None]:
    """Return the name and row of a role; None if the policy has no such role.

    Args:
        policy: The store's policy.
        configured: The setting ``gitmem.role``.
        named: The requested role, which has precedence; or empty.
    """
    name = role_name(_name("role", named or configured))
    return name, policy.roles.get(name)


def component_tag(component: str) -> str:
    """Return a component as a tag: ``auth-service`` for ``Auth service``.

    Raises:
        UsageError: It has no letter or digit.
    """
    tag = slug(_name("component", component))
    if component and not tag:
        raise UsageError(f"invalid component: {display(component)!r}", hint="--component auth-service")
    return tag


def _name(what: str, text: str) -> str:
    """Return a name on one line.

    Raises:
        UsageError: It is too long.
    """
    name = " ".join(text.split())
    if len(name) > NAME_LIMIT:
        raise UsageError(f"a {what} has at most {NAME_LIMIT} characters, not {len(name)}")
    return name
