"""Name what a check missed that is not part of the code: a program, a module, a service, a variable, a cached package.

A failure for such a reason says nothing about the fact. What the trace shows counts whatever the check prints; the
messages of common tools are known besides, because a trace cannot tell a module that is missing from the places where
an interpreter looks for it in vain.
"""

from __future__ import annotations

import re
from pathlib import Path

from gitmem.config import home, variables
from gitmem.model import SHELL
from gitmem.verify.code_files import SUBMODULE
from gitmem.verify.run.reason import without_places
from gitmem.verify.trace.trace import LOOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git
    from gitmem.model import Spec
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.trace.reads import Places
    from gitmem.verify.trace.trace import Trace

# The first line of a Git LFS pointer, and the largest one (git-lfs, docs/spec.md).
POINTER, POINTER_BYTES = b"version https://git-lfs.github.com/spec/", 1024
# Characters of a name that is shown.
NAME_LIMIT = 80
# Places that processes try to read without needing them.
_NEVER_NEEDED = ("/proc", "/sys", "/dev", "/run/systemd", "/run/nscd", "/var/run/nscd")
_NAME = r"[\w@+./:-]"
# Variables in a command that the shell, the sandbox or the command itself sets, or that have a default.
_VARIABLE = re.compile(r"(?<!\\)\$(?:([A-Z_][A-Z0-9_]*)|\{([A-Z_][A-Z0-9_]*)\})")
_ASSIGNED = re.compile(r"\b(?:([A-Z_][A-Z0-9_]*)=|(?:for|read)\s+([A-Z_][A-Z0-9_]*))")
_QUOTED = re.compile(r"'[^']*'")
_WORD_END = re.compile(r"[\s;&|(){}`!]+")
_SET_HERE = frozenset(
    """
        PATH HOME PWD OLDPWD TMPDIR SHELL USER LOGNAME LANG LC_ALL IFS TERM PPID OPTARG OPTIND LINENO RANDOM SECONDS UID
        EUID HOSTNAME
        """.split()
)
# Characters at the beginning and at the end of an output that are searched for messages.
SEARCHED = 8_000

_PROGRAM = "the program {}"
# Words that only some shells know, and what to do about them.
_ONLY_BASH = frozenset("[[ source shopt pushd popd declare let mapfile readarray".split())
FOR_BASH = "checks run in sh; put bash syntax in bash -c '…'"
SCRIPT_FOR_BASH = "sh runs a script of the code that only bash can read"
# Messages of tools that something is missing on this machine, with what it is; the name is the group.
_MESSAGES = tuple(
    (re.compile(form, re.MULTILINE), what)
    for form, what in (
        (rf"No module named '?({_NAME}+)'?", "the Python module {}"),
        (r"Cannot find (?:module|package) ['\"]([\w@][\w@./-]*)['\"]", "the Node.js package {}"),
        (rf"cannot load such file -- ({_NAME}+)", "the Ruby library {}"),
        (rf"Can't locate ({_NAME}+) in @INC", "the Perl module {}"),
        (rf"there is no package called .({_NAME}+).$", "the R package {}"),
        (rf"package ({_NAME}+) does not exist$", "the Java package {}"),
        (rf"can't find crate for `({_NAME}+)`", "the crate {}"),
        (rf"fatal error: ({_NAME}+\.h(?:pp)?): No such file or directory", "the header {}"),
        (rf"cannot find -l({_NAME}+)", "the library {}"),
        (rf"error while loading shared libraries: ({_NAME}+)", "the library {}"),
        # Packages that a build takes from a cache or fetches.
        (rf"no matching package named `({_NAME}+)` found", "the crate {}"),
        (rf"failed to (?:download|get) `({_NAME}+)", "the crate {}"),
        (rf"(?:no required module|cannot find module) provid(?:es|ing) package ({_NAME}+)", "the Go module {}"),
        (rf"^(?:go: )?({_NAME}+@v[\w.+-]+): .*(?:GOPROXY|GOFLAGS|dial tcp|lookup )", "the Go module {}"),
        (r"ENOTCACHED.*?for (\S+)", "the npm package {}"),
        (r"npx canceled due to missing packages[^\[]*\[\"?((?:@[\w.-]+/)?[\w.-]+)", "the npm package {}"),
        (r"request to https?://[^/\s]+/(\S+) failed, reason", "the npm package {}"),
        (rf"No matching distribution found for ({_NAME}+)", "the Python package {}"),
        (rf"Could not (?:find|resolve) artifact ({_NAME}+)", "the artifact {}"),
        (rf"artifact ({_NAME}+) has not been downloaded from it before", "the artifact {}"),
        (rf"No cached version of ({_NAME}+) available for offline mode", "the artifact {}"),
        # Programs, as shells, env, make, Node.js, Python and Go report them.
        (
            rf"^(?:\S*sh(?:: line)?: (?:line )?\d+: |\S*sh: |\S+: line \d+: )({_NAME}+): (?:command )?not found",
            _PROGRAM,
        ),
        (r"^(?:\S+: )+?(?:line )?(?:\d+: )?(\[\[): (?:command )?not found", _PROGRAM),  # only bash has it
        (rf"^(?:zsh: )?command not found: ({_NAME}+)", _PROGRAM),
        (rf"^\S*(?:timeout|nohup|stdbuf|setsid): failed to run command .({_NAME}+?).: No such file", _PROGRAM),
        (rf"^\S*(?:xargs|nice): \W?({_NAME}+?)[^\w:]?: No such file or directory", _PROGRAM),
        (rf"^\S*time: cannot run ({_NAME}+): No such file", _PROGRAM),
        (rf"^\S*env: \W?({_NAME}+?)[^\w:]?: No such file or directory", _PROGRAM),
        (rf"^make(?:\[\d+\])?: ({_NAME}+): No such file or directory", _PROGRAM),
        (rf"spawn(?:Sync)? ({_NAME}+) ENOENT", _PROGRAM),
        (r"_execute_child\n.*\n(?:.*\n)?FileNotFoundError: \[Errno 2\] .*: '([\w+-]+)'", _PROGRAM),
        (rf'exec: "({_NAME}+)": executable file not found', _PROGRAM),
        (rf"linker `({_NAME}+)` not found", _PROGRAM),
        # Variables, services, locales.
        (r"\b([A-Z_][A-Z0-9_]*): (?:unbound variable|parameter (?:null or )?not set)", "the variable {}"),
        (r"raise KeyError\(key\) from None\nKeyError: '(\w+)'", "the variable {}"),
        (r"(?i)ECONNREFUSED (\S+)", "a service at {}"),
        (
            r"(?i)(?:connect to|connection to server at) \"?([\w.:-]+(?:\"?,? port \d+)?).*(?:refused|failed)",
            "a service at {}",
        ),
        (r"(?i)\b(connection refused)\b", "a service ({})"),
        (r"cannot change locale \(([\w.@-]+)\)", "the locale {}"),
        (r"(?i)(unsupported locale setting|could not set locale)", "a locale ({})"),
    )
)


def find_missing(output: str, text: str = "") -> str:
    """Return what is missing on this machine by the message of a tool, as ``it needs the program jq, …``; or empty.

    Args:
        output: What a check printed.
        text: The check, if a shell runs it.
    """
    name, what = find_needed(output)
    if name in _ONLY_BASH:
        return FOR_BASH if name in _WORD_END.split(_QUOTED.sub("", text)) else SCRIPT_FOR_BASH
    return f"it needs {what}, which is not available to checks here" if name else ""


def find_needed(output: str) -> tuple[str, str]:
    """Return the name of what is missing by the message of a tool, and what it is, as ``the program jq``; or empty."""
    text = output if len(output) <= 2 * SEARCHED else f"{output[:SEARCHED]}\n{output[-SEARCHED:]}"
    for form, what in _MESSAGES:
        if match := form.search(text):
            name = match[1].strip("'\"`:,.")[:NAME_LIMIT]
            return name, what.format(name)
    return "", ""


def find_program(output: str) -> str:
    """Return the program that was not found by the message of a shell or a tool; or empty."""
    matches = (form.search(output[:SEARCHED]) for form, what in _MESSAGES if what == _PROGRAM)
    return next((match[1].strip("'\"`:,.")[:NAME_LIMIT] for match in matches if match), "")


def describe_unset(spec: Spec) -> str:
    """Return which variables of a check are not set: those that it declares, or that its command uses undeclared."""
    values = variables(spec.variables)
    unset = [name for name in spec.variables if name not in values]
    if unset:
        return f"{', '.join(unset)} {'is' if len(unset) == 1 else 'are'} not set"
    text = _QUOTED.sub("", spec.check.words[0]) if spec.check.form == SHELL else ""
    own = {name for found in _ASSIGNED.findall(text) for name in found if name}
    names = dict.fromkeys(name for found in _VARIABLE.findall(text) for name in found if name)
    used = [name for name in names if name not in own and name not in _SET_HERE and name not in values]
    if not used:
        return ""
    return f"checks do not see the variable {used[0]} unless the fact declares it (--env {used[0]})"


def describe_submodule(looked: Iterable[str], places: Places) -> str:
    """Return the submodule below which a run looked for a file; or empty."""
    for path in sorted(looked):
        entry = places.blocker(path)
        if entry is not None and entry[0] == SUBMODULE:
            return f"{path} is in a submodule ({entry[2]}), whose files checks do not see"
    return ""


def describe_pointers(looked: Iterable[str], tree: CodeTree, git: Git) -> str:
    """Return a file that a run read and of which the commit has only the Git LFS pointer; or empty."""
    if not any(b"filter=lfs" in content for content in _read(git, tree.attributes)):
        return ""
    entries = [entry for path in sorted(looked) if (entry := tree.places.find(path)) is not None]
    sizes = git.sizes({oid for _, oid, _ in entries})
    small = [entry for entry in entries if 0 < sizes.get(entry[1], 0) <= POINTER_BYTES]
    for entry, content in zip(small, _read(git, small), strict=True):
        if content.startswith(POINTER):
            return f"{entry[2]} is a Git LFS pointer in the commit: checks do not see its content"
    return ""


def _read(git: Git, entries: Sequence[tuple[str, str, str]]) -> list[bytes]:
    contents = dict(git.read_blobs(dict.fromkeys(oid for _, oid, _ in entries), limit=1 << 20)) if entries else {}
    return [contents.get(oid) or b"" for _, oid, _ in entries]


def describe_services(traces: Iterable[Trace]) -> str:
    """Return the last address on this machine where a run found no program; or empty."""
    refused = [where for trace in traces for where in trace.refused if not where.startswith(_NEVER_NEEDED)]
    return f"no program answers at {refused[-1]}, where it tried to connect" if refused else ""


def describe_programs(traces: Iterable[Trace], path: str) -> str:
    """Return a program that runs searched in all folders of PATH and that is in none of them; or empty."""
    folders = [folder for folder in dict.fromkeys(path.split(":")) if Path(folder).is_dir()]
    searched: dict[str, set[str]] = {}
    for trace in traces:
        for kind, place, _, _ in trace.events:
            folder, _, name = place.rpartition("/")
            if kind == LOOKED and name and folder in folders:
                searched.setdefault(name, set()).add(folder)
    for name, places in searched.items():
        is_search = len(places) > 1 and len(places) == len(folders)
        if is_search and name not in _ONLY_BASH and not any(Path(folder, name).exists() for folder in folders):
            return f"it needs the program {name}, which is not on the PATH of checks"
    return ""


def describe_denials(traces: Iterable[Trace], ground: str, path: str) -> str:
    """Return the last place that runs on a ground were denied, without those in which they only searched; or empty."""
    folders = path.split(":")
    places = [where for trace in traces for where in trace.denied if where.rpartition("/")[0] not in folders]
    # An interpreter looks through the parents of its own folder for settings.
    parents = {str(parent) for folder in folders for parent in Path(folder).parents}
    denied = [where for where in places if not where.startswith(_NEVER_NEEDED) and where not in parents]
    return f"it was denied access to {without_places(denied[-1], [ground], home())}" if denied else ""
