"""Recognize a marked line that says nothing: "nothing new", "all tests pass now", the words of a template. Pure."""

from __future__ import annotations

import re
import unicodedata

# A line made of these alone says that there is nothing to say. In lower case, without accents.
_LINES = (
    # English
    "a an the all any i we it its this that these those there here was were is are be been has have had no none",
    "nothing new newly noteworthy notable special specific particular significant important interesting unusual",
    "additional further more else to of in on for from during at as so with by now today yesterday yet still",
    "session task turn work change changes test tests suite build lint linter pass passes passed passing green",
    "succeed succeeds succeeded successful successfully ok okay fine done complete completed finished works working",
    "worked expected fix fixed fixes bug bugs issue issues problem problems resolved solved implemented updated",
    "made learn learned learning learnings lesson lessons decision decisions decided needed required record",
    "recorded report note found happened applicable n na everything out and",
    # German
    "nichts neues neue neuen kein keine keinen alle der die das dem ein eine sind ist jetzt nun grun laufen lauft",
    "durch erfolgreich fertig erledigt heute besonderes besonderen weiteres weiteren gelernt erkenntnis",
    "erkenntnisse entscheidung entscheidungen dieser sitzung es gab gibt wurde wurden behoben fehler und nach wie",
    "vor",
    # Spanish, French, Portuguese, Italian
    "nada nuevo nueva nuevos nuevas ninguno ninguna ningun hoy todas todos las los el la prueba pruebas pasan pasa",
    "verde sin novedad novedades cambio cambios aprendido esta sesion error corregido se ha han rien de nouveau",
    "aucun aucune les le tests passent passe maintenant tous toutes ras novo nova nenhum nenhuma nessuno nessuna",
    "niente nuovo oggi",
)
_EMPTY = frozenset(word for line in _LINES for word in line.split())
# What a line of other words than these was copied from: the words of templates and of this program's own documents.
_TEMPLATE = re.compile(
    r"one sentence that a later session needs"
    r"|(?:what|the thing|something) (?:you|we|i|was) (?:have )?(?:just )?learn(?:ed|t)(?: here| goes here)?"
    r"|(?:your|the|a) (?:key )?(?:insight|learning|lesson|decision)s?(?: (?:here|goes here|text))?"
    r"|(?:describe|insert|add|write|put) (?:the|your|an?|what) .{0,40}|(?:one|a) (?:line|sentence)(?: summary)?"
    r"|lorem ipsum.*|text|example|todo|tbd|x{3,9}|foo|bar|was (?:du|sie) gelernt ha(?:st|ben)"
    r"|lo que aprendiste|学到的内容"
)
_UNSPACED = re.compile(
    r"(?:暂时?|目前|本次|今天|这次)?(?:无|没有|暂无|没什么)(?:新的?|任何|特别的?|其他)?"
    r"(?:内容|经验|发现|收获|学习|知识|决定|变化|问题)?"
    r"(?:可记录的?)?"
    r"|(?:所有|全部)?(?:的)?测试(?:都|现在|已经|均)*(?:已)?通过(?:了)?"
    r"|(?:特に|新しい(?:学び|こと|発見)は?|今回は?)*(?:なし|無し|ありません|ない|ありませんでした)"
    r"|(?:すべて|全て)?(?:の)?テスト(?:は|が)?(?:すべて|全て)?(?:通った|通りました|成功|パス)(?:した|しました)?"
    r"|없음|특별한 것 없음"
)
_LEFT_OPEN = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|\.{2,}|…|-+|\W*")


def is_placeholder(text: str) -> bool:
    """Return whether a marked text says nothing that anyone will look for."""
    line = " ".join(text.split()).strip("*_ ")
    if _LEFT_OPEN.fullmatch(line):
        return True
    plain = line.casefold().strip("\"'“”‘’`<>[](). !…。！-–—")
    if _TEMPLATE.fullmatch(plain) or _UNSPACED.fullmatch(plain):
        return True
    if "`" in line or any(map(str.isdigit, line)):
        return False
    letters = "".join(c for c in unicodedata.normalize("NFD", plain) if not unicodedata.combining(c))
    words = "".join(char if char.isalnum() else " " for char in letters).split()
    return bool(words) and all(word in _EMPTY for word in words)
