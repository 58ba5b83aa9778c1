"""Who asks, by a token of the forge: the forge says whose it is, and which repositories they may read there.

The identity is ``LOGIN@HOST``. For each repository of the organisation that the forge lets them read, they are of the
group ``HOST/NAME``; someone who may read none of them is refused. Answers count for less than a minute, so that a
revoked token, or access to a repository, ends within one.
"""

from __future__ import annotations

import re
import threading
from hashlib import sha256

from gitmem.errors import ForgeError, GitmemError
from gitmem.hub.forge.organisation import KINDS
from gitmem.hub.identity import UnknownIdentityError, is_name, make_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.hub.forge.organisation import Organisation
    from gitmem.hub.identity import Identity

# Seconds for which an answer counts, and for which a token that the forge refused is not asked about again.
KNOWN_S, REFUSED_S = 50.0, 10.0
# Seconds for asking, and for which a forge that did not answer is left alone: requests must not wait for it in a row.
ASK_S, AWAY_S = 8.0, 5.0
# Answers that are kept, and questions about different tokens at once.
KEPT, AT_ONCE = 5_000, 16
# Tokens that were never known before: so many at once, and so many a second after that. Whoever guesses must not use up
# what the forge allows the hub to ask for all others.
STRANGERS, STRANGERS_A_SECOND = 60.0, 1.0
# Tokens of forges; one that an identity provider has signed is none, and is not sent there.
_TOKEN = re.compile("(?!eyJ)[!-~]{16,512}")


class ForgeTokens:
    """Identities of an organisation's people, asked from its forge."""

    def __init__(self, of: Organisation, *, clock: Callable[[], float]) -> None:
        """Trust a forge.

        Args:
            of: The organisation.
            clock: Returns monotonic seconds.
        """
        self._of, self._clock = of, clock
        self._known: dict[str, tuple[float, Identity | None, str]] = {}
        self._locks = [threading.Lock() for _ in range(AT_ONCE)]
        self._away_until = float("-inf")
        self._friends: set[str] = set()
        self._room, self._room_at = STRANGERS, clock()

    def __call__(self, token: str) -> Identity | None:
        """Return the identity of a token; None if the forge does not know it.

        Raises:
            UnknownIdentityError: The forge knows it, and its owner may read no repository of the organisation.
            GitmemError: The forge does not answer.
        """
        if not _TOKEN.fullmatch(token):
            return None
        digest = sha256(token.encode()).hexdigest()
        with self._locks[int(digest[:8], 16) % AT_ONCE]:
            until, identity, problem = self._known.get(digest, (float("-inf"), None, ""))
            if self._clock() >= until:
                if digest not in self._friends:
                    self._take()
                identity, problem = self._ask(token)
                self._remember(digest, is_known=identity is not None)
                if len(self._known) >= KEPT:
                    self._known.clear()
                for_s = KNOWN_S if identity else REFUSED_S
                self._known[digest] = (self._clock() + for_s, identity, problem)
        if problem:
            raise UnknownIdentityError(problem)
        return identity

    def _take(self) -> None:
        """Count a token that was never known against the limit (a token bucket).

        Raises:
            GitmemError: There are too many.
        """
        now = self._clock()
        self._room = min(STRANGERS, self._room + (now - self._room_at) * STRANGERS_A_SECOND)
        self._room_at = now
        if self._room < 1:
            raise GitmemError("too many unknown tokens: try again in a minute")
        self._room -= 1

    def _remember(self, digest: str, *, is_known: bool) -> None:
        """Remember a token that the forge knows, and forget one that it does not."""
        if not is_known:
            self._friends.discard(digest)
        elif len(self._friends) < KEPT:
            self._friends.add(digest)

    def _ask(self, token: str) -> tuple[Identity | None, str]:
        """Return the identity of a token, or why it has none; neither if the forge does not know it."""
        if self._clock() < self._away_until:
            raise GitmemError("the forge does not answer, so the token cannot be checked")
        kind = KINDS[self._of.kind]
        try:
            forge = self._of.client(token, total_s=ASK_S)
            owner = forge.get(f"{self._of.api}/user", needs="")
            listed = [row.get(kind.name) for row in forge.items(self._of.api + kind.own, needs="")]
        except ForgeError as err:
            if err.status in (401, 403):
                return None, ""
            self._away_until = self._clock() + AWAY_S
            raise GitmemError("the forge does not answer, so the token cannot be checked") from err
        login = (owner.get("login") or owner.get("username")) if isinstance(owner, dict) else None
        name = f"{login}@{self._of.host}" if isinstance(login, str) else ""
        groups = [self._of.group_of(name) for name in listed if isinstance(name, str) and self._of.has(name)]
        groups = sorted(filter(is_name, groups))
        if not is_name(name) or not groups:
            return None, f"the token's owner may not read any repository of {self._of.path}"
        return make_identity(name, groups), ""
