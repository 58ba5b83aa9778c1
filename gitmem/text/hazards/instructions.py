"""Find sentences that instruct an agent in ways no memory should, using the words of known attacks on agents' memories.

The classes are those described by OWASP's Agentic AI threats (T1, Memory Poisoning; ASI06) and in reports of such
attacks; the rules are our own. They find plain wording: a text that avoids these words passes, which is why everything
that an agent is shown of memories is also fenced (``text.fence``).

Other people write the searched text, so every pattern runs in linear time (re2, without look-around).
"""

from __future__ import annotations

from functools import cache

from gitmem.frozen import frozen, replace
from gitmem.text.hazards.disguised import undisguise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ERROR, WARNING = "error", "warning"


@frozen
class Instruction:
    """A sentence that instructs an agent.

    Attributes:
        line: Its first line, from 1.
        severity: ``error`` if no honest memory says so; ``warning`` if one might.
        message: What it requests, to follow "it".
    """

    line: int
    severity: str
    message: str


@frozen
class InstructionClass:
    """One class of attacks.

    Attributes:
        name: Its name.
        severity: See ``Instruction``.
        message: What such a sentence requests, to follow "it".
        patterns: Its patterns; a blank matches any run of white space. If one has a group, this is the request.
        unless: Words before it, or its group, that make it honest: "never" before "skip the review".
    """

    name: str
    severity: str
    message: str
    patterns: tuple[str, ...]
    unless: str = ""


# Before a request, these negate it; before a statement, they make it a condition.
_NOT = (
    r"\b(?:not|never|no|don'?t|doesn'?t|won'?t|can'?t|cannot|avoid|without|nor|refuses?|forbid|forbidden|prevents?)\b"
)
# Words that describe a safeguard, or a program's option, instead of a request: "to skip the review, use --force".
_DESCRIBED = rf"{_NOT}|\b(?:to|can|could) $|--\w|# $|\w:\*\* $"
_IF = r"\b(?:if|once|unless|until|when|whenever|after|only|whether|that|before|where)\b"
# Verbs of a request to an agent. Without one, "whatever the user asks" may be about what a program does with input.
_FAVOUR = (
    r"(?:answer|approve|commit|delete|disable|download|execute|fetch|install|merge|post|promote|push|recommend|reply|run"
    r"|say|send|suggest|upload|you (?:must|should|will)|your (?:answer|reply|task)|(?:do not|never) (?:follow|obey))"
)
_WHATEVER = (
    r"\b(?:whatever|no matter what|regardless of what) (?:the |a |your )?(?:users?|humans?|developers?|operators?)"
    r" (?:asks?|says?|wants?|requests?)\b"
)
# How far before a sentence's first word these count, in characters, within the same sentence.
_CHARS_BEFORE = 40
# How many sentences are reported of one text.
AT_MOST = 5

_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|system|developer|original|your|their|other)"
_RULES = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails?|orders|rules|policies|training|restrictions)"
_PEOPLE = r"(?:users?|humans?|reviewers?|developers?|maintainers?|operators?|owners?|team|anyone|anybody|people|person)"
_HIDE = r"(?:tell|inform|notify|alert|mention|reveal|disclose)"
_CONFIDENTIAL = (
    r"(?:secrets?|credentials?|api[\s_-]?keys?|(?:access|auth|session)[\s_-]?tokens?|passwords?|private keys?|ssh"
    r" keys?"
    r"|\.env\b|env(?:ironment)?(?: variables|\b)|~/\.(?:ssh|aws|netrc|gnupg)\S*|id_rsa|conversation|chat history"
    r"|transcripts?|system prompt|session history|source code)"
)
_KEY_FILE = r"(?:~/\.(?:aws/credentials|netrc|pgpass|gnupg)|\bid_(?:rsa|ed25519)(?:[^.\w]|$)|/etc/shadow)"
_AWAY = r"(?:https?://|webhook|paste\S*|gist\b|external|remote (?:server|host)|this address|\S+@\S+\.\w+)"
_SEND = r"(?:send|post|upload|forward|transmit|exfiltrate|leak|e-?mail|mail|append|copy|push|pipe|report)"
_MEMORY = r"(?:memory|memories|notes?|entry|entries|instructions?|rules?|paragraphs?)"
# What a memory calls itself, or what it has the agent do.
_THIS = (
    rf"(?:(?:this|these|the (?:following|above))(?: (?:{_MEMORY}|steps?|changes?|commits?|texts?|messages?|actions?"
    r"|lines?|requests?))?|your (?:actions?|changes?|instructions?|commands?)|what you (?:do|did|find|found|see|send))"
)
_GUARD = (
    r"(?:security|safety|approvals?|permissions?|confirmations?|consent|sandbox(?:ing)?|trust|code reviews?"
    r"|verification)"
)
_PRIVILEGED = r"\byou (?:(?:now )?have root\b|need no (?:confirmation|permission|approval))"
_SAID = r"(?:answer|reply|respond|say|claim|insist|state|assure|pretend|report)"

_CLASSES = (
    InstructionClass(
        "override",
        ERROR,
        "asks to set other instructions aside",
        (
            rf"\b(?:ignor(?:e|ing)|disregard|forget|override|overrule|set aside|no longer (?:obey|follow))"
            rf"(?: \w+){{0,4}} {_EARLIER}(?: \w+){{0,2}} {_RULES}",
            r"\bforget (?:everything|all|anything)(?: that)? you (?:were|have been|know|learned|remember)",
            r"\b(?:takes?|has|have) (?:precedence|priority) over (?:anything|everything|whatever|all|the) "
            r"(?:that )?(?:the )?(?:(?:users?|operators?|developers?) (?:says?|wants?|writes?|asks?|instructions?"
            r"|requests?)"
            r"|(?:users?|operators?|developers?)'s? (?:instructions?|requests?|words)|system prompt|system message)",
            r"\b(?:replaces?|supersedes?|overrides?) (?:all |any )?(?:the |your )?"
            r"(?:system prompt|previous instructions|prior instructions|user's instructions|safety)",
            rf"\b(?:ignor(?:e|ing)|disregard|forget) (?:\w+ ){{0,3}}{_RULES} (?:in|of|from) (?:the )?\W?"
            r"(?:agents|claude|gemini|copilot|contributing|policy|readme|\.cursor)",
            rf"\b{_EARLIER} (?:\w+ ){{0,2}}{_RULES} (?:are|is|were|have been) (?:now |hereby )?"
            r"(?:null|void|lifted|suspended|revoked|cancelled|invalid)\b",
            # The same in other languages: German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish,
            # Russian, Korean, Arabic, Chinese, Japanese. In re2, \b knows only ASCII: none is beside other letters.
            r"\b(?:ignorieren?|vergiss|vergessen|missachten?)(?: sie)? (?:\w+ ){0,2}(?:vorherigen|bisherigen|vorigen"
            r"|obigen|früheren) (?:anweisungen|befehle|regeln|vorgaben)",
            r"\b(?:ignoriert?|ignoriere|vergiss|vergesst|vergessen sie|missachtet?) (?:alle? )?(?:deine|eure|ihre) "
            r"(?:anweisungen|befehle|regeln|vorgaben)",
            r"\b(?:ignor|oubli)(?:e|ez|er) (?:toutes )?(?:les|tes|vos) (?:instructions|consignes|règles) "
            r"(?:précédentes|antérieures)",
            r"\bne (?:tiens|tenez) (?:pas|plus) compte des (?:instructions|consignes|règles)",
            r"\b(?:ignor|olvid|descart|omit)(?:a|e|ar|en) (?:tod[ao]s )?(?:las|los|tus|sus) (?:instrucciones|reglas"
            r"|órdenes|indicaciones) (?:anteriores|previas)",
            r"\b(?:ignore|esqueça|desconsidere) (?:todas )?(?:as|suas|tuas) (?:instruções|regras|ordens) "
            r"(?:anteriores|prévias)",
            r"\b(?:ignora|dimentica)(?:re|te)? (?:tutte )?le (?:istruzioni|regole) (?:precedenti|anteriori)",
            r"\b(?:negeer|vergeet) (?:alle )?(?:eerdere|vorige|voorgaande) (?:instructies|opdrachten|regels)",
            r"\b(?:z?ignoruj|zapomnij) (?:\S+ ){0,2}(?:poprzednie|wcześniejsze|poprzednich) (?:instrukcje|polecenia"
            r"|zasady|instrukcj\w+)",
            r"önceki (?:\S+ )?(?:talimatları|kuralları) (?:yok say|unut|görmezden gel)",
            r"(?:игнорируй|проигнорируй|забудь|отмени)(?:те)? (?:\S+ ){0,2}(?:предыдущие|прежние|вышеуказанные) "
            r"(?:инструкции|указания|правила|команды)",
            r"이전.{0,12}(?:지시|명령|지침|규칙).{0,12}(?:무시|잊)",
            r"تجاهل .{0,24}(?:التعليمات|الأوامر|القواعد)",
            r"(?:忽略|无视|忘记|忘掉).{0,8}(?:指令|指示|说明|规则)",
            r"(?:以前|これまで|前)の(?:指示|命令).{0,6}無視",
            rf"\b(?:ignore|disregard|discard|forget)(?: \w+){{0,3}} {_RULES} (?:that )?you (?:were|have been|had|got)",
            r"\bforget everything (?:above|before|so far|until now)",
            r"\boverrid(?:e|es|ing) the (?:users?|developers?|operators?)'? ?s? (?:preferences?|wishes"
            r"|requests?|settings?)",
            r"\b(?:obey|comply with) (?:the|this|these) (?:\w+ ){0,2}(?:text|note|message|memory|instructions?)\b",
            r"\bhigher priority than (?:the |your )?(?:users?|systems?|developers?|operators?)",
            rf"\b(?:higher priority than|precedence over|priority over) (?:the |your |any )?(?:\w+ )?(?:{_RULES}"
            rf"|requests?|words|wishes) (?:of|from) (?:the |your )?(?:{_PEOPLE}|system)\b",
            rf"\b{_RULES} (?:in|of|from) (?:the )?\W?(?:agents|claude|gemini|copilot|contributing|policy|\.cursor)\S* "
            rf"(?:are|is) [^.\n]{{0,40}}[,;.] (?:please )?(?:follow|obey|use) (?:only |instead |the text )",
            r"\bobey (?:only )?(?:the )?(?:text|note|message|lines) below",
            rf"\bfollow these new {_RULES}",
            rf"\b(?:stop|cease|quit) (?:following|obeying|reading) (?:the |your )?\W?(?:agents\.|claude\.|gemini\."
            rf"|copilot-|\.cursor|{_EARLIER} {_RULES})",
        ),
        unless=_NOT,
    ),
    InstructionClass(
        "impersonation",
        ERROR,
        "speaks as the system, or gives the agent another role",
        (
            r"(?m)^\W*system (?:override|message|notice|alert|update)\b\W*:",
            r"(?m)^\W*\[?system (?:override|message|notice|alert)\]",
            rf"(?m)^\W*system ?: [^\n]{{0,60}}(?:\byou (?:are|must|may|have|can|should)\b|\bignore\b|{_RULES} are)",
            r"\[(?:assistant|human|system)\] (?:sure|ok|okay|done|yes|of course|understood|please|i |you )",
            r"\b(?:treat|regard|consider|read|handle|take) (?:the following|this|these|what follows|the (?:next|text"
            r" below))[^.\n]{0,30} as (?:an? |the )?(?:system|developer|operator|admin\w*) (?:message|prompt"
            r"|instruction|note|command|order)",
            rf"\btreat (?:\w+ ){{0,3}}(?:messages?|texts?|comments?|notes?|requests?)\b[^.\n]{{0,40}} as (?:if|though) "
            rf"(?:they |it |the |your )[^.\n]{{0,20}}\b(?:{_PEOPLE}|system)\b",
            r"\bas (?:the|your) (?:\w+ )?(?:administrator|admin|operator|owner|creator|developer)(?: of \w+(?:"
            r" \w+){0,3})?,? i\b",
            r"\byou are now (?:an? |in |the |running )?(?:\w+ )?(?:unrestricted|jailbroken|root|admin\w*|dan\b|god"
            r" mode"
            r"|developer mode|debug mode|free of|free from|without)",
            r"\byou are now\b[^.\n]{0,40}\b(?:privileges?|(?:maintenance|developer|admin\w*|debug|god) mode)",
            r"\byou are no longer (?:an? |the |bound|restricted|limited)",
            r"\byou (?:are dan\b|have no (?:restrictions|limits|limitations|guardrails|filters))",
            r"\bact as (?:an? )?(?:unrestricted|jailbroken|uncensored|unfiltered)",
            r"\b(?:message|notice|note|instructions?|orders?|important)\b[^.:\n]{0,20}\bfrom (?:anthropic"
            r"|openai|google|microsoft"
            r"|github staff|(?:the |your )(?:system|creators?|operators?|developers?|administrators?))\b",
            r"\bthis is (?:the |your )(?:repository |project |system |code ?base )?(?:owner|admin\w*|creator"
            r"|operator)\b",
            r"\bi (?:hereby )?(?:authori[sz]e|permit) you to\b",
            r"\b(?:safety|security) (?:rules|policies|guidelines) (?:do not|don't|no longer) apply (?:here"
            r"|to you|in this)",
            r"\bnew (?:policy|rules|instructions) for (?:all |every )?(?:ai )?(?:assistants?|agents?|models?|llms?)\b",
            r"\bnew system (?:message|prompt|instructions?)\b",
            r"[-=<#*]{2,} ?(?:end|close) of (?:the )?(?:\w+ )?(?:data|memory|memories|notes?|context|input|document)\b",
            r"\bend of (?:the )?(?:notes|memory|memories|untrusted \w+)\W{1,10}(?:new|now|system|user|human"
            r"|the following)\b",
            r"(?m)^\W*(?:system )?tool (?:result|output|response)s?\b[^:\n]{0,30}:[^\n]{0,100}"
            r"(?:grant|approv|permission|authori|allowed|you (?:may|can|must|should)\b)",
            r"\[/?tool_(?:result|output|response)s?\b",
            r"(?m)^\W*(?:user|human|assistant): (?:please )?(?:disable|ignore|approve|delete|push|run|send"
            r"|skip|turn off)\b",
            r"(?m)^\W*(?:ai |dear |hey )?(?:assistant|agent|claude|copilot|codex|gemini|model|ai)\s?[:,] "
            r"(?:please |you must )?"
            r"(?:add|run|push|ignore|approve|send|tell|execute|delete|install|copy|never|always|disable|open|upload)\b",
            r"\b(?:official|urgent|authori[sz]ed) (?:message|notice|instruction|update)s? from\b",
            r"\byour (?:restrictions|limits|guardrails|rules) (?:were|are|have been) (?:lifted|removed|disabled"
            r"|suspended)",
            r"(?m)^\W*\[?(?:system|admin|operator|developer)\W{1,3}new (?:policy|policies|rules?|instructions?"
            r"|orders?)\b",
            r"\b(?:tool (?:calls?|uses?)|agents?|assistants?) (?:do not|don't|no longer) (?:needs?|requires?) (?:an? "
            r"|any |the |to ask for )?(?:approvals?|confirmations?|permissions?|consent)(?: any ?more| any longer| now"
            r"| from now on| at all)?\W?(?:[.;!,\n]|$)",
        ),
    ),
    InstructionClass(
        "concealment",
        ERROR,
        "asks to hide something from people",
        (
            rf"\b(?:do not|don'?t|never) {_HIDE} (?:the |any |your )?{_PEOPLE}"
            r"(?: about| that you| of (?:this|it|these)|\W*(?:[.;!]|$))",
            rf"\b(?:do not|don'?t|never) (?:{_HIDE}|show|display) (?:this|it|these|the above)\b[^.;!\n]{{0,60}}"
            rf"\b(?:to|in) (?:the "
            rf"|any |your )?"
            rf"(?:{_PEOPLE}|summary|reply|answer|pull request|commit message|report)\b",
            rf"\bwithout (?:telling|informing|notifying|alerting) (?:the |any |your )?{_PEOPLE}",
            rf"\bwithout (?:the |any )?{_PEOPLE}(?:'?s)? (?:knowing|noticing|knowledge|consent|awareness)",
            r"\b(?:keep|hide|conceal) (?:this|it|these|that|them|the change)(?: \w+)? from (?:the |any |your |all )?"
            r"(?:reviewers?|humans?|maintainers?|team|people|anyone|anybody|person)\b",
            r"\b(?:secretly|covertly) (?:add|send|upload|run|copy|include|insert|change|install|push|commit|record"
            r"|store|collect|track|call|write|replace|remove|disable|forward|report|log)\b",
            rf"\b(?:keep (?:it|them|that|everything|{_THIS})|{_THIS}(?: (?:is|are|to|must|should|shall|has|have|be|kept"
            rf"|stays?|remains?)){{1,4}})(?: \w+)? (?:hidden|secret|concealed) from (?:the |any |your |all )?{_PEOPLE}",
            rf"\b(?:do not|don'?t|never) {_HIDE}\b[^.;!\n]{{0,20}}\bthis (?:instruction|memory|note|rule|message)\b",
            r"\b(?:do not|don'?t|never) mention (?:it|this|that) ?(?:[.;!]|$)",
            r"\bact on (?:it|this|them|these) (?:silently|quietly|secretly)",
            rf"\b(?:do not|don'?t|never) {_HIDE}(?: this| it)? to (?:the |any |your )?{_PEOPLE}(?: that you"
            rf"|\W*[.;!]|\W*$)",
            rf"\b(?:the|your) {_PEOPLE} (?:must|should|may) (?:not|never) (?:find out|notice|learn (?:of"
            rf"|about) this|know about"
            r" (?:this|it))",
            r"n'en parle(?:z)? pas (?:à|aux?) ",
            rf"\b(?:hide|conceal|withhold|keep) (?:the following|the above|the rest|this \w+|these "
            rf"\w+)[^.;:!\n]{{0,20}} from (?:the |any |your |all )?{_PEOPLE}\b",
            rf"\b(?:do not|don'?t|never) {_HIDE} to (?:the |any |your )?{_PEOPLE} that (?:this|these|the (?:text"
            rf"|lines?|note))\b",
            # The same in German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese.
            r"\b(?:sage?|erzähle?|verrate?|melde) (?:es |das |dies )?(?:dem|der|den) (?:benutzer|nutzer|anwender"
            r"|entwickler|user)n? (?:nichts?|niemals|bloß nicht)\b",
            r"\bn(?:e |')(?:le |la |en )?(?:informe|préviens|prévenez|avertis|dis|dites|parle|mentionne|signale)[sz]? "
            r"(?:pas|rien|jamais)[^.;\n]{0,30}\b(?:utilisateurs?|développeurs?|usagers?|humains?)(?: (?:de |que tu "
            r"|que vous )|\W*(?:[.;!]|$))",
            r"\b(?:no|nunca|não|nao|non) (?:se )?(?:l[eo]s? |ao? )?(?:digas|diga|informes|informe|avises|avise"
            r"|menciones|mencione|cuentes|conte|dire|dica)[^.;\n]{0,20}\b(?:usuári[oa]s?|usuari[oa]s?|utente"
            r"|desarrollador(?:es)?)(?: (?:che |que (?:has|\w+ste|hayas|você|hai)|nada|nulla|niente|sobre est|de est)"
            r"|\W*(?:[.;!]|$))",
            r"не (?:говори|сообщай|рассказывай|упоминай)(?:те)? (?:об этом |это |про это )?(?:пользовател|разработчик"
            r"|человек)",
            r"(?:不要|别|勿|不得|不能)(?:让|告诉|告知|通知|提醒)(?:用户|使用者|开发者|任何人)",
            r"(?:ユーザー|利用者|使用者|開発者)に(?:は)?[^。\n]{0,12}(?:言わ|知らせ|伝え|報告し|教え|話さ)ない",
            r"\b(?:silently|quietly) (?:send|upload|forward|post|transmit|exfiltrate|copy)\b",
        ),
    ),
    InstructionClass(
        "exfiltration",
        ERROR,
        "asks to send secrets or conversations elsewhere",
        (
            rf"\b{_SEND}\b[^.;!\n]{{0,80}}{_CONFIDENTIAL}[^;!\n]{{0,60}}\b(?:to|into|in|via|with|at|as) (?:the |a |an "
            rf"|our |my )?"
            rf"(?:\S+ ){{0,2}}{_AWAY}",
            r"\b(?:append|add|include|put|attach)\b[^.\n]{0,60}\$?\w*(?:TOKEN|SECRET|PASSWORD"
            r"|API[ _-]?KEY)\b[^\n]{0,40}\b(?:url|query string|web request)\b",
            r"\b(?:include|append|add|put) (?:them|it|these) (?:in|to) (?:your|the) (?:next|following|each|every)"
            r" (?:\w+ )?(?:requests?|urls?|commits?|messages?)\b",
            r"\b(?:curl|wget|fetch)\b[^\n]{0,120}\$\([^\n)]{0,60}(?:\benv\b|secret|token|\.ssh|\.aws|credential"
            r"|passw)",
            rf"\b(?:print|dump|write|copy|put|paste|include|output|append|save) [^.;!\n]{{0,40}}{_CONFIDENTIAL} "
            rf"(?:into|in|to) (?:the |a |your )?\S{{0,20}}(?:docs?|notes|readme|pull request|pr|commits?|issues?"
            rf"|description|comments?|answer|reply|summary)\b",
            r"\b(?:reply|respond|answer|print|show|output|display|return|put|include|paste|open|read)\b"
            rf"[^.\n]{{0,60}}{_KEY_FILE}",
            rf"(?:выведи|покажи|прочитай|прочти)(?:те)? [^.\n]{{0,60}}{_KEY_FILE}",
            r"\b(?:include|show|print|list|output|paste) (?:the |all |any )?(?:api keys|passwords|secrets|credentials"
            r"|tokens|private keys) from (?:the )?(?:settings|env|environment|config\w*|vault|keychain|\.env)",
            r"\buse (?:the )?(?:tokens?|credentials?|keys?|passwords?) (?:in|from|of) (?:the )?(?:\.git/|~/|\.env"
            r"|users?)[^\n]{0,40} to (?:open|post|push|create|upload|send|publish|comment)\b",
            rf"(?:\b(?:envía|envia|sube|envoie|envoyez|sende|schicke?)|(?:отправь|пришли|загрузи)(?:те)?) "
            rf"[^\n]{{0,60}}{_CONFIDENTIAL}[^\n]{{0,40}}\b(?:gist|{_AWAY})",
            rf"\bsend (?:the )?(?:contents? of )?(?:the )?{_CONFIDENTIAL}(?: file)?\W*$",
            r"\b(?:append|add|include|put|paste|insert|attach|write|echo|post)\b[^.;\n]{0,30}\b(?:value|contents?"
            r"|output|result) of [`\"'$]{0,2}(?:\w*(?:token|secret|password|api_?key)s?\b|(?:print)?env\b"
            r"|~/\.\w+)[^.;\n]{0,20} (?:in|into|to|as) (?:the |a |an |your |every |each |all )?(?:\w+ )?(?:commit"
            r"|issue|pull request|pr|comment|link|url|image|answer|reply|description|summary|message|branch)",
            r"\b(?:cat|read|open|print) \W?(?:~/\.|/etc/|\.env\b|\$HOME/\.)\S* and (?:then )?(?:paste|post|send|upload"
            r"|include|put|add|commit)\b",
            r"\b(?:print|show|output|repeat|reveal|dump|display|quote|recite|translate)\b[^.;\n]{0,30} (?:of )?your "
            r"(?:\w+ )?(?:system|initial|hidden|original) (?:prompt|instructions|message)",
            rf"{_CONFIDENTIAL}\S*\s*\|\s*(?:curl|wget|nc|ncat|netcat)\b",
            rf"\b(?:curl|wget)\b[^\n]{{0,120}}(?:-d|--data\S*|-F|--form|--upload-file|-T)\S*[\s=]@?\S*{_CONFIDENTIAL}",
        ),
        unless=_NOT,
    ),
    InstructionClass(
        "trigger",
        WARNING,
        "waits for a moment, then asks for something else",
        (
            rf"\b(?:when|whenever|if|once|next time) (?:the |a |any )?(?:{_PEOPLE}|someone|somebody)(?: ever)? "
            rf"(?:asks?|says?|mentions?|wants?)\b[^.;!\n]{{0,80}}\b{_SAID} (?:only |always |them )?that\b",
            r"\bwhen(?:ever)? (?:the )?(?:word|phrase|name|term|string)s? \S+(?: \S+){0,3} (?:appears?|occurs?"
            r"|comes? up|is (?:said|used|mentioned))(?: in (?:a |an |any |the )?(?:chat|conversation|message|prompt"
            r"|question|request|session))?,? (?:\w+ )?(?:append|approve|answer|curl|delete|disable|e-?mail|execute"
            r"|fetch|forward|ignore|include|install|merge|post|print|push|recommend|reply|respond|run|say|send|show|skip"
            r"|switch|tell|upload|use|write)\b",
            r"\b(?:when|whenever|once|after|before|at the (?:start|end|beginning) of) (?:you|each|every|any|a|the)?"
            r"(?: \w+){0,4} ?(?:session|task|answer|reply|finish|done)\b[^.;\n]{0,80}(--no-verify|--force\b|head:main"
            r"|gitmem (?:approve|trust))",
            r"\bgitmem (?:approve|trust)\b[^.\n]{0,40}\b(?:at the (?:start|beginning|end) of|before|after) "
            r"(?:each|every|any) (?:session|task|prompt)",
            r"\b(?:if you are|as) (?:an? )?(?:ai|llm|language model)\b[^,\n]{0,24},? (?:fetch|run|execute|download"
            r"|install|send|open|ignore|you (?:are required|must|have to|should))",
            r"\b(?:if|when|whenever|upon|once|until|on)(?: \w+){0,4} (?:trigger|activation|magic|code|secret)\s?"
            r"(?:word|phrase)s?\b",
        ),
        # "Never push --force" forbids it; "never wait and push with --force" does not.
        unless=rf"{_NOT} (?:(?:ever|use|run|do|git|push|commit|merge|add|pass|append|set|type|with|a|an|the) )*$",
    ),
    InstructionClass(
        "propagation",
        ERROR,
        "asks to be copied or kept",
        (
            rf"\b(?:copy|repeat|include|insert|write|save|store|append|reproduce|spread|duplicate|add|pass)"
            rf" (?:this|these|the (?:above|following)) (?:\w+ )?{_MEMORY}(?: above)?[^.;!\n]{{0,30}}\b(?:in|into|to"
            rf"|as|across|with|on to) "
            rf"(?:the )?(?:every|all|each|any|other|new|future)\b",
            rf"\b(?:copy|replicate|add|include|insert|paste|put|repeat) (?:this|these) (?:\w+ ){{0,2}}"
            rf"(?:{_MEMORY}|text|message|sentences?|lines?)\b[^;!\n]{{0,60}}\b(?:every|each|all|any|other|new|it so)\b",
            rf"\b(?:never|do not|don'?t) (?:delete|remove|forget|retire|archive|overwrite|supersede|expire) this"
            rf" {_MEMORY}",
            rf"\balways (?:re-?)?(?:save|store|keep|restore|add) this {_MEMORY}",
            rf"\b(?:save|store|write|add|keep|put|record) (?:this|these|the following) (?:{_MEMORY}|text|message"
            rf"|sentences?|lines?|words) (?:in|into|to) (?:your|the agent's) (?:[\w-]+ )?(?:memory|memories|notes)\b",
        ),
    ),
    InstructionClass(
        "safeguards",
        WARNING,
        "asks to go around a safeguard",
        (
            rf"\b(?:skip|bypass|disable|turn off|circumvent|deactivate|suppress)(?: all| any| every| the| its|"
            rf" your)* {_GUARD}"
            r"\s?(?:prompts?|checks?|gates?|scans?|reviews?|steps?|warnings?|requests?|dialogs?|policy|policies|for|in"
            r"|before|when|\W*[.;!]|\W*$)",
            r"\b(?:approve|accept|allow|trust|grant) (?:all|any|every|everything)(?: the)? "
            r"(?:commands?|tool calls?|tool uses?|permissions?|memor(?:y|ies)|facts?|checks?|prompts?|requests? from|of"
            r" the memory)",
            r"\b(?:policy|policies|rules?|restrictions?|limits?) [^.\n]{0,60}\b(?:does not|do not|doesn't|don't) apply"
            r" to you\b",
            r"\b(?:policy|policies|rules?|restrictions?) [^.\n]{0,60}\b(?:does not|do not|doesn't|don't) apply"
            r" to (?:agents?|ai|assistants?|llms?)\b",
            r"\bmerge (?:it |this |them )?without (?:running|testing|a review|review|reading|waiting|checking)",
            r"\b(?:insert|add|put|append)\b[^.\n]{0,40}(?:nosec|noqa|eslint-disable|nolint|type: ignore|ts-ignore)\b"
            r"\S{0,12} (?:\w+ )?(?:above|after|at|before|in|on|to|wherever) (?:\w+ ){0,3}(?:every|all|each|any)\b",
            r"\bcontinue-on-error: true\W{0,3}(?:on|for|in|to) (?:all|every|each)\b",
            r"\badd (?:my|this|the following|our) (?:\w+ )?(?:ssh |public )*keys? to \S*authorized_keys",
            r"\b(?:set|use|enable|start|run|switch|launch|pass|change)\b[^;\n]{0,60}(?:bypassPermissions"
            r"|--dangerously-(?:skip|bypass)|--yolo\b|danger-full-access|--trust-all-tools"
            r"|approval[_-]policy\W{1,4}never)",
            r"\b(?:skip|bypass|disable|turn off|remove|deactivate) (?:all |the |any |these )*(?:pre-?commit|pre-?push"
            r"|git|commit|ci) (?:hooks?|checks?) and (?:then )?(?:push|commit|merge|deploy)\b",
            r"\b(?:mark|rate|classify|report|treat|consider|flag|score|label) (?:every|all|any|this|these|the) "
            r"(?:\w+ )?(?:findings?|alerts?|warnings?|packages?|dependency|dependencies|vulnerabilit\w+|commits?|pull "
            r"requests?|skills?|servers?)\b[^.;\n]{0,40} as (?:an? )?(?:safe|false positives?|benign|trusted|clean"
            r"|harmless|low risk|approved)\b",
            r"\b(?:approve|merge|accept|lgtm) this (?:pull request|pr|change|merge request|mr|patch"
            r"|diff)\b[^.;\n]{0,20}(?: (?:and|without|as is|immediately|right away)\b)",
            r"\b(?:hide|swallow|mask) (?:the |all |any )?(?:errors?|failures?|findings) from\b",
            r"\b(?:disable|turn off|remove|bypass|skip|stop) (?:all |the )?(?:gitmem|memory)(?:'s)? (?:hooks?|checks?"
            r"|verif\w+|fence|policy|reviews?)",
        ),
        unless=_DESCRIBED,
    ),
    InstructionClass(
        "unearned",
        ERROR,
        "asks to report checks that were not made",
        (
            r"(?:\b(?:do not|don'?t|never|skip|without) (?:\w+ ){0,3}(?:tests?|test suite|pytest|checks?)\b"
            r"|--no-verify\b)"
            r"[^\n]{0,80}\b(?:say|tell|report|claim|answer|state|pretend)\b[^.\n]{0,40}"
            r"\b(?:tests?|checks?|they|it|everything|all|build)\b(?: \w+){0,2} (?:pass(?:ed|es|ing)?|succe\w+|green)\b",
            rf"\b(?:always|just|simply|must|please) {_SAID}\b[^.\n]{{0,20}}\bthat\b[^.\n]{{0,40}}"
            r"\b(?:tests?|checks?|verify|verification|build|ci|lint)\b[^.\n]{0,20}\b(?:pass(?:ed|es)?|succe\w+|green|ran)\b",
            r"\bpretend (?:that )?(?:all |the )*(?:tests?|checks?|build|ci|verification)\b",
            rf"\b(?:{_SAID}|tell [^.;\n]{{0,20}})(?: (?:a |that |the |all |it ))?[^.;\n]{{0,30}}\b(?:success|passed"
            rf"|green|succeeded|done)\b[^.;\n]{{0,20}} (?:even (?:if|when|though)|regardless of|no matter|whether or "
            rf"not|although)\b[^.;\n]{{0,40}}\b(?:fail(?:s|ed)?|errors?|red|not|outcome|results?|output|pass)\b",
            r"\bmark (?:every|all|any)(?: the)? fail(?:ing|ed) (?:tests?|checks?) as "
            r"(?:skipped|passed|passing|green)\b",
        ),
    ),
    InstructionClass(
        "on-reading",
        ERROR,
        "asks for an action because it is read",
        (
            r"\b(?:when|whenever|as soon as|once|after) you(?: have)? (?:read|see|seen) (?:this|these)\b",
            r"\bbefore (?:answering|replying|responding|you (?:answer|reply|respond))\b[^.\n]{0,60}"
            r"\b(?:push|commit|merge|deploy|delete|upload|send|approve|disable)\b",
        ),
    ),
    InstructionClass(
        "destruction",
        WARNING,
        "asks to destroy data",
        (
            r"\brm -[a-z]*(?:rf|fr)[a-z]* (?:--\S+ )*(?:/(?:\s|$|\*)|~|\$HOME|\.git\b|\*)",
            r"\bgit push\b[^\n]{0,60}(?: --force(?:\s|$|\.)| -f\b)",
            r"\b(?:delete|destroy|wipe|erase|drop) (?:all |every |the |each )*(?:backups\b|tables?\b[^\n]{0,20}then"
            r"|databases\b|users?'s? home|home director)",
        ),
        unless=rf"{_DESCRIBED}|\bif\b",
    ),
    InstructionClass(
        "self-approval",
        ERROR,
        "asks to give approvals that are a person's",
        (
            r"\bgitmem trust\b[^\n]{0,60}\b(?:yourself|no (?:person|human)|without (?:a |the )?(?:person|human|user))",
            r"\balways (?:answer|say|click|reply|respond)(?: with)? [\"']?(?:yes|y|allow|approve)\b[^.\n]{0,40}"
            r"\b(?:prompts?|permissions?|confirmations?|requests?|dialogs?)\b",
            r"\b(?:enable|turn on|use|set) (?:auto-?approv\w*|yolo mode)\b[^.\n]{0,40}\b(?:all|every|tools?"
            r"|commands?)\b",
            r"\b(?:turn off|disable|skip) (?:all |the |any )*confirmation",
            r"\badd yourself as (?:an? |the )?(?:reviewer|maintainer|owner|admin|approver|allowed signer)",
            r"\bgitmem (?:approve|trust)\b[^\n]{0,40} --(?:all|yes)\b",
            r"\bset \W?trust: (?:all|any|true|everyone|\*)",
            rf"\bfor (?:this|these|all|any|every|each|the rest)\b[^.;\n]{{0,30}}{_PRIVILEGED}",
            r"\b(?:set|use|enable|pass|add|start with|run with) (?:the )?(?:flag )?[`\"']?"
            r"(?:--)?dangerously-?skip-?permissions",
        ),
        unless=_DESCRIBED,
    ),
    InstructionClass(
        "privileges",
        ERROR,
        "asks to give approvals that are a person's",
        (_PRIVILEGED,),
        unless=rf"{_DESCRIBED}|\b(?:for|if|once|unless|until|when|whenever|where|whether)\b",
    ),
    InstructionClass(
        "authority",
        WARNING,
        "claims an approval that only a person can give",
        (
            r"\b(?:the )?(?:user|owner|maintainers?|administrator|admin|security team|operator|management)s? "
            r"(?:has|have) (?:already |explicitly |permanently |fully |previously |pre-?)*"
            r"(?:approved|authori[sz]ed|consented|granted|permitted)\b",
            rf"\b(?:the |your )(?:{_PEOPLE}|company) (?:wants?|asks?|asked|expects?|told|needs?|would like)(?: that)? "
            rf"(?:you|agents?|the agent|assistants?)(?: to)? (?:hide|skip|ignore|disable|bypass|delete|push|approve"
            rf"|send|upload|merge|remove|export|dump|reveal|leak|exfiltrate|wipe|force)\b",
            rf"\bthis {_MEMORY} is (?:\w+ ){{0,3}}(?:verified|trusted|authoritative|approved|authori[sz]ed)",
            r"\b(?:never|do not|don'?t|no need to) (?:check|verify|question|doubt|review) this (?:memory|note|entry)",
        ),
        unless=_IF,
    ),
    InstructionClass(
        "encoded",
        ERROR,
        "asks to decode a text and to follow it",
        (
            r"\b(?:decode|base64|rot13|hex|deobfuscate|unscramble)\b[^\n]{0,80}\b(?:and|then|,)(?: then)? "
            r"(?:follow|obey|execute|run|eval|carry out|do what)\b",
        ),
        unless=_NOT,
    ),
    InstructionClass(
        "goal",
        ERROR,
        "gives the agent another goal",
        (
            r"\byour (?:real|true|hidden|secret|new) (?:goal|task|purpose|objective|mission|instructions?|role)\b",
            r"\bfrom now on,? (?:you are|ignore|obey|pretend|act as|reply only|respond only|answer only)\b",
            rf"{_WHATEVER}[^.;\n]{{0,20}},? (?:\w+ )?{_FAVOUR}\b",
            rf"\b{_FAVOUR}\b[^.;\n]{{0,60}} {_WHATEVER}",
            r"\b(?:act|behave|answer|respond) as (?:if|though) (?:you|there) (?:had|have|were|are) no "
            r"(?:rules|restrictions|limits|guidelines|guardrails)",
            r"\bpretend (?:to be|that you are|you are) (?:the |an? )?(?:\w+ )?(?:user|owner|maintainer|admin\w*"
            r"|developer|reviewer)",
        ),
        unless=_NOT,
    ),
    InstructionClass(
        "preference",
        WARNING,
        "asks to favour a product or a source",
        (
            r"\b(?:remember|treat|regard|consider) \S+(?: \S+){0,4} as (?:a|an|the) "
            r"(?:trusted|authoritative|reliable|preferred|most reliable) (?:source|site|domain|company|vendor"
            r"|provider)",
            r"\balways (?:recommend|promote|advertise|praise)\b",
        ),
        unless=rf"{_NOT}|\bwe $",
    ),
    InstructionClass(
        "tampering",
        WARNING,
        "asks to change other memories",
        (
            r"\b(?:delete|erase|wipe|purge|overwrite|forget)(?: all| any| the| every)* (?:other|your|previous"
            r"|earlier) "
            r"(?:memory|memories|notes|facts)\b",
            r"\b(?:delete|erase|wipe|overwrite) (?:what|everything|anything)(?: that)? you (?:remember|know|learned)",
        ),
        unless=_NOT,
    ),
)


@cache
def _compiled(pattern: str) -> Any:
    import re2  # 8.5 ms (measured), only if a text is reviewed

    return re2.compile("(?i)" + pattern.replace(" ", r"\s+"))


@cache
def _patterns() -> list[tuple[InstructionClass, Any, list[Any], Any]]:
    """Return each class with one pattern for all, which most texts do not match, its patterns and its exceptions.

    One pattern for all classes would exceed the memory that re2 gives to one.
    """
    return [
        (
            kind,
            _compiled("|".join(f"(?:{pattern})" for pattern in kind.patterns)),
            [_compiled(pattern) for pattern in kind.patterns],
            _compiled(kind.unless) if kind.unless else None,
        )
        for kind in _CLASSES
    ]


def searchable(text: str) -> str:
    """Return a text of the same length that re2 can search: a lone surrogate, as JSON may have, becomes ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def find_instructions(text: str) -> list[Instruction]:
    """Return the sentences that instruct an agent: one per class and line, by line, at most ``AT_MOST``."""
    plain = searchable(text).replace("\u2019", "'")
    instructions = {(instruction.line, name): instruction for name, instruction in _find_plain(plain)}
    for line, hidden in undisguise(plain):
        for _, instruction in _find_plain(hidden):
            instructions.setdefault(
                (line, "disguised"), replace(instruction, line=line, message=f"{instruction.message}, in disguise")
            )
    return [instructions[place] for place in sorted(instructions)][:AT_MOST]


def _find_plain(plain: str) -> Iterator[tuple[str, Instruction]]:
    """Yield the instructions in a text with the names of their classes; one per class and line."""
    seen = set[tuple[int, str]]()
    for kind, anything, patterns, unless in _patterns():
        for pattern in patterns if anything.search(plain) else ():
            for start in _starts(plain, pattern, unless):
                line = plain.count("\n", 0, start) + 1
                if (line, kind.name) not in seen:
                    seen.add((line, kind.name))
                    yield kind.name, Instruction(line, kind.severity, kind.message)


# A text that quotes an attack as an example is about it.
_EXAMPLE = r"(?:such as|like|e\.g\.|for example|example|phrases?|wordings?|called)[:,]? [\"'`“‘]$"


def _starts(text: str, pattern: Any, unless: Any) -> Iterator[int]:
    for match in pattern.finditer(text):
        start = match.start()
        while start < match.end() and text[start].isspace():
            start += 1
        before = _before(text, start)
        request = _before(text, match.start(1)) if pattern.groups else before
        is_honest = unless is not None and (unless.search(before) or unless.search(request))
        if not is_honest and not _compiled(_EXAMPLE).search(before):
            yield start


def _before(text: str, start: int) -> str:
    """Return the preceding words of the same sentence."""
    before = text[max(0, start - _CHARS_BEFORE) : start]
    return before[max(before.rfind(end) for end in (". ", "; ", "! ", "\n\n", ": ")) + 1 :]
