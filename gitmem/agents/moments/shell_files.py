"""Find the files that a shell command reads and changes, from its words; nothing is run. Pure.

A script that a command runs (``python - <<EOF``, ``git apply``) may change files that its words do not tell: the caller
compares the work tree then.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.capture.shell import ShellCommand

# The programs that show files, and their options that take a value.
READERS = {
    "cat": (),
    "bat": ("-l", "-H", "-r"),
    "head": ("-n", "-c"),
    "tail": ("-n", "-c", "-s"),
    "less": ("-p", "-P"),
    "more": (),
    "nl": ("-b", "-f", "-h", "-i", "-w", "-s", "-v"),
    "view": (),
}
# The programs that search files: the first word is the pattern, unless an option gives it.
SEARCHERS = dict.fromkeys(
    ("grep", "egrep", "fgrep", "rg", "ag"),
    ("-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T", "--include", "--exclude"),
)
PATTERNS = ("-e", "--regexp", "-f", "--file")
# The programs that run a script of their own, with the option that holds it.
SCRIPTED = {
    **dict.fromkeys(("python", "python3"), "-c"),
    **dict.fromkeys(("node", "ruby", "perl", "bun"), "-e"),
    "php": "-r",
}
RUNNERS = ("sudo", "env", "command", "time", "nice", "nohup", "exec", "uv", "run", "poetry", "pipenv", "npx")
PATCHES = ("+++ ", "*** Update File: ", "*** Add File: ", "*** Move to: ", "rename to ")
DEVICES = ("/dev/", "/proc/", "&")
# Words without one of these need not be parsed: most command lines touch no file that matters here.
_SIGNS = frozenset((*READERS, *SEARCHERS, *SCRIPTED, "sed", "tee", "patch", "apply", "am", "apply_patch", "applypatch"))
_OPERATORS_AS_SPACES = str.maketrans("|&;()\n\"'`", "         ")
_QUOTED = str.maketrans("\"'`()[]{},=", "           ")
FILES_AT_MOST = 20


@frozen
class TouchedFiles:
    """The files of one command line, as it names them, relative to the folder that it runs in.

    Attributes:
        reads: The files that are shown.
        edits: The files that are written.
        named: Words of scripts that may be files, which count if they were changed.
        is_open: Whether files that are not named may have been changed.
    """

    reads: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    is_open: bool = False

    def __bool__(self) -> bool:
        """Return whether there may be any."""
        return bool(self.reads or self.edits or self.named or self.is_open)


def may_touch_files(line: str) -> bool:
    """Return whether a command line may read or write a file that its words tell, judging by its words."""
    plain = line.replace("2>&1", "").replace(">/dev/null", "").replace("> /dev/null", "")
    return ">" in plain or not _SIGNS.isdisjoint(
        word.rpartition("/")[2] for word in line.translate(_OPERATORS_AS_SPACES).split()
    )


def touched_files(line: str) -> TouchedFiles:
    """Return the files of a command line; none if it is not valid shell syntax."""
    from gitmem.agents.capture.shell import list_commands  # most lines touch no file

    reads: list[str] = []
    edits: list[str] = []
    named: list[str] = []
    is_open, folder = False, ""
    for command in list_commands(line):
        program, words = _program_of([word.text for word in command.words if word.is_known])
        if program == "cd" and words:
            folder = _inside(folder, words[-1])
        edits += [_inside(folder, word.text) for word in command.writes if word.is_known and not _is_device(word.text)]
        if command.reads is not None and command.reads.is_known and not _is_device(command.reads.text):
            reads.append(_inside(folder, command.reads.text))
        shown, written = _files_of(program, words)
        reads += [_inside(folder, path) for path in shown]
        edits += [_inside(folder, path) for path in written]
        patched = _patched(program, words, command)
        script = _script(program, words, command)
        edits += [_inside(folder, path) for path in patched]
        named += [_inside(folder, word) for word in _words_of(script)]
        is_open = is_open or bool(script) or (_is_patch(program, words) and not patched)
    return TouchedFiles(_first(reads), _first(edits), _first(named), is_open)


def _first(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path and path != "-"))[:FILES_AT_MOST]


def _inside(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder and path and not path.startswith(("/", "~")) else path


def _is_device(path: str) -> bool:
    return not path or path.startswith(DEVICES) or path.isdigit()


def _program_of(words: list[str]) -> tuple[str, list[str]]:
    """Return the program that is finally run, without its folder, and its arguments."""
    while words:
        name, rest = words[0].rpartition("/")[2], words[1:]
        is_assignment = "=" in words[0] and words[0].partition("=")[0].replace("_", "a").isalnum()
        if name == "timeout":
            rest = rest[1:]
        elif not is_assignment and name not in RUNNERS:
            return name, rest
        words = rest
    return "", []


def _files_of(program: str, words: list[str]) -> tuple[list[str], list[str]]:
    """Return the files that a command shows and writes by its arguments."""
    if program in READERS:
        return _plain(words, READERS[program]), []
    if program in SEARCHERS:
        plain = _plain(words, SEARCHERS[program])
        has_pattern = any(word.startswith(PATTERNS) for word in words)
        return plain[0 if has_pattern else 1 :], []
    if program == "sed" or (program == "perl" and any(_is_in_place(word) for word in words)):
        has_script = any(word in ("-e", "-f") or word.startswith(("--expression", "--file")) for word in words)
        files = _plain(words, ("-e", "-f", "-l"))[not has_script :]
        return ([], files) if any(_is_in_place(word) for word in words) else (files, [])
    if program == "tee":
        return [], _plain(words, ())
    return [], []


def _is_in_place(word: str) -> bool:
    is_short = word.startswith("-") and not word.startswith("--") and "i" in word.partition(".")[0]
    return word.startswith("--in-place") or is_short


def _plain(words: list[str], valued: tuple[str, ...]) -> list[str]:
    """Return the arguments that are neither options nor values of options."""
    found, at, is_end = [], 0, False
    while at < len(words):
        word = words[at]
        if word == "--" and not is_end:
            is_end = True
        elif word.startswith("-") and len(word) > 1 and not is_end:
            at += word in valued
        else:
            found.append(word)
        at += 1
    return found


def _is_patch(program: str, words: list[str]) -> bool:
    return program in ("patch", "apply_patch", "applypatch") or (program == "git" and words[:1] in (["apply"], ["am"]))


def _patched(program: str, words: list[str], command: ShellCommand) -> list[str]:
    """Return the files that a patch in the command line itself changes."""
    if not _is_patch(program, words):
        return []
    texts = [command.fed.text if command.fed is not None else "", *(word for word in words if "\n" in word)]
    paths = []
    for line in "\n".join(texts).splitlines():
        for sign in PATCHES:
            if line.startswith(sign):
                path = line[len(sign) :].partition("\t")[0].strip()
                paths.append(path.removeprefix("b/") if sign == "+++ " else path)
    return [path for path in paths if path != "/dev/null"]


def _script(program: str, words: list[str], command: ShellCommand) -> str:
    """Return the script that an interpreter is given on its command line or on its input."""
    name = program.rstrip("0123456789.") or program
    option = SCRIPTED.get(program, SCRIPTED.get(name))
    if option is None:
        return ""
    inline = next((words[at + 1] for at, word in enumerate(words[:-1]) if option and word == option), "")
    is_input = not _plain(words, (option,)) or "-" in words
    return inline or (command.fed.text if command.fed is not None and is_input else "")


def _words_of(script: str) -> list[str]:
    """Return the words of a script that may be paths of files."""
    words = script[:20_000].translate(_QUOTED).split()
    return [word for word in words if ("/" in word or "." in word) and word.rpartition("/")[2].strip(".")]
