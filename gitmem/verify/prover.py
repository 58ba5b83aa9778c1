"""Say whose verdicts this clone makes, and whether they can be signed."""

from __future__ import annotations

from gitmem.config import machine_identity
from gitmem.git.git import FALLBACK_IDENTITY
from gitmem.policy.settings import VERDICTS
from gitmem.store.commit import signing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.policy import Policy


def prover(git: Git) -> str:
    """Return the address of the one who runs checks here: the person's, or that of a forge's robot."""
    identity = git.identity()
    return (machine_identity() if identity == FALLBACK_IDENTITY else identity)[1]


def why_unsigned(git: Git, policy: Policy) -> str:
    """Return why the verdicts of this clone cannot be signed, if only signed ones count; or an empty string."""
    if VERDICTS not in policy.signatures.required or signing.signs(git):
        return ""
    return "the policy counts only signed verdicts, and git does not sign commits with an ssh key here"
