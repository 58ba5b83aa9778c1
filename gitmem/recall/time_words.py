"""The words that name a time in a question, which ``recall.when`` reads."""

from __future__ import annotations

_MONTHS = (
    "january jan januar janvier enero gennaio janeiro januari",
    "february feb februar février fevrier febrero febbraio fevereiro februari",
    "march mar märz maerz mars marzo março maart",
    "april apr avril abril aprile",
    "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août aout agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember décembre diciembre dicembre dezembro",
)
HOUR = 1 / 24
_UNITS = (
    (HOUR, "hour hours stunde stunden heure heures hora horas ora ore uur uren"),
    (14, "fortnight fortnights"),
    (1, "day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen"),
    (7, "week weeks woche wochen semaine semaines semana semanas settimana settimane weken"),
    (30, "month months monat monate monaten mois mes meses mese mesi mês maand maanden"),
    (91, "quarter quarters quartal quartale quartals trimestre trimestres trimestri kwartaal kwartalen"),
    (365, "year years jahr jahre jahren an ans année année années año años anno anni ano anos jaar jaren"),
)
QUARTER = frozenset("quarter quartal quartals trimestre kwartaal".split())
_ORDINALS = (
    "first 1st erste erster erstes ersten premier primer primo primeiro eerste",
    "second 2nd zweite zweiter zweites zweiten deuxième segundo secondo tweede",
    "third 3rd dritte dritter drittes dritten troisième tercer terzo terceiro derde",
    "fourth 4th vierte vierter viertes vierten quatrième cuarto quarto vierde",
)
# By their first month: the seasons of meteorology in the northern half of the world.
_SEASONS = (
    (3, "spring frühling frühjahr printemps primavera lente voorjaar"),
    (6, "summer sommer été verano estate verão zomer"),
    (9, "autumn fall herbst automne otoño autunno outono herfst najaar"),
    (12, "winter hiver invierno inverno"),
)
# What a question about the past does not have: "what must I check before the release" names no time.
ADVICE = frozenset(
    "should must need needs shall can soll sollen muss müssen dürfen darf faut doit devons debe hay".split()
)
ARTICLE = frozenset("the der das die dem den la le les el los il lo o de het".split())
# The words of a title that says that something has happened, such as "the migration is done".
COMPLETED = frozenset(
    "done finished complete completed over migrated moved switched shipped launched released happened"
    " fertig abgeschlossen erledigt beendet umgestellt migriert umgezogen"
    " terminé terminée fini finie faite achevée migré migrée terminado terminada hecho hecha completada migrado".split()
)
_NEWEST = (
    "latest newest neueste neuester neuestes neuesten jüngste aktuellste nieuwste"
    " récent récente récents récentes reciente recientes"
)
_OLDEST = "oldest earliest älteste ältester ältesten oudste"
# These order memories only before a word for something that is recorded: "the last item of a list" asks for no time.
_LAST_OF = (
    "last recent letzte letzter letztes letzten dernier dernière derniers dernières último última ultimo ultima laatste"
)
_FIRST_OF = (
    "first original erste erster erstes ersten premier première primero primera primer primo prima primeiro primeira"
    " eerste"
)
_RECORDED = (
    "change changes decision decisions fix fixes gotcha gotchas lesson lessons memory memories mention news note notes"
    " outage incident release releases support update updates änderung änderungen entscheidung entscheidungen"
    " changement changements décision décisions cambio cambios decisión decisiones modifica decisione mudança decisão"
    " wijziging besluit"
)
_OPENING = "the show which me tell are about our most is were what was das die der ist quel la le quelle est"
_LAST = (
    "last past letzte letzter letztes letzten letztem vergangene vergangener vergangenes vergangenen dernier dernière"
    " derniers dernières último última últimos últimas pasado pasada ultimo ultima ultimi ultime scorso scorsa passado"
    " passada laatste afgelopen vorige vorig"
)
# Plurals that follow their number: les trois derniers mois.
_LAST_AFTER = "derniers dernières últimos últimas ultimi ultime"
_THIS = "this current diese dieser dieses diesem diesen ce cette este esta questo questa deze dit"
_SINCE = "since seit depuis desde da dal sinds from ab"
_AFTER = "after nach après despues después dopo depois na"
_BEFORE_WORDS = "before vor avant antes prima voor"
_UNTIL = "until till by bis jusqu'en hasta fino até tot"
_IN = "in on during im am en au em nel op within"
_BETWEEN = "between zwischen entre tra tussen from von"
_AND = "and und et y e en to bis à a"
# The unit before the last one: vorletzte Woche, la semana antepasada. English says "the week before last".
_BEFORE_LAST = (
    "vorletzte vorletzten vorletzter vorletztes avant-dernier avant-dernière antepasada antepasado retrasada retrasado"
    " voorlaatste"
)
_OVER = "over übers"
# Of today after "this", of the evening before after "last".
_PARTS = "morning afternoon evening night matin soir après-midi nuit mañana tarde noche nacht notte mattina sera"
_NIGHT = "night nacht nuit noche notte"
# A message of a program says how long ago: "the certificate expired 2 hours ago".
_REPORTED = "expired exited modified built started up abgelaufen expiré caducado"
# A bound, not a time: "sessions older than two days ago", "at least a week ago".
_THAN = "than least over als"
# What programs do with a span of time, now and always: "keeps the last 5 days of logs", "the average of the past week".
_SPANNING = (
    "keep keeps keeping hold holds holding retain retains retaining store stores storing save saves saving cover covers"
    " covering span spans shows displays plots reads scans loads returns counts includes aggregates limit limits delete"
    " deletes drop drops purge purges prune prunes archive archives remove removes only except untouched"
    " average window sum total retention defaults default emails sends exports imports uses fetches pulls considers"
    " aufbewahren behalten behält speichern speichert zeigt löscht nur conserver"
    " conserve garder garde affiche seulement guardar guarda conservar conserva muestra solo sólo conservare mostra"
    " guardare bewaart bewaren toont alleen"
)
# A question with one of these is about what people did or what happened.
_HAPPENED = (
    "did was were had happened came haben hatten hat wurde wurden avons était étaient hemos ha han fue abbiamo hebben"
    " heeft"
)
_PEOPLE = "we i us wir nous"
# These take the newest of something, whenever it was recorded: "install the latest version".
_TAKES = "install installs use uses pull pulls pin pins upgrade run runs deploy deploys fetch fetches require requires"
# Events happen once: "the incidents of the last two weeks" names a time, "the orders of the last two weeks" does not.
_EVENTS = (
    "anything something everything nothing new different happening going failing breaking happened commit commits bug"
    " bugs problem problems failure failures regression regressions postmortem postmortems review reviews meeting"
    " meetings migration migrations outages incidents learning learnings discussion discussions work refactoring neues"
    " problem probleme fehler ausfall ausfälle vorfall vorfälle nouveau panne pannes problème problèmes incidents"
    " correctif correctifs leçon leçons nuevo fallo fallos problema problemas incidente incidentes error errores"
    " lección lecciones problemi guasti decisioni modifiche falhas mudanças decisões storingen problemen besluiten"
    " wijzigingen"
)
# A sentence with one of these says what holds at all times: "the logs of the last week are rotated".
_ALWAYS = (
    "is are does do be get gets stay stays remain remains will can should must wird werden bleibt bleiben kann soll"
    " muss sont reste restent doit peut son están queda quedan debe puede viene vengono resta restano deve são fica"
    " ficam wordt worden blijft blijven moet"
)
_WHICH = "that which who die der das welche qui que che"
# Before a span: "logs of the last week" says which logs, "changed in the last week" says when.
_SPAN_OF = (
    "of from for to der des von aus für de du del des pour sur para sobre di da dei degli delle dos das van uit voor"
)
_SPAN_IN = (
    "in on over during within since am im während innerhalb seit dans pendant durant depuis en durante desde nel nella"
    " nei negli nelle em no nos na nas tijdens sinds"
)
_PAST_UNITS = (
    "past última últimas ultima ultime dernière dernières último últimos ultimo ultimi dernier derniers afgelopen"
)
_AGO = "ago her zuvor geleden fa atrás"
# Before a number that these make another one: half a year ago, minus two days ago, one hundred five days ago.
_HALF = "half"
_PART_OF_NUMBER = "minus plus hundred thousand"
# The same before the number: vor drei Wochen, il y a trois semaines, hace tres semanas, há três semanas.
_AGO_FIRST = "vor a hace há"
_FILLER = "the of de del der den dem des du la le les el il o os das die den di do da dos early late mid about"
_TODAY = "today tonight heute aujourd'hui hoy oggi hoje vandaag"
_YESTERDAY = "yesterday gestern hier ayer anoche ieri ontem gisteren"
_DAY_BEFORE = "vorgestern avant-hier anteayer avantieri anteontem eergisteren"
WORDS = {
    name: frozenset(words.split())
    for name, words in {
        "opening": _OPENING,
        "newest": _NEWEST,
        "oldest": _OLDEST,
        "last_of": _LAST_OF,
        "first_of": _FIRST_OF,
        "recorded": _RECORDED,
        "last": _LAST,
        "last_after": _LAST_AFTER,
        "this": _THIS,
        "since": _SINCE,
        "after": _AFTER,
        "before": _BEFORE_WORDS,
        "until": _UNTIL,
        "in": _IN,
        "between": _BETWEEN,
        "and": _AND,
        "ago": _AGO,
        "than": _THAN,
        "spanning": _SPANNING,
        "happened": _HAPPENED,
        "people": _PEOPLE,
        "takes": f"{_TAKES} {_SPANNING}",
        "events": f"{_EVENTS} {_RECORDED}",
        "always": _ALWAYS,
        "which": _WHICH,
        "span_of": _SPAN_OF,
        "span_in": _SPAN_IN,
        "past_units": _PAST_UNITS,
        "half": _HALF,
        "part_of_number": _PART_OF_NUMBER,
        "ago_first": _AGO_FIRST,
        "filler": _FILLER,
        "today": _TODAY,
        "yesterday": _YESTERDAY,
        "day_before": _DAY_BEFORE,
        "before_last": _BEFORE_LAST,
        "over": _OVER,
        "parts": _PARTS,
        "night": _NIGHT,
        "reported": _REPORTED,
    }.items()
}
MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
UNIT = {name: days for days, names in _UNITS for name in names.split()}
_NUMBERS = (
    "a an one ein eine einem einen einer un une uno una um uma een",
    "two couple par zwei deux dos due dois duas twee",
    "three few paar quelques unos unas qualche alguns algumas drei trois tres tre três drie",
    "four vier quatre cuatro quattro quatro",
    "five fünf cinq cinco cinque vijf",
    "six sechs seis sei zes",
    "seven sieben sept siete sette sete zeven",
    "eight acht huit ocho otto oito",
    "nine neun neuf nueve nove negen",
    "ten zehn dix diez dieci dez tien",
    "eleven elf onze once undici",
    "twelve zwölf douze doce dodici doze twaalf",
)
_LARGER = (
    (13, "thirteen dreizehn treize trece"),
    (14, "fourteen vierzehn quatorze catorce"),
    (15, "fifteen fünfzehn quinze quince quindici"),
    (16, "sixteen sechzehn seize"),
    (17, "seventeen siebzehn dix-sept"),
    (18, "eighteen achtzehn dix-huit"),
    (19, "nineteen neunzehn dix-neuf"),
    (20, "twenty zwanzig vingt veinte venti vinte twintig"),
    (30, "thirty dreißig trente treinta trenta trinta dertig"),
    (40, "forty vierzig quarante cuarenta"),
    (50, "fifty fünfzig cinquante cincuenta"),
    (60, "sixty sechzig soixante sesenta"),
    (90, "ninety neunzig noventa"),
)
COUNTS = {name: number for number, names in (*enumerate(_NUMBERS, 1), *_LARGER) for name in names.split()}
_WEEKDAYS = (
    "monday montag lundi lunes",
    "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes",
    "saturday samstag samedi sábado",
    "sunday sonntag dimanche domingo",
)
WEEKDAY = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
SINCE_DAY = frozenset("since seit depuis desde dal sinds".split())
# What is written in several words, or without spaces, as the English words that are read.
PHRASES = (
    ("un'ora", "un ora"),
    *((name, "weekend") for name in ("week-end", "fin de semana", "fim de semana", "fine settimana", "wochenende")),
    *((name, "day-before-yesterday") for name in ("day before yesterday", "前天", "一昨日")),
    *((name, " the week before last ") for name in ("上上周", "上上週", "先々週")),
    *((name, " last week ") for name in ("上周", "上週", "上个星期", "上星期", "先週")),
    *((name, " last month ") for name in ("上个月", "上個月", "上月", "先月")),
    *((name, " this week ") for name in ("本周", "本週", "这周", "這週", "今週")),
    *((name, " this month ") for name in ("本月", "这个月", "這個月", "今月")),
    *((name, " last year ") for name in ("去年", "昨年")),
    ("今年", " this year "),
    *((name, " yesterday ") for name in ("昨天", "昨日")),
    *((name, " today ") for name in ("今天", "今日")),
    *((name, " latest ") for name in ("最新的", "最新", "最近的")),
    *((name, " days ago ") for name in ("天前", "日前")),
    *((name, " weeks ago ") for name in ("周前", "週前", "星期前", "週間前")),
    *((name, " months ago ") for name in ("个月前", "個月前", "か月前", "ヶ月前")),
    *((name, " years ago ") for name in ("年前",)),
    *((name, " hours ago ") for name in ("小时前", "小時前", "時間前")),
)
HAN_NUMBERS: dict[str, int] = dict(zip("一二三四五六七八九十两兩", (*range(1, 11), 2, 2), strict=True))
ORDINAL = {name: number for number, names in enumerate(_ORDINALS, 1) for name in names.split()}
SEASON = {name: month for month, names in _SEASONS for name in names.split()}
