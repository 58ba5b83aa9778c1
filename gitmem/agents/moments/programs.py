"""Split text and command lines into words, and name the programs that run others or install packages. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that run the scripts of a JavaScript project, and the one that stands for them all.
SCRIPTS, NPM = frozenset(("npm", "pnpm", "yarn", "bun")), "npm"
# Package managers for the same packages: a project uses one of each family.
FAMILIES = (SCRIPTS, frozenset(("pip", "pip3", "uv", "poetry", "pipenv", "conda", "pdm")))
# Programs that change what a project depends on, and their subcommands that do.
MANAGERS = frozenset("cargo gem bundle composer go dotnet mix".split()).union(*FAMILIES)
CHANGES = frozenset(("install", "i", "add", "remove", "update", "up", "upgrade", "get", "require"))
# Programs that memories name without quotation marks, whether or not they are in the command line.
PROGRAMS = frozenset(
    """
    pytest tox nox ruff mypy black coverage manage.py django-admin alembic flask celery gunicorn uvicorn pip uv poetry
    pipenv pdm cargo rustc rustup clippy miri go make just rake rails rspec bundle npm pnpm yarn bun npx vite vitest
    jest playwright cypress storybook turbo nx eslint prettier tsc node deno python python3 docker docker-compose podman
    kubectl helm terraform tofu ansible-playbook gradle gradlew ./gradlew mvn mvnw ./mvnw sbt bazel cmake ctest ninja
    meson dotnet mix composer phpunit artisan php swift xcodebuild fastlane flutter dart psql mysql redis-cli sqlite3
    prisma knex sqlx diesel gh act git pre-commit buf protoc sam cdk pulumi wrangler firebase gcloud aws az
    dbt airflow dagster dvc mlflow spark-submit jupyter snakemake nextflow sqlfluff hatch invoke pyright pylint
    mkdocs sphinx-build ansible vagrant packer skaffold tilt kind minikube argocd flux istioctl detox expo eas pod
    """.split()
)
# Programs of any system whose names are also words of prose, and those that only read, print or move files.
_UTILITIES = frozenset(
    """
    alias awk basename bg break cat cd chmod chown clear comm command continue cp curl cut date df diff dirname du echo
    env eval exec exit export expr false fg file find fold grep gzip head help history id install jobs join kill less ln
    local look ls man mkdir more mv nl paste patch popd printf ps pushd pwd read return rg rm rmdir rsync sed seq set
    shift sleep sort source split stat tail tar tee test time touch tr trap tree true type uniq unset unzip wait watch
    wc wget which while who xargs yes zip
    """.split()
)
# Programs whose tasks are often programs of their own (`mix dialyzer`, `cargo nextest`), and the tasks that are not.
_WITH_TASKS = frozenset(("mix", "cargo"))
_OWN_TASKS = frozenset(
    """
    add bench build check clean cmd compile deps doc docs eval fetch fix format help hex init install local login logout
    metadata new owner package publish release remove report run search setup test tree uninstall update vendor version
    xref yank
    """.split()
)
# Signs within the names of tasks, scripts and options, which prose has not.
_SIGNS, _NO_NAMES = frozenset(":/-_"), frozenset("$*?[{=\x02@~<>")
# The fewest letters of a name, and the most names of one line.
NAME_LETTERS, NAMES_AT_MOST = 3, 40
# Options with which a command changes nothing.
_SHOWS = ("--help", "--version", "--dry-run")
# What runs another command: a word, or two.
_RUNNERS = frozenset("sudo time env nice exec npx bunx pnpx uvx xvfb-run command stdbuf nohup".split())
_RUNNERS_WITH = frozenset(
    ("poetry run", "uv run", "pipenv run", "pdm run", "bundle exec", "pnpm exec", "npm exec", "yarn exec", "hatch run")
)
# Commands and variables after which git may work in another repository or work tree.
MOVES = frozenset(("cd", "pushd", "popd"))
GIT_PLACES = ("GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=")
# Words of a shell before a command.
_KEYWORDS = frozenset("! { if then elif else while until do".split())
_NO_SCRIPT = frozenset(("-m", "-c", "-e", "-"))
_INTERPRETERS = ("python", "node", "bash", "sh", "ruby", "php", "perl", "deno")
# Programs whose text is a command line, on standard input, behind `-c`, or as their arguments.
_SHELLS, _SHELL_OPTIONS = frozenset("sh bash zsh dash ksh ash fish".split()), frozenset(("-c", "-lc", "-ec", "-ic"))
_RUN_TEXT = frozenset(("ssh", "eval", "watch", "su"))
# Letters in lower case, and a space for each character that separates words.
_ASCII_WORDS = [char.lower() if char.isalnum() or char == "_" else " " for char in map(chr, range(128))]
# The marks around words of prose.
MARKS = "`'\",.;:!?()[]{}\u201c\u201d\u2018\u2019"
# What separates commands: a line is split at newlines after it.
SEPARATE = str.maketrans("|&;()", "\n\n\n\n\n")
# What replaces blanks and signs in quotation marks, so that a quoted text is one word of its command.
_JOINED = "\x02"
_PARTS = frozenset(" \t|&;()<#")
_BEFORE_COMMENT = frozenset(("", " ", "\t", "|", "&", ";", "("))
# The most characters before a quotation mark that are read for what runs it, and the most words of a sentence.
TAIL, WORDS = 200, 120


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; identifiers are whole."""
    if text.isascii():
        return text.translate(_ASCII_WORDS).split()
    return "".join(char if char.isalnum() or char == "_" else " " for char in text.lower()).split()


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text; each line ends one."""
    return text.replace("\n", ". ").split(". ")


def without_runner(words: Sequence[str]) -> list[str]:
    """Return a command without what runs it: `poetry run`, `python -u -m`, `timeout 60`."""
    words = list(words)
    while len(words) > 1:
        is_interpreter = words[0].rpartition("/")[2].startswith(_INTERPRETERS)
        script = next((at for at in range(1, len(words)) if words[at][:1] != "-" or words[at] in _NO_SCRIPT), 1)
        if is_interpreter and (words[script] == "-m" or "." in words[script]):
            del words[1:script]
        has_two = words[0] == "timeout" or " ".join(words[:2]) in _RUNNERS_WITH or (is_interpreter and words[1] == "-m")
        if has_two:
            words = words[2:]
        elif words[0] in _RUNNERS or (is_interpreter and "." in words[1] and not words[1].startswith("-")):
            words = words[1:]
        else:
            break
    return words


def without_prefix(words: Sequence[str]) -> list[str]:
    """Return a command without keywords, variables and what runs it: `then`, `A=1`, `env A=1 timeout 60`."""
    words, size = list(words), -1
    while len(words) != size:
        size = len(words)
        plain = (at for at, word in enumerate(words) if word not in _KEYWORDS and ("=" not in word or word[:1] == "-"))
        words = without_runner(words[next(plain, size) :])
    return words


def is_git(word: str) -> bool:
    """Return whether a word of a command line is git's name or path."""
    return word.lstrip("\\").rpartition("/")[2] == "git"


def only_shows(words: Sequence[str]) -> bool:
    """Return whether a command only says what it can or would do."""
    return any(word.startswith(_SHOWS) and word != "--dry-run=none" for word in words)


def commands_in(line: str) -> list[str]:
    """Return the commands of a command line, which `|`, `&`, `;` and parentheses separate.

    A text in quotation marks is one word, unless a shell runs it. What a program reads (`python - <<EOF`) and comments
    are left out. Marks that are never closed have no meaning.
    """
    line = line.replace("\\\n", " ")
    if "'" not in line and '"' not in line and "<<" not in line and "#" not in line:
        return line.translate(SEPARATE).split("\n")
    commands: list[str] = []
    end, quoted, rows = "", _Quoted(), ""
    whole = line.split("\n")
    ends = {row.strip() for row in whole}
    begun = 0
    for at, row in enumerate(whole):
        if end:
            end = "" if row.strip() == end else end
            continue
        begun = begun if quoted.sign else at
        rows += quoted.joined(rows, row)
        if quoted.sign:
            rows += _JOINED
            continue
        end = _end_of_text(rows) if "<<" in rows else ""
        end = end if end in ends else ""
        commands += rows.translate(SEPARATE).split("\n")
        rows = ""
    return commands + "\n".join(whole[begun:]).translate(SEPARATE).split("\n") if quoted.sign else commands


class _Quoted:
    """The quotation marks that are open at a place of a command line."""

    def __init__(self) -> None:
        self.sign = ""  # of a text that is one word
        self._run = ""  # of a text that a shell runs

    def joined(self, before: str, row: str) -> str:
        """Return a row in which quoted texts are single words, without a comment.

        Args:
            before: What precedes the row in its command.
            row: The row.
        """
        if "'" not in row and '"' not in row and "#" not in row and not self.sign:
            return row
        parts: list[str] = []
        last, is_escaped = "", False
        for at, char in enumerate(row):
            is_mark = char in ("'", '"') and (not is_escaped or self.sign == "'")
            is_escaped = char == "\\" and not is_escaped
            if char == "#" and not (self.sign or self._run) and last in _BEFORE_COMMENT:
                break
            if self.sign:
                parts.append(_JOINED if char in _PARTS else char)
                self.sign = "" if is_mark and char == self.sign else self.sign
            elif is_mark and (
                char == self._run or row.startswith('"$(', at) or _is_run(before[-TAIL:] + "".join(parts[-TAIL:]))
            ):
                self._run = "" if char == self._run else char
                parts.append(";")
            else:
                self.sign = char if is_mark else ""
                parts.append(char)
            last = char
        return "".join(parts)


def _is_run(before: str) -> bool:
    """Return whether the text after the beginning of a command is one that a shell runs: `bash -c`, `ssh host`."""
    words = [word.rpartition("/")[2] for word in before.translate(SEPARATE).rpartition("\n")[2].split()]
    words = words[words[:1] == ["sudo"] :]
    return (words[-1:] != [] and words[-1] in _SHELL_OPTIONS and not _SHELLS.isdisjoint(words)) or (
        words[:1] != [] and words[0] in _RUN_TEXT
    )


def _end_of_text(row: str) -> str:
    """Return the line that ends a text which begins here: ``cat > a.md <<EOF``; empty if a shell runs it."""
    before, _, after = row.partition("<<")
    if before.count("((") > before.count("))"):  # the number of an arithmetic expression is shifted
        return ""
    words = before.translate(SEPARATE).rpartition("\n")[2].split()
    named = after.lstrip("-").split()
    last = named[0].translate(SEPARATE).partition("\n")[0].strip("'\"\\") if named else ""
    readers = {word.rpartition("/")[2] for word in (*words, *after.replace("|", " ").split())}
    is_run = not readers.isdisjoint(_SHELLS) or not _RUN_TEXT.isdisjoint(words)
    return last if last.replace("_", "").isalnum() and not last[0].isdigit() and not is_run else ""


def names_in(line: str) -> list[str]:
    """Return the names in a command line by which a memory may mean it, in lower case, besides the known programs.

    They are the programs that it runs, and those of its words that prose does not have: `invoices:send`, `cmd/seed`,
    `--auto-gen-config`. Programs that only read or move files have none.
    """
    names: dict[str, None] = {}
    for command in commands_in(line):
        parts = command.split()
        words = without_prefix(parts)
        if not words or only_shows(words):
            continue
        names |= dict.fromkeys(word for word in parts[: len(parts) - len(words)] if word in _RUNNERS and is_name(word))
        program = words[0].rpartition("/")[2].lower()
        if program in _UTILITIES or is_git(program):
            continue
        if program in PROGRAMS:
            del words[0]
            task = words[0] if program in _WITH_TASKS and words else ""
            if len(task) >= NAME_LETTERS and task.isalpha() and task not in _OWN_TASKS:
                names[task] = None
        elif len(program) >= NAME_LETTERS and program.replace("-", "a").isidentifier():
            names[program] = None
        names |= dict.fromkeys(plain for word in words if is_name(plain := plain_name(word)))
    return list(names)[:NAMES_AT_MOST]


def plain_name(word: str) -> str:
    """Return a word in lower case, without marks around it and without what says that a path is here: `./cmd/seed`."""
    return word.strip(f"{MARKS}*").lower().removeprefix("./").removeprefix("/").rstrip("/")


def is_name(word: str) -> bool:
    """Return whether a word is the name of a task, a script or an option, and no word of prose, by the signs in it."""
    inner = word.lstrip("-")
    is_one = len(inner) > NAME_LETTERS and not _SIGNS.isdisjoint(inner[1:-1]) and _NO_NAMES.isdisjoint(inner)
    return is_one and any(map(str.isalpha, inner)) and "://" not in inner and (inner == word or word[:2] == "--")
