"""Remove home folders from texts for others: such a path reveals a person's name and is useless elsewhere. Pure."""

from __future__ import annotations

import re

# The home folders of Linux, macOS and Windows, as programs print them.
_HOME = re.compile(
    r"(?<![\w./~-])(?:/(?:home|Users)/[^/\s\"'`:;,()<>|&\\]+|/root(?=/)|[A-Za-z]:\\Users\\[^\\/\s\"'`:;,()<>|&]+)"
)


def shorten(text: str, *, top: str = "", home: str = "") -> str:
    """Return a text in which paths of the work tree are relative, and home folders are ``~``.

    Args:
        text: The text.
        top: The work tree, absolute; or empty.
        home: The person's home folder, absolute; or empty.
    """
    if "/" not in text and "\\" not in text:
        return text
    for folder, inside, itself in ((top, "", "."), (home, "~/", "~")):
        if len(folder) > 1:
            named = rf"(?<![\w./~-]){re.escape(folder)}"
            text = re.sub(rf"{named}/(?=\w|\.)", inside, text)
            text = re.sub(rf"{named}(?![\w.-])", itself, text)
    return _HOME.sub("~", text)
