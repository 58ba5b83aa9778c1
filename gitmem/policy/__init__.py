"""The policy: the kinds of memory and the settings of a store, from ``gitmem.toml`` at its root.

A policy comes with the memory branch, so it is untrusted: the reader bounds its size, every value is checked, and its
``setup`` command runs only as part of approved specifications.
"""

from __future__ import annotations

from gitmem.errors import ConfigError
from gitmem.frozen import frozen, replace
from gitmem.model import FORMAT
from gitmem.policy.kinds import KINDS, PULLED, REQUEST, ROLES, TAG_WORDS, Kind, Role, plain_row
from gitmem.policy.settings import (
    SECTIONS,
    CaptureSettings,
    CheckSettings,
    ContextSettings,
    DuplicateSettings,
    RecallSettings,
    ReviewSettings,
    RotationSettings,
    SecretSettings,
    SessionSettings,
    SignatureSettings,
    SourceSettings,
    StopSettings,
    VerifySettings,
    WorkflowSettings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.config import Config
    from gitmem.policy.collections import Collection


@frozen
class Policy:
    """The kinds and settings of one store.

    Attributes:
        kinds: The rows by name, built-in ones and those of the store.
        collections: The rows of the collections whose rules the store's file changes, by name; mostly empty.
        recall, verify, check, context, session, stops, capture, workflow: The sections with these names.
        secrets, rotation, sources, duplicates, review, signatures: Likewise.
        roles: The context for each role, by name.
        tags: The words for each tag.
        changes: The settings in the store's file as JSON values: only these are stored, so that defaults can change.
    """

    kinds: Mapping[str, Kind]
    collections: Mapping[str, Collection]
    recall: RecallSettings
    verify: VerifySettings
    check: CheckSettings
    context: ContextSettings
    session: SessionSettings
    stops: StopSettings
    capture: CaptureSettings
    workflow: WorkflowSettings
    secrets: SecretSettings
    rotation: RotationSettings
    sources: SourceSettings
    duplicates: DuplicateSettings
    review: ReviewSettings
    signatures: SignatureSettings
    roles: Mapping[str, Role]
    tags: Mapping[str, tuple[str, ...]]
    changes: Mapping[str, Any]

    def kind(self, name: str) -> Kind:
        """Return the row of a kind; a kind without a row gets a default row with a folder of its name."""
        known = self.kinds.get(name) or self.kinds.get(name.replace("-", "_"))
        return known or plain_row(name)

    def unread(self, reader: str, prompt: str = "") -> tuple[str, ...]:
        """Return the kinds in collections that a reader (``collections.READERS``) does not read for this prompt."""
        if not self.collections:  # recall and the hooks start without that module
            closed = () if reader == REQUEST else PULLED
            return tuple(kind.name for kind in self.kinds.values() if kind.collection in closed)
        from gitmem.policy.collections import all_collections, unread

        closed_ones = unread(all_collections(self.kinds, self.collections), reader, prompt)
        return tuple(kind.name for kind in self.kinds.values() if kind.collection in closed_ones)

    def home_of(self, kind: str) -> str:
        """Return the default scope of a memory of a kind."""
        row = self.collections.get(self.kind(kind).collection)
        return (row.scope if row else "") or "project"

    def with_own(self, own: Config) -> Policy:
        """Return the policy with the settings in ``OWN`` from a person's own configuration.

        What a person wants to be signed is added: the authors of the policy cannot take it away.
        """
        if not own.secrets_allow and not own.stop_push and not own.signatures:
            return self
        required = tuple(dict.fromkeys((*self.signatures.required, *own.signatures)))
        return replace(
            self,
            secrets=SecretSettings(own.secrets_allow),
            stops=replace(self.stops, push=own.stop_push),
            signatures=SignatureSettings(required),
        )

    @classmethod
    def from_dict(cls, changes: Mapping[str, Any], *, file: str = "the stored policy") -> Policy:
        """Return the built-in policy with these changes, in the form of ``gitmem.toml``.

        Raises:
            ConfigError: A key is unknown, or a value is invalid.
        """
        if not changes:  # most stores: recall and the hooks start without the module that reads changes
            sections = {name: defaults for name, defaults in SECTIONS.items() if "." not in name}
            return cls(kinds=KINDS, collections={}, roles=ROLES, tags=TAG_WORDS, changes={}, **sections)
        from gitmem.policy.policy_file import apply_changes

        return cls(**apply_changes(changes, file))


def builtin() -> Policy:
    """Return the policy of a store without a ``gitmem.toml``."""
    return Policy.from_dict({})


def load(text: str, *, file: str) -> Policy:
    """Return the policy in a ``gitmem.toml``.

    Args:
        text: The file's text; the caller bounds its size.
        file: Its name, for errors.

    Raises:
        ConfigError: It is not TOML, a key is unknown, or a value is invalid.
    """
    # 13 ms (measured, Python 3.11.7); recall reads the stored form instead.
    import tomllib

    # RecursionError: a value in a thousand brackets; ValueError: also a number of 5,000 digits.
    try:
        changes = tomllib.loads(text)
    except (ValueError, RecursionError) as err:
        why = "it is nested too deeply" if isinstance(err, RecursionError) else str(err)
        raise ConfigError(f"{file} is not valid TOML: {why}", file=file, key="") from err
    number = changes.pop("format", FORMAT)
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= FORMAT:
        message = f"{file}: unknown format {number!r} (this gitmem knows the formats 1 to {FORMAT})"
        raise ConfigError(message, file=file, key="format", hint="update gitmem")
    return Policy.from_dict(changes, file=file)
