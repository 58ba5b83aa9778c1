"""Record the result of a workflow step: how something was built, with code locations, within size limits."""

from __future__ import annotations

import re

from gitmem.commands.remember import anchor_fields, remember
from gitmem.errors import RefusedError
from gitmem.frozen import replace
from gitmem.text import display
from gitmem.text.budget import count_tokens
from gitmem.write.draft import clean_text, is_line_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.workflow.step import WorkflowStep
    from gitmem.repository import OpenRepository
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change

# The kinds of results: a pattern for similar work, or an outcome, which is shown for a week.
KINDS = ("code_pattern", "outcome")
# `path:line` or `path:line-line` in a text: a path has a suffix or a folder, so `step:3` does not match.
# Source: AI Memory Module, "Validation regex", without its list of suffixes.
_REFERENCE = r"(?<![\w/.:-])(?:[\w.-]+/)*[\w-][\w.-]*\.\w+:\d+(?:-\d+)?(?![\w:])"
# More references do not help readers.
MOST_FOUND = 20


def post_work(repository: OpenRepository, new: NewMemory, step: WorkflowStep, *, force: bool = False) -> Change:
    """Record what was built.

    Args:
        repository: The store.
        new: What was built, how it fits in, and what went wrong; its kind is one of ``KINDS``, and its ``refs`` are
            its places, ``path:line`` or ``path:line-line``; those in the text count as well.
        step: Role, story and component.
        force: Write it even if another memory says the same.

    Raises:
        RefusedError: It refers to no line of code, or is too short or too long.
        DuplicateError: Another memory says the same.
    """
    refs = new.fields.get("refs") or ()
    wrong = [ref for ref in refs if not is_line_reference(ref)]
    if wrong:
        message = f"{display(wrong[0])!r} does not name a line of code"
        raise RefusedError(message, hint="--ref src/auth/jwt.py:89 or --ref src/auth/jwt.py:89-145")
    references = list(dict.fromkeys([*refs, *references_in(new.text)]))
    if not references:
        raise RefusedError("a pattern needs the lines of code that show it", hint="--ref src/auth/jwt.py:89-145")
    _refuse_size(f"{new.title}\n{clean_text(new.text)}", repository)
    new = step.applied_to(repository, new)
    # The text may name files of another branch or of the past: unlike given ones, these may be missing.
    anchor_fields(repository, {"refs": refs}, is_strict=True)
    new = replace(new, fields={**new.fields, "refs": references})
    return repository.with_notice(remember(repository, new, force=force, is_strict=False))


def references_in(text: str) -> list[str]:
    """Return the references to lines of code in a text, in order, without duplicates."""
    hit = dict.fromkeys(match[0] for match in re.finditer(_REFERENCE, text))
    return [ref for ref in hit if is_line_reference(ref)][:MOST_FOUND]


def _refuse_size(text: str, repository: OpenRepository) -> None:
    """Refuse a text that is too short to help or too long to be shown in full.

    Raises:
        RefusedError: It is; the message gives its tokens and the limit.
    """
    tokens, limits = count_tokens(text), repository.policy().workflow
    if tokens < limits.min_tokens:
        raise RefusedError(
            f"this has {tokens} tokens; a useful description needs at least {limits.min_tokens}",
            hint="say what was built, how it fits in, and what went wrong; a short remark: gitmem remember",
        )
    if tokens > limits.max_tokens:
        raise RefusedError(
            f"this has {tokens} tokens; at most {limits.max_tokens} of one memory are shown",
            hint="record several, each about one thing, with its own lines",
        )
