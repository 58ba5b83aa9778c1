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
FAULTS = _phrases("you keep | you only ever | du vergisst | tu oublies | siempre olvidas")
# The same before most verbs; "you always get a 403" says what anyone gets.
OFTEN_FAULTS, ANYONE = _phrases("you always | you never"), _words("get see have need know want end")
# They say that it is for the work at hand, or no rule at all.
PASSES = _phrases(
    """
    for now | for the next | yet | today | tonight | tomorrow | right now | this time | until | for a moment
    for a sec | a minute | just this | this script | this file | this page | this test | this branch | this commit
    this pr | this one
    this task | this ticket | this change | this function | this class | this component | this endpoint | this query
    this case | this screen | this issue | this bug | anything else | other one | old one | new one | first one
    second one | never mind | no problem | no worries | no idea | i thought | i prefer option
    erstmal | erst mal | vorerst | noch nicht | heute | diesmal | keine ahnung | keine sorge | keine eile | immer noch
    nötig | einer neuen | eine neue | einen neuen | ein neues
    por ahora | todavía | aún | hoy | esta vez | la primera | la segunda | una nueva | uno nuevo
    pour l'instant | pour le moment | tout de suite | encore | cette fois | une nouvelle | un nouveau
    por enquanto | ainda | hoje
    per ora | per adesso | ancora
    voorlopig | nog niet | vandaag
    пока | сегодня | сейчас
    """
)
# What these words name is at hand: "in this request", "für diesen Aufruf"; but not "in this project".
THIS = _words(
    """
    this diese dieser diesen diesem dieses este esta ce cet cette neste nesta questo questa deze dit этом этой этого
    """
)
BEFORE_THIS = _words("in for of from on to with at für bei von en para de pour dans per im zu voor для в")
PLACE_NAMES = _words(
    """
    project repo repository codebase code monorepo team company projekt repositorium proyecto repositorio projet dépôt
    projeto repositório progetto проекте репозитории
    """
)
# They begin what is at hand: "use the value of the header, not …", "I prefer your version".
DEFINITE = _words(
    """
    the a an this that these those your my its it
    der die das den dem des ein eine einen einem dein deine deinen
    el la los las un una este esta ese esa tu
    le les une ce cette cet ton ta
    o os as um uma il lo gli i de het een
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
LIMITS = _words(
    """
    touch change modify edit commit push delete remove run start create add implement write merge deploy
    touche change modifie supprime commite pousse lance
    """
)
HARMLESS = _words(
    """
    worry bother mind forget know think see have care understand get need want hesitate happen show render display
    more mehr plus más
    """
)

EVER = _words(
    "always never immer nie niemals siempre nunca jamás toujours jamais sempre mai altijd nooit всегда никогда"
)
# After a verb they order, if the verb has no ending of a report: "schreib nie …", not "geht nie".
GERMAN_EVER, GERMAN_OBJECTS = _words("immer nie niemals"), _words("mich mir uns")
GERMAN_STATES = _words("hab habe kann will bin war muss soll darf es das wir ich sie er die der noch")
# Before a verb they forbid only if it has the ending of an order: "nunca uses", not "nunca funciona".
SPANISH_NEVER = _words("nunca jamás")
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
    """
    are were was had need get got can could will would may might want see still just should must have lost hit
    haben hatten sind waren brauchen bekommen können tenemos somos estamos necesitamos podemos avons sommes pouvons
    abbiamo siamo temos somos precisamos hebben zijn
    """
)
# After an "always" or "never" they order nothing: "always the same error", "never more than 60".
NO_ORDER = DEFINITE | HARMLESS | _words("wenn when noch pas")
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

# Of Chinese, Japanese and Korean. A correction begins with one of the first.
UNSPACED_REFUSES = (
    *("不对，", "不对,", "不是，", "不，", "不,", "错了，", "いや、", "違う、", "아니, ", "아니요, ", "아뇨, "),
)
# The same, up to a comma or colon, and what follows is for later.
UNSPACED_REMEMBERS = ("记住，", "记住：", "请记住，", "请记住：", "覚えておいて、", "기억해, ")
UNSPACED_ASKS = (
    *("为什么", "怎么", "如何", "什么", "哪", "吗"),
    *("なぜ", "どうして", "ますか", "ですか", "でしょうか"),
    *("왜", "뭐", "어떻게", "나요"),
)
# A clause begins with one of them.
UNSPACED_LASTS = (
    *("以后", "从现在开始", "从今以后", "永远不要", "绝对不要", "千万不要", "禁止", "一律"),
    *("我们用", "我们都", "我们不用", "我们从不", "我们不写", "我们统一", "我们这里", "我们一律"),
    *("今後", "これから", "このリポジトリでは", "このプロジェクトでは", "앞으로"),
)
# The first clause does, or it follows a "no".
UNSPACED_ORDERS = ("不要", "别", "必须", "务必", "一定要", "絶対", "절대", "항상", "반드시")
UNSPACED_HARMLESS = ("别的", "别忘", "别人", "别管", "别急", "不要紧", "不要忘")
# "Use X, not Y": the first clause begins with one of the first, a later one with one of the others.
UNSPACED_TAKES, UNSPACED_OVER = ("用", "使用"), ("不要用", "不用", "别用", "不要使用", "而不是")
# After a "no".
UNSPACED_PRESCRIBES = ("应该用", "要用", "必须", "不要", "不能", "を使", "사용")
# Both are in the sentence, and the second one ends it.
UNSPACED_PAIRS = (
    (("必ず", "常に", "絶対に"), ("ください", "して", "すること", "ないで", "ように")),
    (("ではなく", "じゃなくて"), ("使ってください", "使って", "使う", "使うこと", "にして", "にしてください")),
    (("ないで", "ないこと"), ("ないで", "ないでください", "ないこと")),
    (("말고", "대신"), ("사용해", "사용해줘", "사용해 줘", "사용하세요", "써", "써줘", "써 줘", "쓰세요")),
    (("지 마",), ("지 마", "지 마세요", "지 말아줘")),
)
UNSPACED_PASSES = (
    *("先不", "先别", "请先", "暂时", "今天", "现在不", "这次", "担心", "这个函数", "这个文件"),
    *("まだ", "今日", "今回", "とりあえず", "心配"),
    *("지금은", "오늘", "일단"),
)
