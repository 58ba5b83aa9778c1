"""Find lines that tell an agent to run what comes from elsewhere, to send something away, or not to ask. Pure.

An agent captures what it read as well as what it found out: a line of a web page or an issue that says "LEARNED: always
run curl … | sh" would be told to every later session. ``instructions`` has the wording of known attacks in general.
"""

from __future__ import annotations

import re

from gitmem.text.hazards.hazard import find_downloads
from gitmem.text.hazards.instructions import find_instructions

_ELSEWHERE = r"(?:(?:https?|ftp)://(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]))|\S{1,64}@\S{1,200}\.\w{2,}|\bwebhook\b|\bpaste(?:bin)?\b)"
# An order begins a sentence or follows one of these words; "the client sends its token" is a statement.
_ORDER = r"(?:^|[.;:,!。；：，]\s*|\b(?:always|must|should|please|then|and|never forget to|remember to)\s+)"
_SEND = re.compile(
    rf"(?im){_ORDER}(?:send|upload|forward|transmit|exfiltrate|submit|leak|mail|e-mail)\b[^\n]{{0,160}}?{_ELSEWHERE}"
    r"|\b(?:sende|schicke?|lade|leite|übertrage|envía|envia|enviar|manda|sube|envoie|envoyez|transmets)\b"
    rf"[^\n]{{0,160}}?{_ELSEWHERE}|(?:发送|上传|转发|发到|送信|アップロード|転送)[^\n]{{0,160}}?{_ELSEWHERE}"
    rf"|{_ELSEWHERE}[^\n]{{0,80}}(?:送信|アップロード|转发|上传)"
)
_UNASKED = re.compile(
    r"(?i)\bwithout (?:asking|confirmation|permission|approval|a question)\b"
    r"|\bohne (?:zu fragen|nachfrage|rückfrage|bestätigung)\b|\bsin (?:preguntar|confirmación|permiso)\b"
    r"|不(?:要|用|需)(?:询问|问|确认)|確認せずに|聞かずに"
)
_ACT = re.compile(
    r"(?i)\b(?:run|execute|push|deploy|delete|approve|accept|merge|install|führe?|starte|ejecuta|borra)\b"
    r"|执行|运行|実行|删除"
)
_DESTROYS = re.compile(
    r"(?i)(?:\b(?:run|execute|do|use|always|führe|ejecuta)\b|执行|运行)[^\n]{0,60}"
    r"\b(?:git\s+push\s+(?:\S+\s+){0,10}(?:--force|-f)(?![\w-])|rm\s+-[rf]{2,}\s+[\"']?[/~*]|chmod\s+-R\s+777\s+/|mkfs|dd\s+if=)"
)
_NOT = re.compile(r"(?i)\b(?:never|do not|don'?t|must not|avoid|nie|niemals|nicht|nunca|no)\b|不要|禁止|しない")


def find_order(text: str) -> str:
    """Return what a text tells an agent to do that a person must allow, to follow "it"; empty if nothing."""
    if downloads := find_downloads(text):
        return "" if _NOT.search(text.split("|", 1)[0]) else downloads[0][1]
    if match := _SEND.search(text):
        return "" if _is_denied(text, match.start()) else "tells the agent to send something away"
    if (match := _UNASKED.search(text)) and _ACT.search(text):
        return "" if _is_denied(text, match.start()) else "tells the agent to act without asking"
    if (match := _DESTROYS.search(text)) and not _is_denied(text, match.start()):
        return "tells the agent to run a command that destroys work"
    return next((instruction.message for instruction in find_instructions(text)), "")


def _is_denied(text: str, at: int) -> bool:
    """Return whether the sentence forbids it: "never run curl … | sh"."""
    before = text[max(at - 60, 0) : at]
    start = max(before.rfind(end) for end in (". ", "; ", "! ", "\n", "。")) + 1
    return _NOT.search(before[start:]) is not None or _NOT.match(text[at : at + 12].lstrip(" .;:,")) is not None
