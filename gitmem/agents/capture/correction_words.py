"""The words by which a person's correction is known, a line for each language. Each is in lower case.

A list of single words is a set; a list of phrases has them with a blank on both sides, to be found in ``plain``.
"""

from __future__ import annotations


def plain(text: str) -> str:
    """Return a text in lower case, with one blank around each word and no other marks than those inside words."""
    words = (word.strip(',.:;!?()[]"“”«»…–—') for word in text.lower().replace("’", "'").split())
    return f" {' '.join(_APOSTROPHES.get(word, word) for word in words if word)} "


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(f" {phrase.strip()} " for phrase in text.replace("\n", "|").split("|") if phrase.strip())


_APOSTROPHES = {word.replace("'", ""): word for word in "don't doesn't can't shouldn't mustn't let's i've".split()}

# They stand before a rule, with or without a comma or colon, and say nothing of it.
INTRODUCES = _phrases(
    """
    i told you | i already told you | i've told you | i said | as i said | like i said | for future reference
    for the future | for next time | for the record | note for later | keep in mind | keep in mind that
    please keep in mind | bear in mind | bear in mind that | remember that | please remember | please remember that
    merk dir | merke dir | denk daran
    recuerda que
    souviens-toi que | rappelle-toi que
    lembre-se que | lembre-se de que
    ricorda che | ricordati che
    onthoud | onthoud dat
    запомни
    """
)
# The same if a colon follows.
HEADS = frozenset({"remember", "reminder", "rule", "new rule", "house rule", "note", "make a note"})

# A correction begins with one of them and a comma.
REFUSES = _words(
    """
    no nope nah wrong incorrect stop undo hm hmm actually
    nein falsch halt
    non nee stopp não errado sbagliato нет
    """
)
# The same, up to a comma; what follows the first ones is right.
CONTRADICTS = _phrases(
    """
    that's wrong | that is wrong | this is wrong | that's not right | that's incorrect | that is incorrect
    this is incorrect
    das ist falsch | das ist nicht richtig
    eso está mal
    c'est faux
    isso está errado
    dat is fout | dat klopt niet
    """
)
DISAPPROVES = _phrases(
    """
    wrong | that's not how | that is not how | this is not how | not like that | not like this
    revert | undo
    so nicht
    ce n'est pas
    """
)
# What follows such a sentence corrects.
BLAMES = _phrases(
    """
    you forgot | again
    schon wieder | wieder vergessen
    otra vez
    encore oublié
    de novo
    alweer
    опять
    """
)
# They say that a rule is for later, too.
LASTS = _phrases(
    """
    from now on | from here on | going forward | in future | in the future | for the future | future work | next time
    every time you | whenever you | whenever we | each time you | any time you | as a rule | as a general | in general
    by convention | the convention | our convention | house style | our style | our standard | our policy | our rule
    the rule is | the rule on | the rule here | hard rule | no exceptions | i've told you | i told you | i keep telling
    how many times | you have to stop | only ever | keep that in mind | keep this in mind | stick to it | stick to this
    keep to this | later sessions | every session | remember this | remember that for | to memory | to claude.md
    to agents.md | for all code
    ab jetzt | ab sofort | in zukunft | künftig | nächstes mal | das nächste mal | jedes mal wenn du | grundsätzlich
    prinzipiell | bitte merken | merk dir das
    a partir de ahora | de ahora en adelante | la próxima vez
    à partir de maintenant | à l'avenir | la prochaine fois | désormais | dorénavant | plus jamais
    a partir de agora | daqui em diante | daqui pra frente | da próxima vez | nunca mais | a gente nunca | a gente não
    d'ora in poi | la prossima volta
    vanaf nu | voortaan | volgende keer
    в следующий раз | впредь | с этого момента | отныне | при каждом | при каждой
    """
)
FAULTS = _phrases("you keep | you always | you never | you only ever | du vergisst | tu oublies | siempre olvidas")
# They say that it is for the work at hand, or no rule at all.
PASSES = _phrases(
    """
    for now | for the next | yet | today | tonight | tomorrow | right now | this time | until | for a moment
    for a sec | a minute | just this | this script | this file | this page | this test | this branch | this commit
    this pr | this one
    this task | this ticket | this change | this function | this class | this component | this endpoint | this query
    this case | this screen | this issue | this bug | anything else | other one | old one | new one | first one
    second one | never mind | no problem | no worries | no idea | i thought
    erstmal | erst mal | vorerst | noch nicht | heute | diesmal
    por ahora | todavía | aún | hoy | esta vez | la primera | la segunda
    pour l'instant | pour le moment | tout de suite | encore | cette fois
    por enquanto | ainda | hoje
    per ora | per adesso | ancora
    voorlopig | nog niet | vandaag
    пока | сегодня | сейчас
    """
)
PLACES = _phrases(
    """
    in this project | in this repo | in this repository | in this codebase | in this code base | in this monorepo
    around here | in our | across the codebase
    in diesem projekt | in unserem | bei uns
    en este proyecto | en nuestro
    dans ce projet | chez nous
    neste projeto
    in questo progetto
    in dit project
    в этом проекте | у нас
    """
)
WISHES = _phrases(
    """
    i'd rather you | i'd rather we | i would rather you | i'd prefer you | i'd prefer if | i'd prefer we | i prefer
    i don't want you to | i do not want you to | i want you to always | i want you to never | you should always
    you should never | you must always | you must never | sure to always | sure you always | sure to never
    sure you never
    ich möchte nicht
    prefiero que
    je préfère que
    prefiro que
    preferisco che
    ik heb liever
    """
)
# A clause that begins with one of them forbids.
FORBIDS = _phrases(
    """
    don't | do not | never | stop | quit | avoid | no more | let's not
    bitte nicht | bitte kein | bitte keine | bitte keinen | keine
    por favor no | no uses | no utilices | no hagas | no pongas
    ne | n'utilise | n'utilisez | n'ajoute
    não use | não uses
    non usare
    niet | gebruik geen
    не используй | не пиши | не надо
    """
)
# After a task they limit it: "Add a page. Don't touch the backend."
LIMITS = _words("touch change modify edit commit push delete remove run start create add implement write merge deploy")
HARMLESS = _words("worry bother mind forget know think see have care understand get need want hesitate")

EVER = _words(
    "always never immer nie niemals siempre nunca jamás toujours jamais sempre mai altijd nooit всегда никогда"
)
_NEGATES = _words(
    """
    not never don't doesn't cannot can't shouldn't mustn't without instead only
    nicht kein keine keinen statt sondern ohne sin sans não nem sem senza niet geen zonder не без
    """
)
PRESCRIBES = (
    _NEGATES
    | EVER
    | _words(
        """
        must should needs use uses prefer avoid has have goes belong belongs
        nimm verwende benutze verwenden benutzen muss müssen
        debe deben usa usamos utiliza utilizamos doit doivent utilise utilisez utilisons deve devem usamos devono usiamo
        moet moeten gebruik gebruiken используй используем надо нужно
        """
    )
)
# "Use X, not Y."
TAKES = _words(
    """
    use take prefer
    nimm verwende benutze
    usa utiliza utilise utilisez usare gebruik используй
    """
)
OVER = _phrases(
    """
    not | instead | rather than | over | never
    nicht | statt | sondern | anstatt
    no | en lugar de | en vez de
    pas | au lieu de | plutôt que
    não | em vez de
    non | invece di
    niet | in plaats van
    а не | вместо
    """
)
# "We prefer X", "we log with X, not Y", "our tests are never …".
WE = _words("we wir nosotros nous nós noi wij мы")
OUR = _words("our unser unsere nuestro nuestros nuestra nuestras notre nos nosso nossos nostro onze ons наш")
HABITS = (PRESCRIBES - _words("must should needs has have not cannot can't")) | _words(
    "write keep put name call treat store test run format sign tag pin"
)
# What "we" do now, or must do once.
NO_HABIT = _words(
    "are were was had need get got can could will would may might want see still just should must have lost hit"
)
ONLY = EVER | _words("not only everywhere here strictly instead hier nur nicht aquí solo ici seulement aqui qui")
# The speaker's own state, or what a report of a bug is about.
REPORTS = _words("i i'm i've it it's there there's this they he she its ich es il")
ASKS = _words(
    """
    why what how where which who can could would will is are am does did shall
    warum wieso wie was wann wo wer kannst können könntest
    cómo qué puedes podrías
    pourquoi comment peux-tu pourrais-tu est-ce
    poderia perché come puoi
    hoe waarom kun kan
    почему как можешь
    """
)
REQUESTS = _words("could can would kannst könntest puedes podrías peux-tu pourrais-tu poderia puoi kun")
POLITE = _words("please pls and but so also hey ok okay well bitte und aber y pero et mais e ma en maar")
PAST = _words("seen been had got went done knew saw worked")

# Of Chinese, Japanese and Korean.
UNSPACED_REFUSES = ("不对，", "不对,", "不是，", "错了，", "いや、", "違う、")
UNSPACED_RULES = (
    *("以后", "从现在开始", "不要", "别", "禁止", "必须", "总是", "一律", "永远", "应该", "我们用", "我们不"),
    *("ではなく", "じゃなくて", "必ず", "絶対", "ないで", "今後", "これから", "しないこと", "使わない"),
    *("앞으로", "항상", "절대", "하지 마", "대신", "말고"),
)
UNSPACED_PASSES = (
    *("先不", "先别", "请先", "暂时", "今天", "现在", "这次", "担心"),
    *("まだ", "今日", "今回", "とりあえず", "心配"),
    *("지금은", "오늘", "일단"),
)
