"""Send saved questions to a hub, and show how their answers have changed since the last time.

It asks all saved questions again, or those that you name, prints what is new, gone or changed, and exits with 1 if
anything is. Run it from a scheduler: it prints nothing if nothing has changed.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output, quantity
from gitmem.config import state_home, variable
from gitmem.errors import NotFoundError, UsageError
from gitmem.frozen import fields_of, replace
from gitmem.model import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.hub.questions import Change, Question

EXAMPLES = (
    "gitmem hub ask --save port who assumes port 8080",
    "gitmem hub ask --save broken what is broken --status failed --repository payments/api",
    "gitmem hub ask",
    "gitmem hub ask port",
    "gitmem hub ask --list",
)
# Nobody waits at a keyboard: the hub may take longer than for a typed `recall`.
LIMIT_S = 10.0
HITS_AT_MOST = 100


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``ask``."""
    about = "the saved questions to ask again (all); with --save, the question in your own words"
    parser.add_argument("words", metavar="NAME", nargs="*", help=about)
    parser.add_argument("--save", default="", metavar="NAME", help="record a question under this name, and send it")
    parser.add_argument("--forget", default="", metavar="NAME", help="delete a saved question")
    parser.add_argument("--list", action="store_true", help="list the saved questions")
    which = parser.add_argument_group("which memories, with --save")
    which.add_argument("--kind", action="append", default=[], metavar="KIND", help="only this kind")
    about = f"only this status: {', '.join(STATUSES)}"
    which.add_argument("--status", action="append", default=[], choices=STATUSES, metavar="STATUS", help=about)
    about = "only memories by this person or agent"
    which.add_argument("--by", action="append", default=[], metavar="NAME", help=about)
    about = "only this repository of the hub"
    which.add_argument("--repository", action="append", default=[], metavar="NAME", help=about)
    about = "only texts in this language"
    which.add_argument("--language", action="append", default=[], metavar="NAME", help=about)
    about = f"maximum number of memories in an answer (20; at most {HITS_AT_MOST})"
    which.add_argument("--limit", type=positive, default=20, metavar="N", help=about)
    which.add_argument("--hub", default="", metavar="URL", help="the hub's address (gitmem.hub)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Save, delete, list or ask questions; return 1 if an answer changed, 3 if the hub did not answer."""
    if bool(args.save) + bool(args.forget) + args.list > 1 or (args.words and (args.forget or args.list)):
        raise UsageError("give one of: NAME…, --save, --forget, --list", hint="gitmem hub ask --save NAME WORDS…")
    from gitmem.hub.questions import FILE_NAME, read_questions, write_questions

    path = Path(state_home()) / FILE_NAME
    questions = read_questions(path)
    if args.list:
        return _list(questions, args, out)
    if args.forget:
        _need(questions, args.forget)
        write_questions(path, {name: question for name, question in questions.items() if name != args.forget})
        out.result(args.forget, f"deleted the question {args.forget}")
        return 0
    if args.save:
        names = [args.save]
        questions |= {args.save: _typed(args)}
    else:
        names = list(dict.fromkeys(args.words)) or list(questions)
        for name in names:
            _need(questions, name)
    answered, changes, problems = _ask(questions, names)
    write_questions(path, questions | answered)
    if args.json:
        tables = {name: [fields_of(change) for change in listed] for name, listed in changes.items()}
        out.json({"changes": tables, "problems": problems})
    else:
        _print(changes, out)
    for name, problem in problems.items():
        out.note(f"{name} was not asked: {problem}")
    if args.save and args.save in answered:
        out.note(f"saved {args.save}; its answer has {_size(answered[args.save])}; to see changes: gitmem hub ask")
    elif not questions:
        out.note("no questions are saved; to save one: gitmem hub ask --save NAME WORDS…")
    if problems:
        return 3
    return int(any(changes.values()))


def _size(question: Question) -> str:
    return quantity(len(question.answer or ()), "memory", "memories")


def _need(questions: dict[str, Question], name: str) -> None:
    """Check that a question with this name was saved.

    Raises:
        NotFoundError: None was.
    """
    if name not in questions:
        raise NotFoundError(f"no saved question has the name {name}", hint="gitmem hub ask --list")


def _typed(args: Arguments) -> Question:
    """Return the question that was typed.

    Raises:
        UsageError: It is empty, or no hub is set.
    """
    from gitmem.hub.questions import Question

    text = " ".join(args.words).strip()
    if not text:
        raise UsageError("the question is empty", hint="gitmem hub ask --save NAME WORDS…")
    parameters = [("q", text), ("limit", str(min(args.limit, HITS_AT_MOST)))]
    filters = {"kind": args.kind, "status": args.status, "owner": args.by}
    filters |= {"repository": args.repository, "language": args.language}
    parameters += [(name, value) for name, values in filters.items() for value in values]
    return Question(args.hub or _hub(), tuple(parameters))


def _hub() -> str:
    """Return the address of the hub that is set up.

    Raises:
        UsageError: None is.
    """
    from gitmem.config import git_environment
    from gitmem.system.process import run as start

    # A repository's own setting would decide where the question and the token go.
    configured = start(["git", "config", "--global", "--get", "gitmem.hub"], env=git_environment(), check=False).stdout
    site = variable("GITMEM_HUB") or configured.decode("utf-8", "replace").strip()
    if site in ("", "off"):
        raise UsageError("no hub is set", hint="--hub URL, or git config --global gitmem.hub URL")
    return site


def _ask(
    questions: dict[str, Question], names: list[str]
) -> tuple[dict[str, Question], dict[str, list[Change]], dict[str, str]]:
    """Ask questions; return those that were answered, what changed in each, and why others were not answered."""
    from gitmem.hub import client
    from gitmem.hub.questions import answer_of, list_changes

    answered: dict[str, Question] = {}
    changes: dict[str, list[Change]] = {}
    problems: dict[str, str] = {}
    for name in names:
        question = questions[name]
        answer = client.ask(question.site, question.asked, token=variable("GITMEM_HUB_TOKEN"), limit_s=LIMIT_S)
        if answer.problem:
            problems[name] = answer.problem
            continue
        now = answer_of(answer.hits)
        changes[name] = [] if question.answer is None else list_changes(question.answer, now)
        answered[name] = replace(question, answer=now)
    return answered, changes, problems


def _print(changes: dict[str, list[Change]], out: Output) -> None:
    for name, listed in changes.items():
        for change in listed:
            if not out.is_terminal:
                out.row(name, change.what, change.reference, change.status, change.title, change.was)
                continue
            status = f"{change.was or 'without a status'} → {change.status}" if change.was else change.status
            out.line(
                (change.what, "bold"),
                f" for {name}  ",
                (change.reference, "key"),
                f"  {change.title}  ",
                (status, "dim"),
            )


def _list(questions: dict[str, Question], args: Arguments, out: Output) -> int:
    if args.json:
        tables = {
            name: {
                "site": question.site,
                "asked": [list(pair) for pair in question.asked],
                "hits": len(question.answer or ()),
            }
            for name, question in questions.items()
        }
        out.json({"questions": tables})
        return int(not questions)
    for name, question in questions.items():
        if out.is_terminal:
            out.line((name, "bold"), f"  {question.text}  ", (_size(question), "dim"))
        else:
            out.row(name, question.text, question.site, str(len(question.answer or ())))
    if not questions:
        out.note("no questions are saved; to save one: gitmem hub ask --save NAME WORDS…")
    return int(not questions)
