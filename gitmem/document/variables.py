"""The environment variables that a fact's check may see (``env``), and those that no fact may name. Pure."""

from __future__ import annotations

from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Environment variables that a check may see: at most this many, with names short enough for all of them to fit into a
# verdict's environment (``store.verdicts.environment.LIMIT``).
MAX_VARIABLES = 20
LONGEST_VARIABLE = 60
# Variables that control the sandbox, a shell, an interpreter or git, or that gitmem sets itself: with these, the check
# would not be the approved one. Sources: ld.so(8), environ(7), bash(1), dash(1), git(1), and the manuals of Python,
# Node.js, Perl, Ruby, Java and Go.
OWN_VARIABLES = frozenset(
    """
        PATH HOME TMPDIR TMP TEMP LANG LANGUAGE TERM TZ PWD OLDPWD SHELL ENV IFS CDPATH SHELLOPTS BASHOPTS GLOBIGNORE
        POSIXLY_CORRECT FPATH ZDOTDIR PS4 PROMPT_COMMAND NLSPATH LOCPATH GCONV_PATH GETCONF_DIR HOSTALIASES RES_OPTIONS
        MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES CLASSPATH GOFLAGS GOENV RUSTFLAGS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS
        _JAVA_OPTIONS RUSTC RUSTDOC RUSTC_WRAPPER VIRTUAL_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS
        NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE
        """.split()
)
OWN_PREFIXES = tuple(
    """
    LD_ DYLD_ LC_ PYTHON GIT_ GITMEM_ BASH_ NPM_CONFIG_ PERL RUBY GLIBC_ MALLOC_ CARGO_ GEM_ BUNDLE_ STRACE_ RESOLV_
    """.split()
)


def check_variables(value: Any) -> None:
    """Raise ``FormatError`` unless the names of `env` are those of variables that a check may see."""
    names = [value] if isinstance(value, str) else value
    if not (isinstance(names, list) and all(map(_is_variable, names))):
        message = f"`env` must be a list of names of environment variables, of {LONGEST_VARIABLE} characters at most"
        raise FormatError(message, code="bad-env", hint="name the variables alone, such as `env: [CI, DATABASE_URL]`")
    if len(names) > MAX_VARIABLES:
        raise FormatError(f"`env` names {len(names)} variables; at most {MAX_VARIABLES} are allowed", code="bad-env")
    own = next((name for name in names if is_own_variable(name)), "")
    if own:
        message = f"`env` cannot name {own}: it changes how the sandbox, a shell, an interpreter or git works"
        raise FormatError(message, code="bad-env", hint="set it in the command itself, where it can be reviewed")


def _is_variable(name: object) -> bool:
    return (
        isinstance(name, str)
        and name.isascii()
        and len(name) <= LONGEST_VARIABLE
        and not name[:1].isdigit()
        and name.replace("_", "a").isalnum()
    )


def is_own_variable(name: str) -> bool:
    """Return whether no check may get a variable, because it controls how programs run."""
    return name.upper() in OWN_VARIABLES or name.upper().startswith(OWN_PREFIXES)


def variables_of(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the environment variables that a memory's check sees, sorted."""
    names = fields.get("env") or []
    return tuple(sorted({names} if isinstance(names, str) else set(names)))
