"""Share verdicts through a server: the HTTP form of Bazel's remote cache, ``GET`` and ``PUT /ac/<sha256>``.

An entry's name is the hash of a check's specification, its inputs and the kind of machine; its content is a verdict
with the ssh signature of its maker. The server is not trusted: an entry counts only if an allowed signer signed
it for this name, and its inputs are those of the code here. Only checks that held and are steady are shared.

Source: bazel.build, "Remote Caching", HTTP caching protocol; ssh-keygen(1), ``-Y sign`` and ``-Y verify``.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import urlsplit
from urllib.request import Request

from gitmem.config import variable
from gitmem.errors import FormatError, ProcessError
from gitmem.frozen import replace
from gitmem.git.signatures import SignedText, check_text
from gitmem.model import BUILTIN, HOLDS
from gitmem.store.commit.signing import sign_text
from gitmem.store.verdicts import format_verdict, parse_verdict
from gitmem.system.environment import search_path
from gitmem.system.http import FAILURES, USER_AGENT, exchange, is_encrypted, is_site, opener_for, unreachable
from gitmem.verify.approvals.signers import find_sources, read_signers
from gitmem.verify.due import digester, is_accepted
from gitmem.verify.run.judge import Result
from gitmem.verify.trace.programs import differs_here, system
from gitmem.verify.variables import marks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from gitmem.git import Git
    from gitmem.model import Verdict
    from gitmem.verify.due import Due, KnownFacts
    from gitmem.verify.inputs import CodeTree

    R = TypeVar("R")

TOKEN = "GITMEM_VERDICT_CACHE_TOKEN"  # noqa: S105 - the name of a variable
# A signature for another purpose does not count, and git's signatures cannot be passed off as verdicts.
NAMESPACE = "gitmem-verdict"
# Requests at once, the seconds of one, and the largest entry. A check takes longer than a slow answer.
PARALLEL, LIMIT_S, LIMIT = 8, 3.0, 64 * 1024
_HEAD = "gitmem-verdict 1"
_ARMOR = "-----BEGIN SSH SIGNATURE-----"


class PoisonedEntryError(FormatError):
    """An entry that must not be believed; the message says why."""


class VerdictCache:
    """A server of verdicts.

    Attributes:
        notices: Messages for the person: refused entries, and a server that does not answer.
    """

    def __init__(self, site: str, git: Git, known: KnownFacts, *, may_run: Callable[[Due], bool]) -> None:
        """Use a server; no request is sent yet.

        Args:
            site: Its address, before ``/ac``.
            git: The repository, whose settings say how to sign.
            known: The store's facts and policy, and the branch with the allowed signers.
            may_run: Returns whether a check may run here: what nobody approved is not taken from others either.
        """
        self._site, self._git, self._known, self._may_run = site.rstrip("/"), git, known, may_run
        self._refusal = known.refusals()
        self._is_off = ""
        self.notices: list[str] = []
        if not is_site(site) or not is_encrypted(site):
            self._stop("the verdict cache must be the encrypted address of a server (https://HOST/PATH)")

    def find(self, tree: CodeTree, dues: Sequence[Due], known: Sequence[Result] = ()) -> list[Result]:
        """Return the results that others share for checks that may run here, without the *known* ones, by key.

        None is used where the policy counts only verdicts that were made in this clone.
        """
        keys = {result.due.row.key for result in known}
        wanted = [
            due for due in dues if due.spec.check.form != BUILTIN and due.row.key not in keys and self._may_run(due)
        ]
        if not wanted or self._is_off or not self._known.policy.verify.claimed:
            return []
        sources = find_sources(self._git, self._known.reviewed())
        signers = read_signers(self._git, sources)
        if not signers:
            self._stop("no verdict of the cache is used: there are no allowed signers (.github/gitmem-signers)")
            return []

        def check(signed: SignedText) -> str:
            return check_text(signed, signers, namespace=NAMESPACE, revoked=sources.revoked)

        def look(due: Due) -> Result | None:
            names = dict.fromkeys((name_of(due, due.digest), name_of(due, f"tree:{tree.tree}")))
            for name in names:
                try:
                    if (body := self._exchange("GET", name)) is not None:
                        verdict = read_entry(body, name, due.row.key, check)
                        if usable := self._usable(tree, due, verdict):
                            return usable
                except PoisonedEntryError as err:
                    self.notices.append(f"refused the cached verdict of {due.row.key}: {err.message}")
                    break
                except ProcessError as err:
                    self._stop(err.message)
            return None

        verdicts = [result for result in _in_parallel(look, wanted) if result is not None]
        if verdicts:
            self.notices.append(f"{len(verdicts)} of {len(wanted)} verdicts came from the cache")
        return verdicts

    def _usable(self, tree: CodeTree, due: Due, verdict: Verdict) -> Result | None:
        """Return the result of a cached verdict if it counts for the code, the policy and this machine; else None."""
        policy, now, row = self._known.policy, self._known.now, due.row
        if verdict.outcome != HOLDS or verdict.flapping or verdict.outside:
            return None
        # Those of its own clone were for another text and commit; the same check on the same inputs proves this one.
        verdict = replace(verdict, claim=row.claim, commit=tree.commit, held_commit=tree.commit, held_at=verdict.at)
        is_young = row.ttl_s is None or now - verdict.at <= row.ttl_s
        is_same = (verdict.spec, verdict.rests) == (row.spec, due.rests)
        is_fresh = is_same and is_young and verdict.inputs == digester(tree, row)(verdict)
        if not is_fresh or not is_accepted(verdict, policy, now=now) or self._refusal(verdict):
            return None
        if verdict.environment and differs_here(verdict.environment, search_path()):
            return None
        return Result(due, HOLDS, verdict=verdict, seconds=0.0)

    def share(self, tree: CodeTree, results: Iterable[Result]) -> None:
        """Send the verdicts that were made here to the server, if git is set up to sign with an ssh key."""
        own_verdicts = [
            (result, result.verdict)
            for result in results
            if result.verdict is not None
            and result.outcome == HOLDS
            and result.due.spec.check.form != BUILTIN
            and not (result.verdict.cached or result.verdict.flapping or result.verdict.outside)
        ]
        signer = self._git.identity()[1]

        def send(one: tuple[Result, Verdict]) -> None:
            result, verdict = one
            for inputs in dict.fromkeys((result.due.digest, verdict.inputs, f"tree:{tree.tree}")):
                name = name_of(result.due, inputs)
                text = entry_text(name, signer, verdict)
                signature = sign_text(self._git, text.encode(), NAMESPACE)
                if signature:
                    self._exchange("PUT", name, text.encode() + signature)

        if own_verdicts and not self._is_off:
            try:
                _in_parallel(send, own_verdicts)
            except ProcessError as err:
                self._stop(err.message)

    def _exchange(self, method: str, name: str, body: bytes | None = None) -> bytes | None:
        """Send or ask for an entry; return its content, or None if there is none or the server does not answer."""
        if self._is_off:
            return None
        token = variable(TOKEN)
        headers = {"User-Agent": USER_AGENT} | ({"Authorization": f"Bearer {token}"} if token else {})
        headers |= {"Content-Type": "application/octet-stream"} if body else {}
        address = f"{self._site}/ac/{name}"
        request = Request(address, data=body, headers=headers, method=method)  # noqa: S310 - checked by `is_site`
        try:
            opener = opener_for(urlsplit(self._site).hostname or "")
            answer = exchange(opener, request, limit=LIMIT, limit_s=LIMIT_S)
        except (*FAILURES, TimeoutError) as err:
            reason = "" if isinstance(err, TimeoutError) else unreachable(err)
            self._stop(f"the verdict cache cannot be reached: {reason or f'no answer within {LIMIT_S:.0f} s'}")
            return None
        if answer.status not in (200, 201, 204, 404):
            self._stop(f"the verdict cache answers with status {answer.status}")
            return None
        return answer.body if answer.status == 200 and method == "GET" else None

    def _stop(self, why: str) -> None:
        """Ask no more, and say why once."""
        if not self._is_off:
            self.notices.append(why)
        self._is_off = why


def name_of(due: Due, inputs: str) -> str:
    """Return the name of the entry for a check on inputs with this digest, on a machine like this one."""
    variables = [f"{name}={mark}" for name, mark in sorted(marks_of(due.spec.variables).items())]
    parts = (_HEAD, due.row.spec, inputs, system(), *variables)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def entry_text(name: str, signer: str, verdict: Verdict) -> str:
    """Return what is signed: the name of the entry, who signs, and the verdict."""
    return f"{_HEAD}\n{name}\n{signer}\n{format_verdict(verdict)}"


def read_entry(body: bytes, name: str, key: str, check: Callable[[SignedText], str]) -> Verdict:
    """Return the verdict of an entry, as a claim of who signed it.

    Args:
        body: The entry.
        name: The name under which it was found.
        key: The fact.
        check: Returns why a signed text cannot be believed; empty if it can.

    Raises:
        PoisonedEntryError: It is not an entry of this name, or not signed by an allowed signer.
    """
    try:
        text, armor, rest = body.decode("utf-8").partition(_ARMOR)
        head, named, signer, verdict = text.split("\n", 3)
    except ValueError as err:
        raise PoisonedEntryError("it is not a verdict", code="bad-verdict") from err
    if len(body) > LIMIT or head != _HEAD or not armor:
        raise PoisonedEntryError("it is not a signed verdict", code="bad-verdict")
    if named != name:
        raise PoisonedEntryError("it is the verdict of another check or of other inputs", code="bad-verdict")
    if why := check(SignedText(text.encode(), f"{armor}{rest}".encode(), signer)):
        raise PoisonedEntryError(why, code="bad-verdict")
    try:
        found = parse_verdict(verdict.encode(), key=key, path=name)
    except FormatError as err:
        raise PoisonedEntryError("it is not a verdict", code="bad-verdict") from err
    return replace(found, by=signer, signer=signer, cached=signer)


def _in_parallel(function: Callable[[Any], R], values: Sequence[Any]) -> list[R]:
    from concurrent.futures import ThreadPoolExecutor  # 10 ms, and only with a cache

    with ThreadPoolExecutor(min(PARALLEL, len(values))) as pool:
        return list(pool.map(function, values))
