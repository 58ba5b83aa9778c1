"""A text in a file for the user's editor; the file is kept if the changes cannot be written."""

from __future__ import annotations

from gitmem.errors import GitmemError, RefusedError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from gitmem.repository import OpenRepository


@frozen
class EditorFile:
    """A file to edit.

    Attributes:
        path: The file.
        command: The editor, as a shell command.
    """

    path: Path
    command: str

    @classmethod
    def with_text(cls, repository: OpenRepository, text: str, *, suffix: str) -> Self:
        """Write a text to a new file.

        Args:
            repository: The repository, whose ``core.editor`` may name the editor.
            text: The text.
            suffix: The end of the file's name.
        """
        import tempfile
        from pathlib import Path

        from gitmem.system.environment import editor

        command = editor() or repository.git.config_value("core.editor") or "vi"
        with tempfile.NamedTemporaryFile("w+", suffix=suffix, delete=False, encoding="utf-8") as file:
            file.write(text)
        return cls(Path(file.name), command)

    def open_editor(self) -> None:
        """Open the file in the editor, and wait until it exits."""
        from gitmem.system import process

        # The shell must survive a Ctrl-C that the editor handles; a trap does that, and children do not inherit it.
        script = f'trap : INT QUIT; {self.command} "$1"'
        process.run_interactive(["sh", "-c", script, "sh", str(self.path)], what="the editor")

    def read(self, what: str) -> str:
        """Return the edited text.

        Args:
            what: What it is the text of, for the error.

        Raises:
            RefusedError: It is not UTF-8.
        """
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as err:
            raise RefusedError(f"{what}: the edited file is not valid UTF-8: {err}") from err

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def name_in(self, err: GitmemError) -> None:
        """Add the name of the file to an error."""
        err.hint = f"your text is in {self.path}\n{err.hint}".strip()
