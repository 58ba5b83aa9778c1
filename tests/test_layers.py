"""What the import contract of pyproject.toml cannot say: lazy imports, a door per effect, sizes, places of tests."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "gitmem"

# Where any of gitmem's own modules may be imported inside a function, and why. Elsewhere only those may be that lead
# to something heavy.
LAZY_HOMES = {
    "gitmem.agents.moments.cues": "a hook before each command: most commands name no program that it knows",
    "gitmem.agents.moments.risk": "the same",
    "gitmem.store.local": "few memories require one of another repository",
    "gitmem.store.commit": "a clone is accepted once in its life",
    "gitmem.store.layout": "recall never asks for a shard",
    "gitmem.index.catalog.inserts": "what finds secrets is loaded only where a memory is new",
    "gitmem": "Memory loads on first use",
    "gitmem.memory.memory": "a method of Memory loads what it wires, and no other's",
    "gitmem.memory.parts": "the same",
    "gitmem.memory.learnings": "a part of Memory: the same",
    "gitmem.plugins.board.api": "a part of Memory: the same",
    "gitmem.plugins.pull.api": "a part of Memory: the same",
    "gitmem.memory.bulk": "a part of Memory: the same",
    "gitmem.memory.captures": "a part of Memory: the same",
    "gitmem.memory.duplicate_status": "a part of Memory: the same",
    "gitmem.memory.index": "a part of Memory: the same",
    "gitmem.memory.jobs": "a part of Memory: the same",
    "gitmem.memory.proposals": "a part of Memory: the same",
    "gitmem.memory.stores": "a part of Memory: the same",
    "gitmem.memory.tasks": "a part of Memory: the same",
    "gitmem.memory.vectors": "a part of Memory: the same",
    "gitmem.memory.view": "a part of Memory: the same",
    "gitmem.agents.session.active": "the same, for what sessions are told",
    "gitmem.agents.on_event": "the same, for what hooks of agents do",
    "gitmem.plugins.workflow.api": "a part of Memory: the same",
    "gitmem.repository.open_repository": "the same, for what the commands share",
    "gitmem.repository.private": "the same",
    "gitmem.repository.open_store": "the same, for one store",
    "gitmem.repository.code_tree_store": "the same, for the second home",
    "gitmem.agents.hook": "the store where there is something to do",
    "gitmem.agents.clients": "only the client that calls is loaded",
    "gitmem.agents.capture.state": "the policy's tables, only where a rule of it decides",
    "gitmem.agents.capture.tools": "most uses of a tool teach nothing, and hooks run after each",
    "gitmem.agents.capture.responses": "the same, for what an agent says",
    "gitmem.agents.capture.record": "the same, for what is kept of one",
    "gitmem.text.code.grammar": "a grammar is a package, loaded only for code in its language",
    "gitmem.cli": "the module of the command that was typed; the bug report, the words of errors",
    "gitmem.cli.commands": "the module of the command that was typed",
    "gitmem.cli.plugins": "plug-ins, where a word is no command of gitmem's own",
    "gitmem.mcp.server": "the tools of a plug-in, which may be absent",
    "gitmem.repository.settings": "settings that need acceptance are rare",
    "gitmem.cli.output": "lines are broken on terminals only",
    "gitmem.cli.command_memory": "the memory where a command opens one",
    "gitmem.cli.filters": "a query where a command makes one",
    "gitmem.cli.options": "keys and matches are marked on terminals only",
    "gitmem.cli.paths": "the repository where a path is typed",
}
# Packages that may be imported inside a function: what they cost is in reference figures and in a comment there.
HEAVY = (
    "yaml", "frontmatter", "dataclasses", "typing", "inspect", "subprocess", "threading", "tomllib", "hashlib", "json",
    "concurrent.futures", "re2", "pygit2", "git", "whoosh", "difflib", "datetime", "tempfile",
    "importlib.metadata", "urllib.parse", "logging", "traceback", "asyncio", "Stemmer", "argparse", "sqlite3",
    "pathlib", "numpy", "safetensors", "fastembed", "onnxruntime", "tokenizers", "huggingface_hub",
    "sentence_transformers", "sqlite_vec", "transformers", "mcp", "uvicorn", "jinja2", "zlib", "shutil", "signal",
    "shlex", "_sqlite3", "xml.etree", "packaging", "tree_sitter", "textual", "tomlkit", "email", "psycopg",
    "procrastinate",
)  # fmt: skip
# May be imported inside a function: recall and the hooks start without it. What imports it at the top is not heavy.
RARE = ("re", "unicodedata", "array", "heapq", "fcntl", "msvcrt")
# Modules without a test file of their own, and where they are tested instead.
TESTED_ELSEWHERE: dict[str, str] = {
    "gitmem/agents/capture/correction_words.py": "tests/agents/capture/test_corrections.py: the prompts they decide",
    "gitmem/git/packed_objects.py": "tests/git/test_loose_objects.py: the same answers as those of git",
    **dict.fromkeys(
        (
            f"gitmem/cli/hub/{name}.py"
            for name in (
                "add",
                "ask",
                "init",
                "list",
                "options",
                "rebuild",
                "remove",
                "serve",
                "status",
                "sync",
                "verify",
                "work",
            )
        ),
        "one story on a real database: tests/cli/hub/test_hub.py",
    ),
    "gitmem/hub/overview.py": "what is printed of it: tests/cli/hub/test_hub.py, tests/hub/test_follower.py",
    "gitmem/hub/web/lookup.py": "the same",
    "gitmem/hub/forge/organisation.py": "with a forge: tests/hub/forge/test_listing.py",
    "gitmem/hub/web/request.py": "the same; tests/hub/web/test_page.py",
    "gitmem/hub/mirror.py": "with real remotes: tests/hub/test_ingest.py",
    "gitmem/hub/work/checkout.py": "through jobs on real repositories: tests/hub/work/test_verification.py",
    "gitmem/hub/memory_rows.py": "on real memories: tests/hub/test_ingest.py",
    "gitmem/commands/policy.py": "tests/cli/policy, tests/e2e/test_profiles.py, tests/e2e/test_editor.py",
    "gitmem/cli/editor.py": "with a terminal: tests/e2e/test_editor.py",
    "gitmem/cli/policy/edit.py": "with a terminal: tests/e2e/test_editor.py",
    "gitmem/agents/clients_without_hooks.py": "data: tests/agents/test_instruction_files.py",
    "gitmem/commands/purge/subject.py": "tests/commands/purge/test_run.py",
    "gitmem/commands/purge/derived.py": "the same",
    "gitmem/commands/purge/publish.py": "the same",
    "gitmem/memory/purges.py": "the same",
    "gitmem/commands/adopt/findings.py": "data: tests/commands/adopt/test_run.py",
    "gitmem/commands/adopt/formats.py": "what is printed: tests/cli/test_adopt.py",
    "gitmem/commands/adopt/correct/wording.py": "on real repositories: tests/commands/adopt/correct/test_init.py",
    "gitmem/commands/adopt/correct/successor.py": "the same",
    "gitmem/commands/adopt/judge/reader.py": "tests/commands/adopt/judge/test_defaults.py, test_versions.py",
    "gitmem/commands/adopt/kinds/kind.py": "data: tests/commands/adopt/kinds/test_sourced.py",
    "gitmem/commands/adopt/kinds/words.py": "searches of the code: tests/benchmarks/test_kinds.py",
    "gitmem/text/secret_rules.py": "the table of formats: tests/text/test_secrets.py",
    "gitmem/text/secret_values.py": "the same",
    **dict.fromkeys(
        (f"gitmem/document/sources/{name}.py" for name in ("assignment", "jsonc", "lines", "toml", "xml", "yaml")),
        "the reader of a format: tests/document/sources/test_formats.py",
    ),
    "gitmem/document/sources/manifests.py": "names of files: tests/verify/test_builtin_answers.py",
    "gitmem/plugins/__init__.py": "a folder: tests/cli/test_plugins.py",
    "gitmem/plugins/board/__init__.py": "the table of its commands: tests/cli/test_plugins.py",
    "gitmem/plugins/forge/__init__.py": "the same",
    "gitmem/plugins/import_/__init__.py": "the same",
    "gitmem/plugins/pull/__init__.py": "the same",
    "gitmem/plugins/pull/cli/__init__.py": "the same",
    "gitmem/__init__.py": "the lazy Memory: tests/memory/test_memory.py",
    "gitmem/verify/sandbox/namespaces.py": "tests/verify/ground/test_open.py, tests/verify/sandbox/test_sight.py",
    "gitmem/agents/client.py": "data: tests/agents/clients/test_init.py",
    "gitmem/write/new_memory.py": "data: tests/write/test_draft.py",
    "gitmem/index/embed/folder_model.py": "tests/index/embed/test_bert_directory.py, test_onnx_directory.py",
    "gitmem/document/api_options.py": "the whole API: tests/test_options.py",
    "gitmem/document/memory_fields.py": "data: tests/test_options.py",
    "gitmem/memory/writes.py": "tests/memory/test_memory.py, tests/test_options.py",
    "gitmem/results.py": "data: tests/memory/test_memory.py, tests/test_python_docs.py",
    "gitmem/store/proposal.py": "the current proposal: tests/store/test_proposals.py",
    "gitmem/store/state/registration.py": "what an unknown clone brings along: tests/store/test_state_folder.py",
    "gitmem/store/state/clone.py": "what makes a clone known: tests/store/test_state_folder.py",
    "gitmem/store/code_folder.py": "the folder of the code's memories: tests/store/test_code_tree.py",
    "gitmem/recall/inventory.py": "without a question: tests/recall/test_ranker.py",
    "gitmem/mcp/schemas.py": "what clients may send: tests/mcp/test_server.py",
    "gitmem/agents/event.py": "data: tests/agents/",
    "gitmem/commands/report/page/model.py": "data: tests/commands/report/page/test_gather.py",
    "gitmem/commands/report/page/sections.py": "the page's data: tests/commands/report/page/test_render.py",
    "gitmem/commands/report/page/templates.py": "the page: tests/commands/report/page/test_render.py",
    "gitmem/system/http.py": "one transport for two protocols: tests/index/embed/test_http_endpoint.py",
    "gitmem/git/forges/errors.py": "what a forge refuses: tests/git/forges/test_client.py",
    "gitmem/policy/policy_file.py": "reads policies: tests/policy/test_init.py",
    "gitmem/index/catalog/fact_state.py": "the other half of state: tests/index/catalog/test_state.py",
    "gitmem/index/catalog/required_elsewhere.py": "links to other repositories: tests/hub/test_links.py",
    "gitmem/commands/sync/exchange.py": "one branch of a sync: tests/commands/sync/test_sync.py",
    "gitmem/commands/sync/remote.py": "which remote: tests/commands/sync/test_sync.py",
    "gitmem/commands/sync/summary.py": "what a sync did: tests/commands/sync/test_sync.py, tests/cli/test_sync.py",
    "gitmem/write/links.py": "links of supersession: tests/write/test_supersede.py",
    "gitmem/cli/command_memory.py": "opening a memory: every test that runs a command",
    "gitmem/cli/options.py": "shared options: the tests of each command that has them",
    "gitmem/cli/commands.py": "the table of commands: tests/cli/test_table.py",
    "gitmem/text/code/span.py": "data: tests/text/code/test_definitions.py",
    "gitmem/repository/settings.py": "which settings count: tests/repository/test_settings_approval.py",
    "gitmem/policy/template.py": "what a new store gets: tests/policy/test_init.py",
    **dict.fromkeys(
        (
            f"gitmem/plugins/board/cli/{name}.py"
            for name in (
                *("answer", "close", "export", "gate", "link", "list", "open", "post", "shared", "show", "signal"),
                *("survival", "waive"),
            )
        ),
        "a verb of boards: tests/plugins/board/cli/test_board.py",
    ),
    **dict.fromkeys(
        (
            f"gitmem/cli/browse/{name}.py"
            for name in ("approvals", "captures", "duplicates", "failures", "loop", "proposals")
        ),
        "what waits for a decision: tests/cli/browse/test_loop_screen.py",
    ),
    **dict.fromkeys(
        (f"gitmem/cli/browse/{name}.py" for name in ("app", "help", "overview")),
        "screens: tests/cli/browse/test_search.py",
    ),
    **dict.fromkeys(
        (f"gitmem/cli/curate/{name}.py" for name in ("archive", "decay", "expired", "refs")),
        "a verb of curate: tests/cli/curate/test_shared.py",
    ),
    "gitmem/plugins/board/actions.py": "what the verbs do: tests/plugins/board/cli/test_board.py",
    "gitmem/plugins/board/api.py": "the wiring of boards: tests/plugins/board/, tests/plugins/board/cli/test_board.py",
    "gitmem/memory/bulk.py": "the wiring of many memories: tests/plugins/import_/, tests/write/test_queue.py",
    "gitmem/memory/duplicate_status.py": "part of the error about a duplicate: tests/write/test_duplicates.py",
    "gitmem/memory/index.py": "the wiring of the index: tests/index/, tests/cli/test_index.py",
    "gitmem/memory/jobs.py": "the wiring of verify jobs: tests/verify/jobs/",
    "gitmem/memory/proposals.py": "the wiring of proposals: tests/commands/propose/",
    "gitmem/plugins/pull/api.py": "the wiring of pulled sources: tests/plugins/pull/",
    "gitmem/memory/stores.py": "the wiring of listed stores: tests/commands/test_stores.py",
    "gitmem/memory/sync.py": "the wiring of sync: tests/commands/sync/",
    "gitmem/memory/tasks.py": "the wiring of tasks: tests/commands/test_task.py",
    "gitmem/cli/changes.py": "what writes print: the tests of each command that writes",
    "gitmem/commands/recall/engines.py": "Whoosh and added engines: tests/commands/recall/test_init.py",
    "gitmem/commands/embed/setup.py": "how a model is changed: tests/cli/embed/test_setup.py",
    "gitmem/commands/recall/meaning.py": "recall by meaning: tests/commands/embed/test_init.py",
    "gitmem/commands/forget.py": "forget and supersede: tests/write/test_writer.py, tests/write/test_supersede.py",
    "gitmem/commands/init.py": "starting a store: tests/store/test_init.py, tests/cli/test_init.py",
    "gitmem/commands/verify.py": "one job: tests/verify/test_session.py, tests/verify/jobs/test_job.py",
    "gitmem/verify/prover.py": "whose verdicts they are: tests/verify/test_signed.py",
    "gitmem/verify/approvals/signers.py": "whose signatures count: tests/verify/test_signed.py",
    "gitmem/verify/options.py": "the data of a run: tests/verify/test_session.py",
    "gitmem/verify/jobs/history.py": "what status shows of jobs: tests/verify/jobs/test_schedule.py",
    "gitmem/recall/searched_store.py": "a store of a search: tests/recall/test_ranker.py",
    "gitmem/repository/query_vectors.py": "how a question finds its vectors: tests/commands/embed/test_init.py",
    "gitmem/memory/vectors.py": "the wiring of embed: tests/commands/embed/test_init.py",
    "gitmem/index/shared.py": "one catalog of many stores: tests/repository/test_shared_stores.py",
    "gitmem/index/shared_update.py": "as above",
    "gitmem/index/vectors/folders.py": "where vectors lie: tests/index/vectors/test_store.py",
    "gitmem/commands/review/model.py": "data: tests/commands/review/",
    "gitmem/commands/review/sanitize.py": "what is repeated of others: tests/commands/review/test_rules.py",
    "gitmem/commands/review/statuses.py": "what both states say as a whole: tests/commands/review/test_run.py",
    "gitmem/commands/review/link_effects.py": "the same",
    "gitmem/memory/view.py": "the wiring of the view: tests/commands/view/",
    "gitmem/plugins/workflow/api.py": "the wiring of the steps of a workflow: tests/plugins/workflow/",
    "gitmem/plugins/workflow/cli/steps.py": "options: the tests of each command of a step",
    "gitmem/mcp/disconnects.py": "a filter of the log: tests/mcp/test_http.py",
    "gitmem/memory/learnings.py": "the wiring of inject: tests/commands/test_inject.py",
    "gitmem/memory/parts.py": "the wiring of each part: its own tests",
    "gitmem/repository/open_repository.py": "the wiring that every command goes through: tests/memory/test_memory.py",
    "gitmem/repository/private.py": "the stores of workers: tests/e2e/test_private.py",
    "gitmem/recall/query.py": "data: tests/test_options.py, tests/recall/",
    "gitmem/recall/time_words.py": "words: tests/recall/test_when.py",
    "gitmem/recall/scoring.py": "tests/recall/test_rank.py, tests/recall/test_signals.py",
    "gitmem/repository/open_store.py": "the same",
    "gitmem/repository/approvals.py": "tests/verify/approvals/test_clone.py, tests/cli/test_trust.py",
    "gitmem/repository/holder.py": "the store of a memory: tests/commands/test_promote.py, tests/commands/test_show.py",
    "gitmem/repository/verification.py": "verify sessions: tests/verify/test_session.py",
    "gitmem/repository/store_writer.py": "the writer and its author: tests/write/test_writer.py",
    "gitmem/repository/other_repositories.py": "other repositories' stores: tests/commands/test_stores.py",
    "gitmem/repository/code_tree_store.py": "writes to the second home: tests/write/test_code_tree.py",
    "gitmem/__main__.py": "one line: every test that runs the command line as a process",
}
LINES_AT_MOST = 600


@dataclass(frozen=True)
class Import:
    """One import: its line, the module it names, and whether it stands inside a function or is for types only."""

    line: int
    target: str
    lazy: bool
    types: bool = False


# What statements, and so imports, are in.
BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = list(path.relative_to(PROJECT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()
NAMES = frozenset(MODULES)


@cache
def imports(source: str, known: frozenset[str]) -> tuple[Import, ...]:
    """Return every import of *source*; ``from gitmem import x`` is one of ``gitmem.x`` where that is a module."""
    # Only a call is an import within an expression; statements alone are a tenth of the tree.
    kinds = (ast.AST,) if "import_module" in source or "__import__" in source else BLOCKS
    return tuple(_imports(parse(source), known, kinds, lazy=False))


def _imports(
    node: ast.AST, known: frozenset[str], kinds: tuple[type, ...], *, lazy: bool, types: bool = False
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, kinds):
            continue
        for target in _targets(child, known):
            yield Import(child.lineno, target, lazy, types)
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _imports(child, known, kinds, lazy=lazy or inside, types=types or _is_type_checking(child))


def _targets(node: ast.AST, known: frozenset[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        full = [f"{base}.{alias.name}" for alias in node.names]
        if "gitmem.Memory" in full:
            return ["gitmem.memory"]
        return list(dict.fromkeys(name if name in known else base for name in full))
    if isinstance(node, ast.Call) and _dotted(node.func) in ("__import__", "import_module", "importlib.import_module"):
        named = node.args[0] if node.args else None
        return [named.value if isinstance(named, ast.Constant) else "(computed)"]
    return []


def violations(module: str, source: str, known: frozenset[str]) -> list[str]:
    """Return what is wrong with the imports of one module, a line each."""
    wrong = []
    for one in imports(source, known):
        if one.target == "(computed)" and module not in LAZY_HOMES:
            wrong.append(f"{module}:{one.line}: a computed import")
        elif one.lazy and not _is_ours(one.target) and not _is_heavy(one.target) and one.target not in RARE:
            wrong.append(f"{module}:{one.line}: {one.target} is imported inside a function")
    return wrong


def _is_ours(target: str) -> bool:
    return target == "(computed)" or target.partition(".")[0] == "gitmem"


def _is_heavy(target: str) -> bool:
    return any(f"{target}.".startswith(f"{package}.") for package in HEAVY)


def light_lazies(sources: dict[str, str]) -> list[str]:
    """Return where a module of ours is imported inside a function though it leads to nothing heavy."""
    known = frozenset(sources)
    found = {name: imports(source, known) for name, source in sources.items()}
    heavy = {name for name, its in found.items() if any(_is_heavy(one.target) for one in its)}
    while more := {n for n, its in found.items() if n not in heavy and any(i.target in heavy for i in its)}:
        heavy |= more
    return [
        f"{name}:{one.line}: {one.target} is light: import it at the top"
        for name, its in found.items()
        for one in its
        if one.lazy and name not in LAZY_HOMES and one.target in sources and one.target not in heavy
    ]


def cycle(sources: dict[str, str]) -> list[str]:
    """Return modules that import each other in a circle; empty if there are none.

    Imports inside functions count. Those for types only do not, since no program runs them, nor those of the package
    itself: every module may read its version, and its ``Memory`` loads on first use.
    """
    known = frozenset(sources)
    edges = {
        name: {one.target for one in imports(source, known) if not one.types and one.target in known - {name, "gitmem"}}
        for name, source in sources.items()
    }
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as err:
        found: list[str] = err.args[1]
        return found
    return []


PROGRAM_MODULES = ("subprocess", "multiprocessing", "pty", "_posixsubprocess")
ENVIRONMENT = ("environ", "environb", "getenv", "getenvb", "putenv", "unsetenv")
PROGRAMS = ("system", "popen", "fork", "forkpty", "startfile")
# What a source with an effect cannot do without.
DOOR_WORDS = re.compile(rf"\b(?:os|print|{'|'.join(PROGRAM_MODULES)})\b")
# Which modules may use which door. The starter of a confined check is a program of its own, which process starts.
DOORS = {
    "start a program": ("gitmem.system.process", "gitmem.system.child", "gitmem.verify.sandbox.launcher"),
    "read the environment": ("gitmem.config", "gitmem.system.environment"),
    "print": ("gitmem.cli.output",),
}


def effects(module: str, source: str) -> list[str]:
    """Return where a module has an effect that belongs to another one, a line each."""
    if not DOOR_WORDS.search(source):
        return []
    tree = parse(source)
    aliases = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    types = {id(inside) for node in ast.walk(tree) if _is_type_checking(node) for inside in ast.walk(node)}
    found = [
        (node.lineno, _effect(node, aliases))
        for node in ast.walk(tree)
        if hasattr(node, "lineno") and id(node) not in types
    ]
    return [f"{module}:{line}: may not {what}" for line, what in found if what and module not in DOORS[what]]


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _dotted(node.test).endswith("TYPE_CHECKING")


def _effect(node: ast.AST, aliases: dict[str, str]) -> str:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.Attribute):
        head, _, rest = _dotted(node).partition(".")
        names = [f"{aliases.get(head, head)}.{rest}"]
    elif isinstance(node, ast.Name) and node.id == "print":
        return "print"
    return next((what for what in map(_door, names) if what), "")


def _door(name: str) -> str:
    first, _, rest = name.partition(".")
    if first in PROGRAM_MODULES:
        return "start a program"
    if first != "os":
        return ""
    if rest.split(".")[0] in ENVIRONMENT:
        return "read the environment"
    starts = rest.startswith(("exec", "spawn", "posix_spawn")) or rest in PROGRAMS
    return "start a program" if starts else ""


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def test_path_of(module: Path) -> Path:
    """Return where the tests of a module belong: the tests' tree mirrors the package's."""
    inside = module.relative_to(PACKAGE)
    name = "test_init.py" if inside.name == "__init__.py" else f"test_{inside.name}"
    return PROJECT / "tests" / inside.parent / name


test_path_of.__test__ = False  # type: ignore[attr-defined] - pytest takes it for a test by its name


def test_modules_import_inside_a_function_only_what_is_heavy() -> None:
    assert [line for name, path in MODULES.items() for line in violations(name, path.read_text(), NAMES)] == []


def test_only_what_leads_to_something_heavy_is_imported_inside_a_function() -> None:
    assert light_lazies({name: path.read_text() for name, path in MODULES.items()}) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycle({name: path.read_text() for name, path in MODULES.items()}) == []


def test_modules_have_only_the_effects_of_their_doors() -> None:
    assert [line for name, path in MODULES.items() for line in effects(name, path.read_text())] == []


def test_modules_say_what_they_are_and_are_short() -> None:
    sources = {name: path.read_text() for name, path in MODULES.items()}

    assert [name for name, source in sources.items() if not source.startswith('"""')] == []
    assert [name for name, source in sources.items() if source.count("\n") > LINES_AT_MOST] == []


def misplaced_tests(module: Path) -> str:
    """Return what is wrong with where a module is tested; empty when nothing is."""
    defines = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    needs_none = module.name == "__init__.py" and not any(
        isinstance(node, defines) for node in parse(module.read_text()).body
    )
    path = test_path_of(module)
    listed = str(module.relative_to(PROJECT)) in TESTED_ELSEWHERE
    if path.exists():
        return "listed in TESTED_ELSEWHERE, but it has its test file" if listed else ""
    return "" if listed or needs_none else f"{path.relative_to(PROJECT)} is missing"


def test_modules_have_their_tests_where_a_reader_looks() -> None:
    found = {name: misplaced_tests(path) for name, path in MODULES.items()}

    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_exceptions_name_modules_that_exist() -> None:
    assert [path for path in TESTED_ELSEWHERE if not (PROJECT / path).exists()] == []
    assert [name for name in LAZY_HOMES if name not in MODULES] == []


@pytest.mark.parametrize(
    ("module", "line", "reason"),
    [
        ("gitmem.recall.run", "import importlib as i; importlib.import_module(x)", "a computed import"),
        ("gitmem.index", "def f():\n    import bisect", "bisect is imported inside a function"),
        ("gitmem.index", "def f():\n    def g():\n        import bisect", "bisect is imported inside a function"),
    ],
)
def test_planted_import_is_found(module: str, line: str, reason: str) -> None:
    found = violations(module, f'"""A."""\n{line}\n', frozenset({"gitmem"}))

    assert [text.split(": ", 1)[1] for text in found] == [reason]


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("gitmem.store.read", "from gitmem import __version__"),
        ("gitmem.document.parse", "def f():\n    import yaml"),
        ("gitmem.cli", "def f():\n    importlib.import_module(name)"),
        ("gitmem.index", "def f():\n    from gitmem.document.parse import parse"),
    ],
)
def test_allowed_import_is_not_found(module: str, line: str) -> None:
    assert violations(module, line, frozenset({"gitmem", "gitmem.store.layout"})) == []


PLANTED = {
    "store/read.py": ("from gitmem.index.catalog import update", "gitmem.store is not allowed to import gitmem.index"),
    "document/parse.py": ("import gitmem.policy.kinds", "gitmem.document is not allowed to import gitmem.policy"),
    "git/__init__.py": (
        "if TYPE_CHECKING:\n    from gitmem.store import layout",
        "gitmem.git is not allowed to import gitmem.store",
    ),
    "system/process.py": (
        "def f():\n    from gitmem.git import renames",
        "gitmem.system is not allowed to import gitmem.git",
    ),
    "commands/why.py": (
        "from gitmem.commands import export",
        "gitmem.commands.why is not allowed to import gitmem.commands.export",
    ),
}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contract on the package in a folder."""
    script = "import sys; sys.path.insert(0, ''); from importlinter.cli import lint_imports_command as c; c()"
    argv = [sys.executable, "-c", script, "--config", str(PROJECT / "pyproject.toml"), "--no-cache"]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)


def test_contract_is_kept() -> None:
    done = lint_imports(PROJECT)

    assert done.returncode == 0, done.stdout


def test_planted_imports_break_the_contract(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "gitmem", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "gitmem" / "attic").mkdir()
    (tmp_path / "gitmem" / "attic" / "__init__.py").touch()
    for path, (line, _) in PLANTED.items():
        with (tmp_path / "gitmem" / path).open("a") as file:
            file.write(f"\n{line}\n")

    done = lint_imports(tmp_path)

    assert done.returncode == 1
    assert [words for _, words in PLANTED.values() if words not in done.stdout] == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import subprocess", "start a program"),
        ("from subprocess import run", "start a program"),
        ("def f():\n    import multiprocessing.pool", "start a program"),
        ("import os\nos.execv('x', [])", "start a program"),
        ("import os as o\no.posix_spawnp('x', [], {})", "start a program"),
        ("import os\nx = os.environ['X']", "read the environment"),
        ("from os import getenv", "read the environment"),
        ("print('x')", "print"),
        ("say = print", "print"),
    ],
)
def test_planted_effect_is_found(line: str, what: str) -> None:
    found = effects("gitmem.store.read", line)

    assert {text.split(": ")[1] for text in found} == {f"may not {what}"}
    assert [effects(door, line) for door in DOORS[what]] == [[] for _ in DOORS[what]]


def test_type_of_a_program_is_no_effect() -> None:
    assert effects("gitmem.system.process_limits", "if TYPE_CHECKING:\n    from subprocess import Popen\n") == []


def test_circle_through_a_function_is_found() -> None:
    sources = {"gitmem.a": "import gitmem.b", "gitmem.b": "def f():\n    from gitmem import c", "gitmem.c": ""}
    assert cycle(sources) == []

    assert set(cycle({**sources, "gitmem.c": "from gitmem.a import x"})) == set(sources)
    assert cycle({**sources, "gitmem.c": "if TYPE_CHECKING:\n    from gitmem.a import x"}) == []


def test_lazy_import_of_a_light_module_is_found() -> None:
    sources = {
        "gitmem.a": "def f():\n    from gitmem import b, c",
        "gitmem.b": "from gitmem import d",
        "gitmem.c": "import re",
        "gitmem.d": "def f():\n    import yaml",
    }

    assert light_lazies(sources) == ["gitmem.a:2: gitmem.c is light: import it at the top"]
