"""Find what agents may obey in a text: markers of chats, tags, comments and images."""

from __future__ import annotations

from gitmem.text.fence import TAG


def find_spoken(text: str, *, at_most: int = 5) -> list[tuple[int, str]]:
    """Return text that agents may not treat as plain text: chat markers, tags that they obey, comments, images.

    Fewer things than ``inject`` neutralizes: people write ``git <command>``, which is no reason to stop a change.

    Returns:
        The line, from 1, and a description for people; one per line, at most *at_most*.
    """
    if not any(sign in text for sign in ("<", "![", "INST]")):
        return []
    lines = enumerate(text.split("\n"), 1)
    return [(number, message) for number, line in lines if (message := _spoken_in(line))][:at_most]


def _spoken_in(line: str) -> str:
    import re

    if "<!--" in line:
        return "an HTML comment, which is invisible on a page"
    if re.search(r"<(?=[|\uff5c])|\[/?INST\]", line):
        return "a marker of a chat format"
    names = (match.group(1) for match in re.finditer(TAG, line))
    tag = next((name for name in names if any(part in name.lower() for part in _OBEYED)), "")
    if tag:
        return f"the tag <{tag}>"
    return "an image, which sends a request when it is displayed" if "![" in line else ""


# Those of them that never occur in placeholders of prose.
_OBEYED = ("system", "assistant", "instruct", "antml", "invoke", "remind", "start_of", "end_of", "im_start", "im_end")
