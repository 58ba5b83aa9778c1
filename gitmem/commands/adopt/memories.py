"""Turn an adoption into memories: claims for what was checked, others for clear rules, warnings and decisions.

Pure. The title of a claim is what its check proves; its sentence, which says more than that a name is there, is the
body. Each memory contains a hash of its sentence, which distinguishes a moved sentence from an edited one.
"""

from __future__ import annotations

import re
from hashlib import sha256

from gitmem.commands.adopt.claims.claim import SYMBOL, VALUE, is_log
from gitmem.commands.adopt.claims.symbols import tied_paths
from gitmem.commands.adopt.dated_sections import split_current
from gitmem.commands.adopt.documents import DECISION, INSTRUCTIONS
from gitmem.commands.adopt.findings import FALSE, NEVER
from gitmem.commands.adopt.kinds import claims_of
from gitmem.commands.adopt.statements import BULLET, SENTENCE
from gitmem.document.builtin_checks import words_of
from gitmem.document.check_values import IN, OR_IN
from gitmem.document.decisions import read_records
from gitmem.document.sources.address import format_key, parse_address
from gitmem.document.spec import format_check
from gitmem.frozen import frozen, replace
from gitmem.model import ADOPTED, BUILTIN, FAILS, HOLDS, Check
from gitmem.text.globs import path_of
from gitmem.text.slugs import hashed_slug, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Adoption, JudgedClaim
    from gitmem.commands.adopt.statements import Statement
    from gitmem.document.decisions import DecisionRecord

# The field with the hash of the sentence, and the tag of all adopted memories.
SENTENCE_FIELD, TAG = "sentence", "adopted"
# Marks facts retired because their sentence is gone: unlike forgotten ones, they come back with the sentence.
BY, GONE, IGNORED = "gitmem adopt", "its document no longer says so", "a comment in its document says to ignore it"
TITLE_LIMIT = 160
# The most characters of a sentence in the body of its claim.
QUOTED = 1000
# The length of a rule: shorter ones are fragments, longer ones are paragraphs about several things.
WORDS = range(4, 60)
# The hexadecimal digits in a key; and how many it had in earlier versions, after the kind and a slug of this length.
_DIGEST = 8
_FORMER_LIMIT, _FORMER_DIGEST = 40, 10
_WARNING = re.compile(
    r"^(?:\[!(?:warning|caution)\]|(?:warning|caution|gotcha|pitfall|beware|watch out|be careful)\b)", re.I
)
# Words of a rule. After another subject than "you" or "we", "always" and "do not" describe: "they don't go stale". So
# does "must" of the product's users and of what has happened. A question is not a rule, nor is the word of a glossary.
_DESCRIBED = r"(?:need|have|know|think|want|care|mind|like|mean|worry|hesitate|panic|be (?:afraid|shy|surprised))"
# What one uses over another: code, or one or two words without an article.
_TOOL = r"(?:`[^`]{1,60}`|(?!(?:the|this|these|that|a|an|your|it|all|each)\b)[\w./+#-]{1,40}(?: [\w./+#-]{1,40})?)"
_NORM = re.compile(
    r"(?<!user )(?<!users )(?<!client )(?<!clients )(?<!customers )\bmust\b(?! have been| be one of)|\bshall\b|"
    rf"\b(?-i:Never|Always|NEVER|ALWAYS|(?:Do not|DO NOT|Don['’]t)(?! {_DESCRIBED}\b))\b(?![^.!?]{{0,80}}\?(?:\s|$))|"
    r"(?:^|[.!?;:,(—–‐-]|\b(?:and|but|or|then|please|so|also|just|instead|should|may|is|are|be|to|you|we|only))"
    rf"[\s*_`\"'“]{{0,5}}+(?:never|(?<!is )(?<!are )always|(?:do not|don['’]t)(?! {_DESCRIBED}\b))\b"
    r"(?![^.!?]{0,80}\?(?:\s|$))|"
    r"^(?:please )?(?:prefer|avoid|ensure|make sure(?! you(?:['’]re| are| have)\b)|be sure to"
    r"|stick to|refrain from|favou?r|keep(?! in mind))\b(?!-| ?[:=]| [-–—] | (?:is|was|are|were) )|"
    r"^(?:please )?use\b(?! ?[:=])[^.!?]{0,80}(?:, (?:not|never)|\b(?:instead of|rather than))\b|"
    rf"^(?:please )?use {_TOOL} over {_TOOL}|"
    r"(?<!that )(?<!what )(?<!which )\bshould (?:be (?!able)\w+(?:ed|en|t)|not|only)\b|"
    r"\bshouldn['’]t\b|\b(?:you|we) should (?!be|see|now|find|get|have|consider)\w|"
    r"\b(?:is|are) (?:strictly )?(?:forbidden|prohibited|mandatory|not (?:allowed|permitted|accepted))\b|"
    r"\bwill (?:not|never) be (?:merged|accepted|reviewed)\b(?! by (?!(?:the |our )?(?:maintainers|reviewers|team)\b))|"
    r"^only [\w ]{1,40} may\b|"
    r"\bha(?:s|ve) to be \w+(?:ed|en|t)\b",
    re.I,
)
_LEADING = re.compile(r"^(?:[\s>│├└─|+#•]|[-*+](?=\s)|\d{1,3}[.)](?=\s)|\[[ xX]\](?=\s)|[⚠️❗🚨]+)+")


@frozen
class Proposal:
    """One memory that may be written.

    Attributes:
        key: Its key, the same in every run.
        former: The key that earlier versions gave it.
        document: The document with the statement.
        lines: The lines of the statement.
        fields: Its frontmatter, without fields that a writer fills in.
        body: Its body.
        outcome: The required answer of its check at the judged commit; empty without a check.
        symbol: The name that it claims is in the code; empty for other statements.
        is_plain_word: Whether that name is a common word, such as ``main``.
        culprit: The commit that made it false, if known.
        sentence: The sentence as a title: that of a claim written before titles said what is proved.
    """

    key: str
    former: str
    document: str
    lines: tuple[int, ...]
    fields: Mapping[str, Any]
    body: str
    outcome: str = ""
    symbol: str = ""
    is_plain_word: bool = False
    culprit: str = ""
    sentence: str = ""

    @property
    def symbol_check(self) -> Mapping[str, str] | None:
        """Return the check for a definition of the name, derived from a check for the word."""
        check = self.fields.get("verify", {})
        if not self.symbol or "contains" not in check:
            return None
        return {"symbol": self.symbol, **{name: check[name] for name in (IN, OR_IN)}}

    def under(self, keys: Mapping[str, str]) -> Proposal:
        """Return the proposal, and its links to others, with other keys."""
        older = [keys.get(key, key) for key in self.fields.get("supersedes", ())]
        links = {"supersedes": older} if older else {}
        if newer := self.fields.get("superseded_by"):
            links["superseded_by"] = keys.get(newer, newer)
        return replace(self, key=keys.get(self.key, self.key), fields={**self.fields, **links})

    def with_check(self, check: Mapping[str, Any]) -> Proposal:
        """Return the proposal with another check, and the title that says what this proves."""
        return replace(self, fields={**self.fields, "title": title_of_check(check), "verify": dict(check)})

    @property
    def refs(self) -> list[str]:
        """Return its references, as its frontmatter has them."""
        return [f"{self.document}:{line}" for line in self.lines]


def proposals_of(adoption: Adoption, decisions: Mapping[str, str]) -> list[Proposal]:
    """Return the proposals, one per key, given the texts of the decision records by path."""
    proposals: dict[str, Proposal] = {}
    for proposal in (*_facts(adoption.findings), *_rules(adoption.unchecked), *_decisions(decisions)):
        known = proposals.get(proposal.key)
        proposals[proposal.key] = (
            proposal if known is None else replace(known, lines=tuple(sorted({*known.lines, *proposal.lines})))
        )
    return list(proposals.values())


def hash_of(text: str) -> str:
    """Return the hash that identifies a sentence, wherever it is and however it is wrapped."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def title_of(text: str) -> str:
    """Return a sentence without list, table or tree markers, truncated."""
    plain = " ".join(_LEADING.sub("", text).replace("**", "").split()).rstrip("| ")
    return _shorten(plain)


def _shorten(text: str) -> str:
    return text if len(text) <= TITLE_LIMIT else f"{text[: TITLE_LIMIT - 1].rstrip()}…"


def _keys(kind: str, words: str, *parts: str) -> tuple[str, str]:
    """Return the key of a memory, from its words and what identifies it, and the key that earlier versions gave it."""
    digest, named = hash_of("\0".join(parts)), slug(words, limit=_FORMER_LIMIT)
    key = hashed_slug(words, digest[:_DIGEST], otherwise=kind)
    return key, "-".join(filter(None, (kind, named, digest[:_FORMER_DIGEST])))


def keys_of_claim(claim: Claim, path: str, sentence: str) -> tuple[str, str]:
    """Return the key of the fact for a claim, given its document and the hash of its sentence, and its former key."""
    return _keys(ADOPTED, claim.token, path, sentence, claim.kind, claim.name, claim.stated)


def find_statement(text: str, document: Document, key: str, fields: Mapping[str, Any]) -> int:
    """Return the line where a document states an adopted fact, in the same words or in others; 0 if it does not.

    A statement that a comment says to ignore does not count.

    Args:
        text: The text of the document.
        document: The document, by the name that it had when the fact was written.
        key: The key of the fact.
        fields: Its frontmatter, with the hash of the sentence that it was written for, and its check.
    """
    sentence, home = str(fields.get(SENTENCE_FIELD, "")), _home_of(fields.get("verify"))
    statements = split_current(document, text)[0]
    same = (statement.line for statement in statements if hash_of(statement.text) == sentence)
    other = (
        claim.line
        for statement in statements
        for claim in claims_of(statement, document)
        if key in keys_of_claim(claim, document.path, sentence)
        and (not home or _says_home(statement, claim, home, document))
    )
    return next(same, 0) or next(other, 0)


def sentences_of(text: str, document: Document) -> frozenset[str]:
    """Return the hashes of a document's statements."""
    return frozenset(hash_of(statement.text) for statement in split_current(document, text)[0])


def _home_of(check: object) -> str:
    """Return the one file that has to define the name of a check; empty for a check of something else."""
    is_tied = isinstance(check, dict) and "symbol" in check and not check.get(OR_IN)
    return path_of(check.get(IN, "")) if is_tied and isinstance(check, dict) else ""


def _says_home(statement: Statement, claim: Claim, home: str, document: Document) -> bool:
    """Return whether a statement says that a name is in a file: in another, it is another fact."""
    tied = tied_paths(statement, claims_of(statement, document))
    return any(name == claim and (home in path.places or f"/{home}".endswith(f"/{path.name}")) for name, path in tied)


def title_of_check(check: Mapping[str, Any]) -> str:
    """Return what a check of ``adopt`` proves, as a title."""
    return _shorten(_said(check))


def _said(check: Mapping[str, Any]) -> str:
    where = "the code" if check.get(OR_IN) else f"`{path_of(check.get(IN, ''))}`"
    match check:
        case {"exists": path}:
            return f"`{path}` exists"
        case {"symbol": name}:
            return f"`{name}` is defined in {where}"
        case {"contains": text}:
            return f"`{text}` occurs in {where}"
        case {"matches": expression}:
            return f"{where} matches `{expression}`"
        case {"lacks": text}:
            return f"`{text}` does not occur in {where}"
        case {"script": name}:
            return f"{where} defines `{name}`"
        case {"depends": name, "at": version}:
            return f"{where} lists `{name}` at {version}"
        case {"depends": name}:
            return f"{where} lists `{name}`"
        case {"value": place}:
            address = parse_address(place)
            subject = f"`{format_key(address.keys)}` in `{address.path}`" if address.keys else f"`{place}`"
            return f"{subject} is {check['is']}" if "is" in check else f"{subject} is within {check['within']}"
        case _:
            return format_check(Check(BUILTIN, words_of(check)))


def context_of(document: str, section: str, text: str) -> str:
    """Return the body of a claim: where its sentence is, and what it says."""
    plain = " ".join(_LEADING.sub("", text).split())
    return f"{document}{f', section {section},' if section else ''} says:\n\n> {plain[:QUOTED]}"


def withheld_of(findings: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Return what holds in sentences that are false in part: until these are corrected, they support nothing."""
    false = {
        (finding.document.path, line)
        for finding in findings
        if finding.verdict == FALSE or finding.is_contradicted
        for line in _lines_of(finding)
    }
    return [
        finding
        for finding in findings
        if finding.verdict != FALSE
        and finding.check is not None
        and any(
            (finding.document.path, line) in false for line in range(finding.statement.line, finding.statement.last + 1)
        )
    ]


def supporting(findings: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Return the findings with a check that may become facts."""
    withheld = {id(judged) for judged in withheld_of(findings)}
    return [
        finding
        for finding in findings
        if finding.check is not None and finding.verdict != NEVER and id(finding) not in withheld
    ]


def _facts(findings: Sequence[JudgedClaim]) -> Iterator[Proposal]:
    valued = {
        (id(judged.statement), judged.claim.name) for judged in findings if judged.claim.kind == VALUE and judged.check
    }
    for finding in supporting(findings):
        claim, path, statement = finding.claim, finding.document.path, finding.statement
        assert finding.check is not None
        if claim.kind == SYMBOL and finding.verdict != FALSE and (id(statement), claim.name) in valued:
            continue  # the check of the value finds the name as well
        sentence = hash_of(statement.text)
        yield Proposal(
            *keys_of_claim(claim, path, sentence),
            path,
            _lines_of(finding),
            {"kind": ADOPTED, "tags": [TAG], SENTENCE_FIELD: sentence},
            context_of(path, statement.section, statement.text),
            outcome=FAILS if finding.verdict == FALSE else HOLDS,
            symbol=claim.name if claim.kind == SYMBOL else "",
            culprit=finding.culprit.commit if finding.culprit else "",
            is_plain_word=claim.kind == SYMBOL and not claim.is_certain and claim.name.isalpha(),
            sentence=title_of(statement.text) or claim.token,
        ).with_check(finding.check)


def _lines_of(finding: JudgedClaim) -> tuple[int, ...]:
    return tuple(sorted({finding.claim.line, *finding.more}))


def _rules(unchecked: Iterable[tuple[Document, Statement]]) -> Iterator[Proposal]:
    for document, statement in unchecked:
        kind = rule_kind(document, statement)
        if kind:
            text, sentence = " ".join(_LEADING.sub("", statement.text).split()), hash_of(statement.text)
            title = title_of(statement.text)
            fields = {"title": title, "kind": kind, "tags": [TAG], SENTENCE_FIELD: sentence}
            body = text if title != text else ""
            keys = _keys(kind, title, document.path, sentence)
            yield Proposal(*keys, document.path, (statement.line,), fields, body)


def rule_kind(document: Document, statement: Statement) -> str:
    """Return the kind of memory for an uncheckable statement; empty if it is not a clear rule.

    Only rules in instructions and CONTRIBUTING count; a README is for people who use the code.
    """
    is_contributing = document.path.rpartition("/")[2].lower().startswith("contributing")
    if statement.kind not in (BULLET, SENTENCE) or not (document.kind == INSTRUCTIONS or is_contributing):
        return ""
    text = " ".join(_LEADING.sub("", statement.text).replace("**", "").split())
    if len(text.split()) not in WORDS or text.endswith((":", "?")) or is_log(statement.section, text):
        return ""
    return "gotcha" if _WARNING.match(text) else "convention" if _NORM.search(text) else ""


def _is_followed(path: str, records: Mapping[str, DecisionRecord]) -> bool:
    """Return whether a decision is current, or was superseded by one that is, or by one that was superseded in turn."""
    seen: set[str] = set()
    while path and path not in seen and not records[path].is_current:
        seen.add(path)
        path = records[path].superseded_by
    return path not in ("", *seen)


def _decisions(texts: Mapping[str, str]) -> Iterator[Proposal]:
    every = read_records(texts)
    records = {path: decision for path, decision in every.items() if decision.title and _is_followed(path, every)}
    every_key = {path: _keys(DECISION, record.title, path) for path, record in records.items()}
    keys = {path: key for path, (key, _) in every_key.items()}
    for path, record in records.items():
        newer = keys.get(record.superseded_by, "")
        older = [keys[other] for other, one in records.items() if one.superseded_by == path]
        fields: dict[str, Any] = {"title": title_of(record.title), "kind": DECISION, "tags": [TAG]}
        fields |= {"supersedes": older} if older else {}
        fields |= {"superseded_by": newer} if newer else {}
        fields |= {"status": record.status} if record.status else {}
        fields |= {"created": f"{record.date}T00:00:00Z"} if record.date else {}
        fields[SENTENCE_FIELD] = hash_of(texts[path])
        yield Proposal(*every_key[path], path, (record.line,), fields, record.decision)
