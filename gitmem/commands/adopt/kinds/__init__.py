"""The kinds of claims: the name of each, what finds its claims, and what judges them.

A further kind is a module beside this one, or in ``project`` if it is about the project as a whole, with a function
that finds its claims and one that finds their source in the code, and a row here.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import COMMAND, DEPENDENCY, PATH, SUBCOMMAND, SYMBOL, VALUE, VERSION
from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.claims.numbers import number_claims
from gitmem.commands.adopt.claims.paths import path_claims
from gitmem.commands.adopt.claims.symbols import symbol_claims
from gitmem.commands.adopt.judge.figures import constants_of
from gitmem.commands.adopt.judge.occurrence import find_symbol_culprit, judge_symbol
from gitmem.commands.adopt.judge.presence import judge_path
from gitmem.commands.adopt.judge.targets import judge_command
from gitmem.commands.adopt.kinds import (
    imports,
    link_anchors,
    markers,
    options,
    recipes,
    routes,
    signatures,
    subcommands,
    variables,
    words,
)
from gitmem.commands.adopt.kinds.kind import Kind
from gitmem.commands.adopt.kinds.project import (
    boundaries,
    counts,
    extras,
    members,
    pipelines,
    programs,
    properties,
    services,
    style,
    usage,
)
from gitmem.commands.adopt.kinds.sourced import sourced
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.kinds.kind import Basis
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement


def _judge_tied_symbol(mention: Mention, basis: Basis) -> JudgedClaim | None:
    tie = basis.ties.get((mention.document.path, mention.claim), "")
    return judge_symbol(mention, basis.corpus, basis.head, basis.past, tie=tie)


def _broke(finding: JudgedClaim, past: Past) -> str:
    return past.broke(finding.probe) if finding.probe is not None else ""


_MEMBER = sourced(
    members.MEMBER,
    members.member_claims,
    members.find_member,
    "no package is called {name}",
    doubt=members.find_folder,
    check=members.member_check,
    applies=members.is_readable,
)
# In the order in which the claims of a statement are listed.
KINDS = {
    kind.name: kind
    for kind in (
        Kind(PATH, path_claims, lambda mention, on: judge_path(mention, on.head, on.past), _broke),
        Kind(
            COMMAND,
            lambda statement, _: command_claims(statement),
            lambda mention, on: judge_command(mention, on.head, on.past),
            _broke,
            "`{token}` is not defined",
        ),
        sourced(
            recipes.RECIPE,
            recipes.recipe_claims,
            recipes.find_recipe,
            "says {token}",
            contradict=recipes.find_other_recipe,
        ),
        Kind(
            VERSION,
            lambda statement, _: number_claims(statement),
            lambda mention, on: on.numbers.judge_version(mention),
            _broke,
        ),
        Kind(
            VALUE,
            lambda *_: (),  # found with the versions
            lambda mention, on: on.numbers.judge_value(mention),
            _broke,
            words=constants_of,
        ),
        Kind(SYMBOL, symbol_claims, _judge_tied_symbol, find_symbol_culprit),
        Kind(
            DEPENDENCY,
            usage.package_claims,
            usage.judge_package,
            _broke,
            "no manifest lists {name}, and no code imports it",
            is_detail=True,
        ),
        Kind(
            usage.ABSENCE,
            usage.absence_claims,
            usage.judge_absence,
            _broke,
            "says {token}, but the project has it",
            words=lambda claim: [claim.name],
        ),
        replace(_MEMBER, judge=members.accuse_no_moved(_MEMBER.judge)),
        sourced(
            extras.EXTRA,
            extras.extra_claims,
            extras.find_extra,
            "no manifest defines the {token}",
            doubt=extras.find_unread,
            check=extras.extra_check,
            applies=extras.is_readable,
        ),
        sourced(
            services.SERVICE,
            services.service_claims,
            services.find_service,
            "no service is called {name}",
            check=services.service_check,
        ),
        replace(
            sourced(
                programs.PROGRAM,
                programs.program_claims,
                programs.find_program,
                "`{token}` does not exist",
                doubt=programs.find_macro,
                check=programs.program_check,
            ),
            culprit=programs.find_removal,
        ),
        replace(
            sourced(
                programs.TEST,
                programs.node_claims,
                programs.find_node,
                "`{token}` does not exist",
                check=programs.node_check,
            ),
            culprit=programs.find_removal,
        ),
        replace(
            sourced(
                counts.COUNT,
                counts.count_claims,
                counts.find_count,
                "says {token}",
                contradict=counts.find_other_count,
                words=counts.words_of,
            ),
            culprit=counts.find_count_culprit,
        ),
        sourced(
            boundaries.BOUNDARY,
            boundaries.boundary_claims,
            boundaries.find_kept_rule,
            "an import breaks “{token}”",
            contradict=boundaries.find_offence,
        ),
        sourced(
            style.STYLE,
            style.style_claims,
            style.find_style,
            "says {token}",
            contradict=style.find_other_style,
        ),
        sourced(
            properties.PROPERTY,
            properties.property_claims,
            properties.find_property,
            "says {name}",
            contradict=properties.find_other_value,
            check=properties.property_check,
        ),
        sourced(
            pipelines.JOB,
            pipelines.job_claims,
            pipelines.find_job,
            "no workflow has the job {name}",
            check=pipelines.job_check,
        ),
        sourced(
            pipelines.RUN,
            pipelines.run_claims,
            pipelines.find_run,
            "no workflow runs `{name}`",
            doubt=pipelines.find_similar_run,
        ),
        sourced(
            options.OPTION,
            options.option_claims,
            options.find_option,
            "no program has the option {token}",
            doubt=options.find_other_spelling,
            check=words.contains_name,
            words=options.spellings,
            applies=options.is_readable,
        ),
        sourced(
            variables.VARIABLE,
            variables.variable_claims,
            variables.find_variable,
            "the code does not read {token}",
            doubt=variables.find_other_use,
            check=words.contains_name,
            words=lambda claim: [claim.name],
        ),
        sourced(
            link_anchors.ANCHOR,
            link_anchors.anchor_claims,
            link_anchors.find_anchor,
            "{token} leads to no heading",
            doubt=link_anchors.find_similar,
            check=link_anchors.anchor_check,
        ),
        sourced(
            markers.MARKER,
            markers.marker_claims,
            markers.find_marker,
            "no test has the marker {name}",
            check=markers.marker_check,
        ),
        sourced(
            signatures.SIGNATURE,
            signatures.signature_claims,
            signatures.find_signature,
            "{token} is not defined with these parameters",
            partly=signatures.find_open_signature,
            contradict=signatures.find_other_signature,
            words=lambda claim: [signatures.name_of(claim)],
        ),
        sourced(
            imports.IMPORT,
            imports.import_claims,
            imports.find_import,
            "{token} cannot be imported",
            partly=imports.find_open_module,
            doubt=imports.find_same_import,
            check=imports.import_check,
            words=lambda claim: [claim.name],
        ),
        sourced(
            SUBCOMMAND,
            subcommands.subcommand_claims,
            subcommands.find_subcommand,
            "`{token}` is not a command of the program",
            doubt=subcommands.find_literal,
            words=subcommands.spellings,
            applies=subcommands.is_own,
        ),
        sourced(
            routes.ROUTE,
            routes.route_claims,
            routes.find_route,
            "no server has the route {token}",
            partly=routes.find_route_end,
            doubt=routes.find_path,
            words=routes.words_of,
        ),
    )
}


# A longer paragraph, row or block is data. Each claim in it would be compared with all of it.
LONGEST_STATEMENT = 50_000
# What is crossed out. Source: GitHub Flavored Markdown 0.29, section 6.5.
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,500}~~")


def claims_of(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the claims of a statement, of all kinds; none of one that is too long to be one."""
    if sum(map(len, statement.lines)) > LONGEST_STATEMENT:
        return
    if any("~~" in line for line in statement.lines):
        statement = replace(statement, lines=tuple(_STRUCK.sub("", line) for line in statement.lines))
    for kind in KINDS.values():
        yield from kind.claims(statement, document)
