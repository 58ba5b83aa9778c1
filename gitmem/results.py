"""What methods of ``Memory`` return that a command prints as a JSON document: its parts by name, and the document.

``document`` is exactly what the command prints with ``--json`` (docs/cli.md); the other fields are what is used most.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self, TypeVar

    Result = TypeVar("Result")


def _from_document(kind: type[Result], source: Mapping[str, Any], others: Mapping[str, Any] | None = None) -> Result:
    """Return a result that takes its fields, but for the *others*, from those of the same names in a document."""
    names = kind.__fields__  # type: ignore[attr-defined]
    fixed = others or {}
    return kind(**{name: source[name] for name in names if name not in fixed}, **fixed)


@frozen
class VerdictDetails:
    """The verdict of a fact that counts here.

    Attributes:
        outcome: ``holds`` or ``fails``; empty where its check was only blocked so far.
        commit: The commit of the code that was judged, full hex.
        at: When, RFC 3339 in UTC.
        because: Why it fails, one line; or empty.
        culprit: The commit that broke the fact, full hex; empty where it is not known.
        is_own: Whether it was made in this clone; another one is a claim.
        is_fresh: Whether the inputs of the check are still the same.
    """

    outcome: str
    commit: str
    at: str
    because: str
    culprit: str
    is_own: bool
    is_fresh: bool

    @classmethod
    def of(cls, verdict: Mapping[str, Any]) -> Self:
        """Return the verdict of a memory's document."""
        return _from_document(
            cls, verdict, {"is_own": verdict.get("own", False), "is_fresh": verdict.get("fresh", False)}
        )


@frozen
class MemoryDetails:
    """One memory whole.

    Attributes:
        key: Its key.
        kind: Its kind, such as ``gotcha``.
        title: Its title.
        status: ``verified``, ``failed``, ``suspect``, ``stale``, ``unproven`` or empty.
        frontmatter: Its fields as the file has them; secrets are redacted.
        body: The Markdown below the frontmatter.
        verdict: The verdict of a fact; None where there is none.
        because: The keys of the facts that a suspect memory rests on, the failed one last.
        scope: Where it is from: ``project``, ``private``, ``domain``, ``universal`` or ``listed``.
        path: Its file in the store.
        is_archived: Whether it was forgotten.
        is_superseded: Whether another memory replaced it.
        is_expired: Whether its time has passed.
        document: All of it, as ``gitmem show --json`` prints it.
    """

    key: str
    kind: str
    title: str
    status: str
    frontmatter: Mapping[str, Any]
    body: str
    verdict: VerdictDetails | None
    because: tuple[str, ...]
    scope: str
    path: str
    is_archived: bool
    is_superseded: bool
    is_expired: bool
    document: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the memory of a document."""
        return _from_document(
            cls,
            document,
            {
                "verdict": VerdictDetails.of(document["verdict"]) if document["verdict"] else None,
                "because": tuple(document["because"]),
                "scope": document.get("scope", "project"),
                "is_archived": document["archived"],
                "is_superseded": document["superseded"],
                "is_expired": document["expired"],
                "document": document,
            },
        )


@frozen
class LogEntry:
    """One commit of a memory's history.

    Attributes:
        commit: The commit, full hex.
        at: When, RFC 3339 in UTC; empty for a date that no calendar has.
        who: Its author.
        subject: The first line of its message.
        what: ``memory`` or ``verdict``: what it wrote.
        outcome: What a verdict says: ``holds`` or ``fails``; or empty.
        because: Why it fails; or empty.
        code_commit: The commit of the code that was judged; or empty.
        document: The same as ``gitmem log --json`` prints it.
    """

    commit: str
    at: str
    who: str
    subject: str
    what: str
    outcome: str
    because: str
    code_commit: str
    document: Mapping[str, Any]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Return the entry of a row of the log."""
        names = ("commit", "at", "who", "subject", "what", "outcome", "because", "code_commit")
        return cls(**{name: row.get(name, "") for name in names}, document=row)


@frozen
class AttentionLine:
    """One fact that needs attention.

    Attributes:
        key: Its key.
        title: Its title.
        because: Why, one line.
        by: Who wrote it; or empty.
        culprit: The commit that broke it, full hex; or empty.
    """

    key: str
    title: str
    because: str
    by: str
    culprit: str

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """Return the line of a status."""
        return _from_document(cls, line)


@frozen
class StoreStatus:
    """The state of a store.

    Attributes:
        branch: The branch that is read.
        commit: Its commit, full hex; empty where there is none.
        memories: How many live memories there are.
        kinds: How many of each kind.
        statuses: How many of each status, without adopted claims.
        claims: How many adopted claims of each status.
        failed: The facts that failed.
        suspect: The memories that rest on one that failed.
        waiting: The keys of facts whose command waits for approval.
        problems: How many files cannot be read.
        verified_at: When the newest verdict was made, RFC 3339 in UTC; empty where there is none.
        document: All of it, as ``gitmem status --json`` prints it.
    """

    branch: str
    commit: str
    memories: int
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    claims: Mapping[str, int]
    failed: tuple[AttentionLine, ...]
    suspect: tuple[AttentionLine, ...]
    waiting: tuple[str, ...]
    problems: int
    verified_at: str
    document: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the status of a document."""
        return _from_document(
            cls,
            document,
            {
                "failed": tuple(map(AttentionLine.of, document["failed"])),
                "suspect": tuple(map(AttentionLine.of, document["suspect"])),
                "waiting": tuple(document["waiting"]),
                "document": document,
            },
        )


@frozen
class DigestLine:
    """One memory of a digest.

    Attributes:
        key: Its key; empty for a line about the store itself.
        kind: Its kind.
        status: Its status, or empty.
        text: What an agent is shown of it.
        scope: Its scope.
    """

    key: str
    kind: str
    status: str
    text: str
    scope: str


@frozen
class DigestPart:
    """One section of a digest.

    Attributes:
        name: Its heading.
        lines: What is shown.
        more: How many more there are.
        rest: The command that shows them.
    """

    name: str
    lines: tuple[DigestLine, ...]
    more: int
    rest: str


@frozen
class Digest:
    """The context of a session, within a budget of tokens.

    Attributes:
        parts: Its sections, in order; also those that are empty.
        document: All of it, as ``gitmem context --json`` prints it.
    """

    parts: tuple[DigestPart, ...]
    document: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the digest of a document."""
        parts = (
            _from_document(
                DigestPart, part, {"lines": tuple(_from_document(DigestLine, item) for item in part["items"])}
            )
            for part in document["sections"]
        )
        return cls(tuple(parts), document)


@frozen
class Statistics:
    """How many memories there are.

    Attributes:
        total: All that are live.
        kinds: How many of each kind, the most frequent first.
        tags: How many of each of the twenty most frequent tags.
        archived: How many were forgotten.
        superseded: How many were replaced by another.
        expired: How many are past their time.
        scopes: How many of each other scope this project reads.
        document: The same as ``gitmem recall --stats --json`` prints it.
    """

    total: int
    kinds: Mapping[str, int]
    tags: Mapping[str, int]
    archived: int
    superseded: int
    expired: int
    scopes: Mapping[str, int]
    document: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the statistics of a document."""
        return _from_document(cls, document, {"document": document})


@frozen
class IndexReport:
    """What an update of the index did.

    Attributes:
        commit: The commit of the store that the index shows, full hex.
        memories: How many memories it has.
        seconds: How long it took.
    """

    commit: str
    memories: int
    seconds: float


@frozen
class EmbeddingStatus:
    """How the embeddings stand.

    Attributes:
        is_configured: Whether a provider is set up.
        models: Each model: its name, whether it answers, in how many seconds, and what is wrong.
        stores: Each store: how many memories it has, how many have vectors, and their size by model.
        unused: How many models have vectors here that nothing uses.
        document: The same as ``gitmem embed status --json`` prints it.
    """

    is_configured: bool
    models: tuple[Mapping[str, Any], ...]
    stores: tuple[Mapping[str, Any], ...]
    unused: int
    document: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the status of a document."""
        models, stores = tuple(document["models"]), tuple(document["stores"])
        return cls(document["configured"], models, stores, document["unused"], document)


@frozen
class ModelPlan:
    """What a change of the embedding model takes.

    Attributes:
        model: The new model, with the digest of its files.
        embedded: How many memories were embedded for the estimate.
        left: How many are left.
        seconds: The estimated time for these.
    """

    model: str
    embedded: int
    left: int
    seconds: float


@frozen
class EmbeddingReport:
    """What a rebuild of the embeddings did.

    Attributes:
        models: The models, the one for prose first.
        embedded: How many memories were embedded.
        forgotten: How many vectors of memories that are gone were deleted.
        models_removed: How many models' vectors were deleted.
        seconds: How long it took.
    """

    models: tuple[str, ...]
    embedded: int
    forgotten: int
    models_removed: int
    seconds: float
