"""Record a fact: its check must be able to fail, and must hold, unless its command cannot be approved now."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gitmem.commands.remember import anchor_fields, draft_of, with_anchors
from gitmem.document.anchors import FIELD
from gitmem.document.builtin_checks import CHECKS, find_row, iter_fields, list_globs
from gitmem.document.check_values import IN, PLACE, PLACE_OR_REFERENCE
from gitmem.document.conflict import CONFLICT, without
from gitmem.document.edit import REMOVE
from gitmem.document.meaning import CORRECTION, correction_of
from gitmem.document.parse import parse
from gitmem.document.place_checks import spell
from gitmem.document.spec import check_of, format_check, own_spec
from gitmem.document.times import format_time
from gitmem.errors import FormatError, GitmemError, RefusedError, TaskError, TrustError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import is_shallow
from gitmem.git.history import has_ever_had
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, TASK, UNPROVEN, Document, Verdict
from gitmem.repository.approvals import approve_command
from gitmem.system import read_regular
from gitmem.tasks.task import Gate
from gitmem.text import composed
from gitmem.text.globs import escape, is_path_like, is_plain, path_of, with_names
from gitmem.verify import trivial
from gitmem.verify.code_files import SUBMODULE
from gitmem.verify.inputs import ELSEWHERE, CodeTree
from gitmem.verify.references import list_never_there, nearest_file
from gitmem.verify.trace.undeclared_reads import advice
from gitmem.write import place
from gitmem.write.draft import Draft, check_file, clean_body, validate_draft, with_fields
from gitmem.write.duplicates import ALLOW, REFUSE, refuse_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Check
    from gitmem.policy import Policy
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.due import Due
    from gitmem.verify.run.judge import Result
    from gitmem.verify.session import Session
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change


# The tree that a check is judged on: HEAD's, or the one with uncommitted changes, which is chosen automatically if the
# check does not hold at HEAD and they touch its inputs.
STAGED, DIRTY = "staged", "dirty"
TREES = {STAGED: "the staged changes", DIRTY: "your uncommitted changes"}
IN_TREE = "the check holds with {judged}: commit them together with this file"
ON_DEFAULT = (
    "the check holds with {judged}: it is not true on the default branch until they are there, and stays unproven until"
    " they are committed and verified"
)


@frozen
class CheckProof:
    """The result of judging a new check.

    Attributes:
        verdict: Its verdict, or None if it is unproven.
        notices: Notices for the person.
        session: The session that judged it, which knows the commit and whether that was on the default branch.
        judged: The uncommitted changes that it holds with, in words; empty if it holds at HEAD, or was not judged.
    """

    verdict: Verdict | None
    notices: tuple[str, ...] = ()
    session: Session | None = None
    judged: str = ""

    @property
    def outcome(self) -> str:
        """Return the outcome of the check; empty if it was not judged."""
        return HOLDS if self.verdict is not None or self.judged else ""


@frozen
class Judging:
    """How a new or changed check is judged (``document.memory_fields.EditOptions``).

    Attributes:
        approve: Whether the person at the terminal typed this command, which approves it for them.
        unproven: Record it without running the check.
        tree: Judge it with uncommitted changes, ``staged`` or ``dirty``; empty to choose automatically.
        force: Write it even if another memory says the same.
        correction: The new title means the same as the old one: dependents do not become suspect.
        judge: Judge the check although it did not change: it must hold for the new words.
    """

    approve: bool = False
    unproven: bool = False
    tree: str = ""
    force: bool = False
    correction: bool = False
    judge: bool = False

    @property
    def again(self) -> str:
        """Return what happens to a memory that says the same as another one."""
        return ALLOW if self.force else REFUSE


def check_from(verify: Any, options: dict[str, Any]) -> Any:
    """Return the check of a fact in its frontmatter form; None if none is given.

    Args:
        verify: A check that runs something, in its frontmatter form, or None.
        options: The options of ``Memory.fact``, from which those of built-in checks are removed.

    Raises:
        UsageError: As ``check_from_fields``.
    """
    keywords = {name: name for name in CHECKS} | {field.keyword or field.name: field.name for field in iter_fields()}
    fields = {keywords[name]: options.pop(name) for name in tuple(options) if name in keywords}
    return check_from_fields([verify] if verify is not None else [], fields)


def check_from_fields(commands: Sequence[Any], fields: Mapping[str, Any]) -> Any:
    """Return the check of a fact in its frontmatter form; None if none is given.

    Args:
        commands: The checks that run something, in their frontmatter form.
        fields: The fields of built-in checks by name; None for those that are not given.

    Raises:
        UsageError: More than one check is given, or a field is missing or unused.
    """
    fields = {name: value for name, value in fields.items() if value is not None and value is not False}
    rows = [row for row in CHECKS.values() if row.name in fields]
    if len(commands) + len(rows) > 1:
        raise UsageError(
            "a fact can have only one check", hint="give one of --verify, --exists, --contains, … or -- PROGRAM"
        )
    allowed = rows[0].fields if rows else ()
    unused = next((name for name in fields if name not in allowed), None)
    if unused is not None:
        takers = [f"--{row.name}" for row in CHECKS.values() if unused in row.fields]
        raise UsageError(f"--{unused} requires {_either(takers)}")
    if not rows:
        return commands[0] if commands else None
    row = rows[0]
    missing = [f"--{name}" for name in row.required if name not in fields]
    if missing:
        hint = f"--{row.name} … {missing[0]} 'src/**/*.py'" if missing[0] == f"--{IN}" else ""
        raise UsageError(f"--{row.name} needs {missing[0]}", hint=hint)
    if not row.accepts(fields):
        raise UsageError(f"--{row.name} needs one of {_either([f'--{name}' for name in row.choices])}")
    return {name: fields[name] for name in row.fields if name in fields}


def _either(options: Sequence[str]) -> str:
    *most, last = options
    return f"{', '.join(most)} or {last}" if most else last


def name_files(store: OpenStore, verify: Any) -> Any:
    """Return a check in whose globs files and folders that exist exactly are escaped: ``app/[id]`` is not a pattern.

    So they never name another file, also not once they are gone. Names are written in Unicode's composed form, and the
    key of a value is quoted where its file has a name with dots.
    """
    row = find_row(verify) if isinstance(verify, dict) else None
    if row is None:
        return verify
    kinds = {row.name: row.value} | {field.name: field.value for field in row.more}
    named = [name for name, kind in kinds.items() if kind.placed is not None and name in verify]
    verify = {**verify, **{name: _composed(verify[name]) for name in named}}
    verify |= {name: _spelt(store, verify[name]) for name in named if kinds[name] in (PLACE, PLACE_OR_REFERENCE)}
    globs = {name: verify[name] for name in named if kinds[name].is_pattern and isinstance(verify[name], str)}
    if all(escape(glob) == glob for glob in globs.values()):
        return verify
    commit, top = store.git.read_head()[1], store.git.repository.top
    tree = CodeTree(store.git, commit) if commit is not None else None

    def is_there(path: str) -> bool:
        is_new = bool(top) and "\0" not in path and os.path.lexists(f"{top}/{path}")
        return is_new or (tree is not None and bool(tree.match(escape(path))))

    return {**verify, **{name: with_names(glob, is_there) for name, glob in globs.items()}}


def _spelt(store: OpenStore, written: Any) -> Any:
    """Return the address of a value with its key as the file of HEAD, or a new one of the work tree, has it."""
    from gitmem.document.sources.formats import SIZE_LIMIT  # imports the readers of all formats

    if isinstance(written, list | tuple):
        return [_spelt(store, check) for check in written]

    def content_of(path: str) -> bytes | None:
        if path.startswith("/") or ".." in path.split("/") or "\0" in path:
            return None
        with contextlib.suppress(GitmemError, OSError):
            content = store.git.read_blob(f"HEAD:{path}", limit=SIZE_LIMIT)
            file = f"{store.git.repository.top}/{path}"
            is_new = content is None and store.git.repository.top and Path(file).stat().st_size <= SIZE_LIMIT
            return read_regular(file) if is_new else content
        return None

    with contextlib.suppress(FormatError):  # reported when the check is parsed
        return spell(written, content_of) if isinstance(written, str) else written
    return written


def _composed(written: Any) -> Any:
    if isinstance(written, list | tuple):
        return [_composed(check) for check in written]
    return composed(written) if isinstance(written, str) else written


def write_fact(store: OpenStore, new: NewMemory, judging: Judging, *, home: OpenStore | None = None) -> Change:
    """Write a fact and, if verdicts count here, its verdict in the same commit.

    Args:
        store: The memory to write to.
        new: The fact: its title is the claim, its fields have the check.
        judging: How its check is judged.
        home: Where to write it instead, proved by the code here: the code tree, or the universal store.

    Raises:
        DuplicateError: Another memory says the same; the check was not run.
        RefusedError: There is no check, it cannot fail, or it does not hold now.
    """
    verify = new.fields.get("verify")
    _refuse_incomplete(new.title, verify, new.fields)
    new = replace(new, kind="fact", fields={**new.fields, "verify": name_files(store, verify)})
    policy = store.policy()
    draft = draft_of(store, with_anchors(store, new, is_strict=True))
    document = validate_draft(draft, policy)
    again = judging.again
    _refuse_said(home or store, draft, policy, again=again)
    proof = prove(store, document, judging, is_in_tree=home is not None and home.is_in_tree)
    store.notices.extend(proof.notices)
    store.notices.extend(list_never_there(store.git, new.fields.get("paths") or (), typed=store.typed))
    if home is None:
        return _write(store, document, draft, proof, again=again)
    change = home.writer().remember(draft, policy, verb="fact", again=again)
    if proof.verdict is not None and home.store == store.store:
        home.keep_verdicts([replace(proof.verdict, key=change.key)])
    return change


def _refuse_incomplete(title: str, verify: Any, options: Mapping[str, Any]) -> None:
    if verify in (None, "", []):
        raise RefusedError(
            "a fact needs a check that proves it",
            hint="--verify CMD, --exists PATH, --contains TEXT --in GLOB, …\nif it cannot be checked, record "
            f"another kind of memory: gitmem remember {title!r} --kind convention",
        )
    if not title.strip():
        raise RefusedError("a fact needs a title: one sentence that is true")
    unused = [name for name in ("outside", "network", "env") if options.get(name)]
    if isinstance(verify, dict) and unused:
        raise RefusedError(
            f"a built-in check reads the code alone, so `{unused[0]}` has no effect",
            hint=f"remove --{unused[0]}, or give a command: --verify CMD",
        )


def _refuse_said(home: OpenStore, draft: Draft, policy: Policy, *, again: str) -> None:
    """Refuse a duplicate before its check is run; the write itself looks again, on its own tip."""
    writer = home.writer()
    catalog = writer.catalog_at(home.git.read_ref(home.ref) or home.find_tip())
    settled = place.settle_key(catalog, draft)
    duplicate = writer.said.find(catalog, settled, policy, again=again)
    if duplicate is not None:
        refuse_said(settled, duplicate, again=again)


def _anchors(store: OpenStore, key: str, refs: Sequence[str]) -> list[str]:
    """Return the anchors of a memory's references; new ones must name existing files."""
    known = parse(store.text_of(key), path=f"{key}.md").strings("refs")
    anchor_fields(store, {"refs": [ref for ref in refs if ref not in known]}, is_strict=True)
    found: list[str] = anchor_fields(store, {"refs": refs}, is_strict=False).get(FIELD, [])
    return found


def edit_fields(
    store: OpenStore,
    key: str,
    changes: Mapping[str, Any],
    body: str | None,
    judging: Judging,
) -> Change:
    """Change fields of a memory, and its body if given; a changed check must hold, as for a new fact.

    Raises:
        RefusedError: The new check cannot fail or does not hold, or a field is invalid.
    """
    if "verify" in changes:
        changes = {**changes, "verify": name_files(store, changes["verify"])}
    if "refs" in changes:
        changes = {**changes, FIELD: _anchors(store, key, changes["refs"] or [])}
    wanted = {name: (REMOVE if value in ("", []) else value) for name, value in changes.items()}
    path, below = f"{key}.md", None if body is None else f"{clean_body(body)}\n".lstrip("\n")

    def change(text: str) -> str:
        fields = parse(text, path=path).fields
        decided = {*wanted, *(("body",) if body is not None else ())}
        # Setting a field that has two conflicting versions resolves the conflict.
        left = {CONFLICT: without(fields, decided) or REMOVE} if CONFLICT in fields else {}
        new = with_fields(text, left | wanted, path, body=below)
        return new if new == text else with_fields(new, {"updated": format_time(store.now)}, path)

    old = parse(store.text_of(key), path=path).fields
    # The old text may be by someone else: only a command typed in full is approved by typing it.
    typed = "verify" in changes and all(name in changes or not old.get(name) for name in ("refute", "network", "env"))
    return edit_text(store, key, change, replace(judging, approve=judging.approve and typed))


def edit_text(store: OpenStore, key: str, change: Callable[[str], str], judging: Judging) -> Change:
    """Change the text of a memory's file; a changed check must hold, as for a new fact.

    Args:
        store: The memory to write to.
        key: The memory's full key.
        change: Returns the new text for the file's text; called again if the memory changed meanwhile.
        judging: How a changed check is judged.

    Raises:
        DuplicateError: Another memory now says the same.
        RefusedError: The new text is not a valid memory, or its check cannot fail or does not hold.
    """
    policy = store.policy()
    old = store.text_of(key)
    if judging.correction:
        change = _as_correction(key, change)
    document = check_file(key, change(old), policy=policy, path=f"{key}.md")
    before, after = parse(old, path=f"{key}.md"), own_spec(document)
    changed = after is not None and (after != own_spec(before) or (judging.judge and document.kind != TASK))
    proof = CheckProof(None)
    if changed and document.kind == TASK:
        proof = CheckProof(None, tuple(approve_gate(store, document, approve=judging.approve)))
    elif changed:
        proof = prove(store, document, judging, is_in_tree=store.is_in_tree)
    store.notices.extend(proof.notices)
    if document.kind != TASK:
        store = _home(store, before if after is None else document, proof)
    done = store.writer().edit(key, change, policy, again=judging.again)
    if proof.verdict is not None:
        store.keep_verdicts([proof.verdict], proof.session)
    return done


def _as_correction(key: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a change of a memory's text that keeps the meaning of its title."""
    path = f"{key}.md"

    def correct(text: str) -> str:
        new = change(text)
        correction = correction_of(parse(text, path=path), parse(new, path=path))
        return with_fields(new, {CORRECTION: correction or REMOVE}, path)

    return correct


def prove(store: OpenStore, document: Document, judging: Judging, *, is_in_tree: bool = False) -> CheckProof:
    """Judge the check of a memory now, or report why it stays unproven.

    Args:
        store: The memory.
        document: The memory to be written.
        judging: How its check is judged.
        is_in_tree: Whether the memory is committed together with the code.

    Raises:
        RefusedError: It cannot fail, fails, or could not be run.
    """
    check = check_of(document)
    assert check is not None, "a fact has a check"
    notices = _refuse_trivial(document.key, check)
    if judging.unproven:
        return CheckProof(None, tuple(notices))
    if store.git.read_head()[1] is None:
        return CheckProof(None, (*notices, "there is no commit to check it against yet; it stays unproven"))
    session = store.session()
    due = session.due_of(document)
    if not session.may_run(due):
        if session.trust.denies(due.row.spec):
            message = "its command was denied in this clone"
            raise RefusedError(
                f"{document.key}: {message}", hint=f"allow it again at a terminal: gitmem trust {document.key}"
            )
        # A setup comes from the policy, which others write: typing the check does not approve what runs before it.
        if not judging.approve or due.spec.setup:
            message = (
                "its command cannot be approved here; it stays unproven until you approve it: gitmem trust --review"
            )
            return CheckProof(None, (*notices, message))
        approve_command(store, due)
    result, judged = _judge(session, due, judging.tree)
    _refuse(result, due, judged, meant=_did_you_mean(store, check) if result.outcome in (FAILS, UNPROVEN) else "")
    notices += _never_there(store, check)
    if judged:
        notices += [IN_TREE.format(judged=judged)] if is_in_tree else []
        return CheckProof(None, tuple(notices), session, judged)
    return CheckProof(result.verdict, (*notices, *_doubts(document.key, result.verdict)), session)


def _refuse_trivial(key: str, check: Check) -> list[str]:
    """Refuse a check that cannot fail; return notices about any other."""
    trivial.refuse_trivial(key, check)
    suggested = trivial.suggest_builtin(check)
    return [f"the same as a built-in check, which needs no approval: gitmem fact … {suggested}"] if suggested else []


def _doubts(key: str, verdict: Verdict | None) -> list[str]:
    """Return what limits a verdict: a weak check, undeclared reads, different answers on the same code."""
    if verdict is None:
        return []
    doubts = []
    if verdict.weak:
        doubts.append("the check is weak: it also holds in an empty folder; use --refute to show what makes it fail")
    if message := advice(key, verdict.undeclared):
        doubts.append(message)
    if verdict.flapping:
        doubts.append(f"the check flaps: {verdict.attempt}")
    return doubts


def pass_gate(store: OpenStore, document: Document) -> Gate:
    """Run the check of a task now, like that of a fact: in the sandbox, and only if it is approved."""
    key = document.key
    if check_of(document) is None:
        return Gate(None)
    if store.git.read_head()[1] is None:
        message = f"{key}: there is no commit to run its gate on"
        return Gate(None, GitmemError(message, hint="commit the work first"))
    session = store.session()
    due = session.due_of(document)
    if not session.may_run(due):
        message = f"{key}: the command of its gate is not approved here: {format_check(due.spec.check)}"
        return Gate(None, TrustError(message, hint=f"gitmem trust {key}, at a terminal"))
    result = session.judge_one(due)
    if result.outcome in (FAILS, UNPROVEN):
        message = f"{key} is not done, its gate failed: {result.failure}"
        hint = "the gate saw the last commit, not uncommitted changes"
        return Gate(None, TaskError(message, hint=hint))
    if result.verdict is None or result.outcome != HOLDS:
        message = f"{key}: its gate {_blocked(result)}: {result.reason}"
        return Gate(None, GitmemError(message, hint="gitmem doctor shows what this machine can do"))
    notices = ("the gate is weak: it also holds in an empty folder",) if result.verdict.weak else ()
    return Gate(result.verdict, None, notices, session.counts())


def approve_gate(store: OpenStore, document: Document, *, approve: bool) -> list[str]:
    """Refuse a task's new check that proves nothing, and approve it for its author; it need not hold yet.

    Returns:
        Notices for the person.

    Raises:
        RefusedError: It cannot fail.
    """
    check = check_of(document)
    assert check is not None, "there is a new check"
    notices = _refuse_trivial(document.key, check)
    if store.git.read_head()[1] is None:
        return notices
    session = store.session()
    due = session.due_of(document)
    if check.form == BUILTIN:  # it costs nothing to run
        if session.judge_one(due).outcome == HOLDS:
            notices.append("the gate already holds: is there anything left to do, or does it check too little?")
    elif approve and not due.spec.setup and not session.trust.denies(due.row.spec):
        approve_command(store, due)
    return notices


def _judge(session: Session, due: Due, tree: str) -> tuple[Result, str]:
    """Judge a check at HEAD or with uncommitted changes; return also the latter in words if they decide.

    If no changes are named, those of the work tree count if the check does not hold at HEAD and they touch its inputs.
    """
    if tree:
        judged = session.judge_uncommitted(due, is_staged=tree == STAGED, is_asked=True)
        assert judged is not None, "it was asked for"
        return judged[0], "" if judged[1] else TREES[tree]
    result = session.judge_one(due)
    if result.outcome not in (FAILS, UNPROVEN, BLOCKED):
        return result, ""
    try:
        found = session.judge_uncommitted(due, is_staged=False, is_asked=False)
    except GitmemError:
        return result, ""  # no work tree, or an unreadable one
    return (found[0], TREES[DIRTY]) if found is not None else (result, "")


def _did_you_mean(store: OpenStore, check: Check) -> str:
    """Return a hint with the file that a built-in check probably means if it names a missing one."""
    commit = store.git.read_head()[1]
    globs = list_globs(check.words) if check.form == BUILTIN else ()
    if not globs or commit is None:
        return ""
    tree = CodeTree(store.git, commit)
    paths = [path_of(glob) for glob in globs if is_path_like(glob) or is_plain(glob)]
    for module in (path for mode, _, path in tree.entries if mode == SUBMODULE):
        if any(path == module or path.startswith(f"{module}/") for path in paths):
            return f"{store.typed(module)} is a submodule, whose files are not in this repository's tree"
    near = next((nearest_file(tree, path) for path in paths if not tree.match(escape(path))), "")
    return f"did you mean {store.typed(near)}?" if near else ""


def _never_there(store: OpenStore, check: Check) -> tuple[str, ...]:
    """Return a warning if a check says that something is absent which never existed, such as a misspelt path."""
    path = check.words[1] if check.form == BUILTIN and check.words[0] == "absent" else ""
    commit = store.git.read_head()[1]
    if not path or not is_path_like(path) or commit is None or is_shallow(store.git):
        return ()
    if has_ever_had(store.git, commit, path.rstrip("/")):
        return ()
    near = nearest_file(CodeTree(store.git, commit), path)
    meant = f"; did you mean {store.typed(near)}?" if near else ""
    return (f"{path} was never in the history of HEAD, so it proves nothing that it is absent{meant}",)


def _refuse(result: Result, due: Due, judged: str, meant: str) -> None:
    key = due.row.key
    if result.outcome in (FAILS, UNPROVEN):
        where = f" with {judged}" if judged else ""
        seen = f"it saw {judged}" if judged else "it saw the last commit; --dirty judges your uncommitted changes"
        raise RefusedError(
            f"{key}: the check does not hold{where}: {result.failure}",
            hint=result.hidden
            or "\n".join([*([meant] if meant else []), f"fix the check; {seen}; --unproven records it anyway"]),
        )
    if result.outcome == BLOCKED:
        raise RefusedError(
            f"{key}: the check {_blocked(result)}: {result.reason}",
            hint=result.hidden or "fix the check, or use --unproven to record it without running it",
        )
    if result.outcome == "skipped":
        raise RefusedError(f"{key}: the check was not run: {result.reason}", hint="--unproven records it anyway")
    if due.spec.refute and result.verdict is not None and result.verdict.weak:
        raise RefusedError(
            f"{key}: its counterexample refutes nothing: the check still holds after it",
            hint="fix --refute, or leave it out",
        )


def _blocked(result: Result) -> str:
    return "does not pass here" if result.missing else "could not be run"


def _home(store: OpenStore, document: Document, proof: CheckProof) -> OpenStore:
    """Return where to write: a fact that is not true on the default branch goes to this branch's companion."""
    home = store.home_of(document, outcome=proof.outcome, is_uncommitted=bool(proof.judged))
    if proof.judged and not store.is_in_tree and not home.store.companion:
        store.notices.append(ON_DEFAULT.format(judged=proof.judged))
    return home


def _write(store: OpenStore, document: Document, draft: Draft, proof: CheckProof, *, again: str) -> Change:
    policy, verdict = store.policy(), proof.verdict
    session = proof.session
    # A new fact that compares with another repository is proved for this clone: `is_private` does not know it yet.
    counts = session is not None and session.counts() and not (verdict is not None and ELSEWHERE in verdict.inputs)
    store = _home(store, document, proof)

    def verdicts(settled: Draft) -> list[Verdict]:
        return [replace(verdict, key=settled.key)] if verdict is not None and counts else []

    change = store.writer().remember(draft, policy, verb="fact", verdicts=verdicts, again=again)
    if verdict is not None:
        store.local.add_verdicts([replace(verdict, key=change.key)])
    return change
