"""The short forms that programmers write for words, as data: who asks for a directory means ``dir`` as well.

Each row is one meaning: a word and how it is abbreviated in code. They are what style guides and standard libraries
use (POSIX's ``dir``, ``cmd``, ``cwd``; Python's ``args``, ``dict``, ``len``; the web's ``req``, ``auth``); a short form
with several usual meanings is in several rows.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.text.tokens import stems

_ROWS = """
abs absolute; acct account; addr address; app application; arg argument; args arguments; arr array
async asynchronous; attr attribute; attrs attributes; auth authentication; authz authorization; avg average mean
bin binary; bool boolean; btn button; buf buffer; calc calculate; cert certificate; char character
chars characters; cmd command; col column; cols columns; concat concatenate; config configuration conf cfg
conn connection; coord coordinate; ctx context; cur current; curr current; cwd directory; db database
dec decimal; decl declaration; del delete remove; delim delimiter; desc description; dest destination
dst destination; df dataframe; dict dictionary; diff difference; dir directory folder; div divide; doc document
docs documentation; dt datetime; elem element; env environment; enum enumerate; err error; eval evaluate
exc exception; exec execute; expr expression; fmt format; freq frequency; func function fn def; gen generate
grp group; hex hexadecimal; hr hour; id identifier; idx index; img image; impl implementation; info information
init initialize; int integer; iter iterate iterator; k8s kubernetes; lang language; len length size; lib library
loc location; lst list; mat matrix; max maximum; min minimum; mkdir directory; ms milliseconds; msg message
mul multiply; nav navigation; num number; obj object; opt option; opts options; param parameter
params parameters; passwd password; perm permission; pid process; pkg package; pos position; prev previous
prob probability; proc process; prop property; props properties; ptr pointer; pwd password; rand random
rnd random; ref reference; regex regexp; repo repository; req request; res response; resp response; resp reply
rm remove; sec second; secs seconds; sep separator; seq sequence; sig signature; sock socket; spec specification
sqrt square root; src source; srv server; stat statistics; stats statistics; std standard; stddev deviation
stmt statement; str string; sub subtract; svc service; sync synchronize; temp temporary; tmp temporary temp
ts timestamp; txn transaction; uid user; uniq unique; usr user; util utility; utils utilities; val value
var variable; vec vector; win window
"""


@lru_cache(maxsize=1)
def _variants() -> dict[str, set[str]]:
    """Return by analysed term the terms that mean the same."""
    found: dict[str, set[str]] = {}
    for row in _ROWS.replace("\n", ";").split(";"):
        same = stems(row.split())
        for term in same:
            found.setdefault(term, set()).update(same)
    return found


def variants(term: str) -> list[str]:
    """Return the analysed terms that are short or long for an analysed term, sorted; may be empty."""
    return sorted(_variants().get(term, {term}) - {term})
