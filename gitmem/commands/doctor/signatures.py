"""Find setups in which no signature can count, or in which anyone who can push can drop the requirement."""

from __future__ import annotations

import os

from gitmem.git.signatures import PROGRAM, is_checkable
from gitmem.model import Problem
from gitmem.policy.settings import VERDICTS
from gitmem.repository.verification import reviewed_branch
from gitmem.store.commit import signing
from gitmem.store.origins import MEMORY
from gitmem.store.scopes import POLICY_PATH
from gitmem.system import read_file
from gitmem.verify.approvals.signers import FILE, find_sources, read_signers
from gitmem.verify.signed import who_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

_LIST = f"list them in {FILE} on the code's default branch; or: git config gpg.ssh.allowedSignersFile FILE"
_SIGN = "git config commit.gpgSign true; git config gpg.format ssh; git config user.signingKey ~/.ssh/id_ed25519.pub"


def list_signature_problems(repository: OpenRepository, catalog: Catalog) -> Iterator[Problem]:
    """Yield what is wrong with the signatures that the policy asks for; nothing if it asks for none."""
    required = repository.policy().signatures.required
    if not required:
        return
    git, reviewed = repository.git, reviewed_branch(repository)
    signers = read_signers(git, find_sources(git, reviewed))
    names = " and ".join(required)
    if not is_checkable():
        yield _problem("signatures-unchecked", f"{PROGRAM} is not installed, so no signature counts", "error",
                       "install OpenSSH's client, 8.9 or later")  # fmt: skip
    if not signers:
        yield _problem("signatures-no-signers", f"only signed {names} count, but there are no allowed signers here",
                       "error", _LIST)  # fmt: skip
    if VERDICTS in required and not signing.signs(git):
        message = (
            "only signed verdicts count, and git does not sign commits with an ssh key here: others see none of yours"
        )
        yield _problem("signatures-not-made", message, "warning", _SIGN)
    elif signers and (key := _public_key(repository)) and key not in signers:
        message = "git signs with a key that no allowed signer has here, so what you record does not count for others"
        yield _problem("signatures-not-allowed", message, "warning", _LIST)
    yield from _look_at_policy(repository, catalog, reviewed)
    if signers and is_checkable():
        yield from _count_unsigned(catalog)


def _look_at_policy(repository: OpenRepository, catalog: Catalog, reviewed: str) -> Iterator[Problem]:
    """Yield an unsigned policy, unless the person's own configuration asks for the same."""
    required = set(repository.policy().signatures.required)
    tip = catalog.meta("commit")
    makers = who_made(repository.git, tip, [(POLICY_PATH, MEMORY)], reviewed) if tip else {}
    if required <= set(repository.config.signatures) or any(maker.signer for maker in makers.values()):
        return
    message = "no allowed signer signed the policy that asks for signatures: anyone who can push can drop the demand"
    hint = f"git config gitmem.signatures {','.join(sorted(required))}"
    yield _problem("signatures-policy", message, "warning", hint)


def _count_unsigned(catalog: Catalog) -> Iterator[Problem]:
    """Yield how many verdicts and memories do not count, by reason."""
    rows = catalog.rows("SELECT name <> '', why, count(*), min(path) FROM origin WHERE signer = '' GROUP BY 1, 2")
    for is_verdict, why, number, path in rows:
        what = ("verdict does", "verdicts do") if is_verdict else ("memory does", "memories do")
        message = f"{number} {what[number != 1]} not count as signed: {why}"
        hint = "record them again, signed: gitmem verify --all" if is_verdict else "edit them in a signed commit"
        yield Problem("signatures-missing", path, message, hint=hint, severity="warning")


def _public_key(repository: OpenRepository) -> bytes:
    """Return the public key that git signs with; empty if it is not in a file beside the private one."""
    name = os.path.expanduser(repository.git.config_value("user.signingKey"))  # noqa: PTH111 - a string goes in
    words = (read_file(name if name.endswith(".pub") else f"{name}.pub") if name else b"").split()
    return words[1] if len(words) > 1 else b""


def _problem(code: str, message: str, severity: str, hint: str) -> Problem:
    return Problem(code, POLICY_PATH, message, hint=hint, severity=severity)
