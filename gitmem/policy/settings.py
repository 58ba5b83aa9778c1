"""The settings of a policy, a class a section, with their defaults. Pure."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import ENGLISH

# Settings that only a person's own configuration decides, and how it does: others write the memory branch. What a
# store's file says of them is read, so that older stores go on, and has no effect.
OWN = {
    "secrets.allow": "git config --add gitmem.secretsAllow RULE",
    "stops.push": "git config --global gitmem.stopPush true",
}


@frozen
class Weights:
    """What an occurrence of a word counts in each field, >= 0."""

    # Measured on the recall benchmark: 2 or 4 for the title loses; 1 for the tags loses; a key repeats the title
    # (`search.engine.FIELD_WEIGHTS`).
    title: float = 3.0
    tags: float = 2.0
    key: float = 0.5
    paths: float = 1.0
    body: float = 1.0


@frozen
class StatusFactors:
    """What a memory's score is multiplied by, by its status, > 0; a memory without one keeps its score."""

    # The order is the design's (section 1). The sizes are ours: of two equal matches the better proved one comes first,
    # and a much better match comes first whatever its status.
    verified: float = 1.1
    stale: float = 0.95
    unproven: float = 0.9
    suspect: float = 0.7
    failed: float = 0.5


@frozen
class ScopeFactors:
    """What a memory's score is multiplied by, by its scope, > 0: of two equal matches, the nearer one comes first."""

    project: float = 1.0
    private: float = 0.95
    domain: float = 0.9
    universal: float = 0.85
    listed: float = 0.8


@frozen
class FactorSizes:
    """How far a factor may move a score, as a share of it (``search.score.Ranking`` says why so far)."""

    recency: float = 0.5
    importance: float = 0.2
    confidence: float = 0.3
    workspace: float = 0.2
    provenance: float = 0.15


@frozen
class WorkPoints:
    """What having to do with the work at hand counts: the sum orders a digest, each part is a factor of recall.

    Attributes:
        path: For a memory about the very place; less for one beside it (``recall.score.path_overlap``).
        dependency: For one that requires what is worked on, or is required by it.
        recency: For a new one; it halves in the half-life.
        double: So many points double the score of a hit.
    """

    # Beans (B5): "path_overlap × 3 + dependency_match × 5 + recency × 1".
    path: float = 3.0
    dependency: float = 5.0
    recency: float = 1.0
    # A memory about the very place counts 1.5 times: that lifts a second place to the first (`recall.score`).
    double: float = 6.0


@frozen
class DenseSettings:
    """How meaning (the vectors of an embedding provider) counts beside words; 0 switches each off.

    Attributes:
        weight: What meaning counts, words counting 1, for a question whose nearest memories stand out as chance would
            have it.
        adapt: The power by which it counts more where they stand out more, and less where less.
        common: A question is embedded a second time without the words that more than this share of memories have.
        mmr: What being unlike the hits above counts, 0 to 1 (1 - lambda of MMR).
        gate: The cosine that the best hit must have for anything to be told unasked.
        floor: The share of the best score that a hit must have to be told unasked.
        turn_floor: The same for what is told with every prompt.
    """

    # Measured (`recall.fuse`, `recall.distinctive_words`). A weight of 0.5 to 1 and a power of 2 to 6 change the mean
    # of the four tasks by .007 at most; 0.15 to 0.5 for `common` by less.
    weight: float = 0.7
    adapt: float = 4.0
    common: float = 0.4
    # Measured: it decides between hits of nearly the same score, and costs .004 nDCG@10 on Cranfield and nothing
    # elsewhere; 0.2 costs .016 there and .006 on CoSQA.
    mmr: float = 0.05
    # Dotfiles, for what is injected unasked: "any hit whose score falls below 60% of the best is dropped", per turn a
    # "0.85 relative tail floor" and an "absolute top-cosine 0.55 gate". Measured with MiniLM: of the benchmark's
    # questions put to a store of another task none passes (talk in a store of code reaches 0.45 at best), of those
    # put to their own store 40 to 85 %.
    gate: float = 0.55
    floor: float = 0.6
    turn_floor: float = 0.85


@frozen
class RecallSettings:
    """How recall ranks and cuts.

    Attributes:
        half_life_days: In how many days a memory loses half of what age can take.
        access_boost_max: The largest factor for memories that are read often.
        access_recency_hours: Within how many hours of the last read the boost counts whole.
        candidate_multiplier: How many candidates are ranked for each hit that is asked for.
        relative_floor: Hits below this share of the best one are dropped.
        without: The factors that are switched off.
        work: ``asked``: changed files and held tasks are looked for where a question says so; ``always``: for each.
        weights, status, scope, factors, points, dense: ``[recall.weights]`` and so on.
        domains: The project's domains: memories of the domain scope that share one of them are read here.
        language: The language whose stems words are searched by (``kinds.language``).
    """

    # Agent Swarm, "Configuration": MEMORY_RECENCY_HALF_LIFE_DAYS 14, MEMORY_ACCESS_BOOST_MAX 1.5,
    # MEMORY_ACCESS_RECENCY_HOURS 48, MEMORY_CANDIDATE_MULTIPLIER 3.
    half_life_days: float = 14.0
    access_boost_max: float = 1.5
    access_recency_hours: float = 48.0
    candidate_multiplier: float = 3.0
    # Measured: 0.1 drops 3 % of the ten best on the recall benchmark and 0.1 % of the right ones (`recall.score`).
    relative_floor: float = 0.1
    weights: Weights = Weights()
    status: StatusFactors = StatusFactors()
    scope: ScopeFactors = ScopeFactors()
    factors: FactorSizes = FactorSizes()
    points: WorkPoints = WorkPoints()
    dense: DenseSettings = DenseSettings()
    without: tuple[str, ...] = ()
    work: str = "asked"
    domains: tuple[str, ...] = ()
    language: str = ENGLISH


# What may make `check` say no: a fact that becomes false; also one that could not be checked; or nothing.
FAIL_ON = ("newly_false", "unchecked", "never")


@frozen
class CheckSettings:
    """What makes `check` say no.

    Attributes:
        fail_on: One of ``FAIL_ON``.
    """

    # DESIGN, section 6: a run that proved nothing is not green.
    fail_on: str = "unchecked"


@frozen
class VerifySettings:
    """How checks are run and which verdicts count.

    Attributes:
        setup: A shell command that is run before each check, part of every specification; or empty.
        folders: Folders of the work tree, ignored by git, that a check sees and may change a private copy of, sorted.
        timeout_s: Time limit of a check that names none.
        ttl_s: How long a verdict counts for a memory that names no time; None = for ever.
        jobs: Checks run in parallel; 0 = one per core.
        min_sandbox: The least rung whose verdicts count (``kinds.rung``); empty = any.
        claimed: Whether verdicts count that were made in another clone.
        default_branch: The code branch whose verdicts are committed; empty = found from git.
        trace: ``auto``: what a check reads is looked at where strace works; ``off``: never.
    """

    setup: str = ""
    folders: tuple[str, ...] = ()
    # A choice of ours: a minute is long for a check and short for whoever waits; a test suite names its own.
    timeout_s: int = 60
    # Beans: "Default TTL: 30 days".
    ttl_s: int | None = 30 * 86_400
    jobs: int = 0
    min_sandbox: str = ""
    claimed: bool = True
    default_branch: str = ""
    trace: str = "auto"


@frozen
class ContextSettings:
    """How much a session is told."""

    # Beans: "Token budget: ~4000 default", "closed beans from last 7 days". AI Memory Module: 500 tokens a shard.
    budget_tokens: int = 4000
    max_memory_tokens: int = 500
    recent_days: int = 7


@frozen
class DuplicateSettings:
    """What counts as said already.

    Attributes:
        threshold: How much two memories must say the same, 0 to 1; 1 = the same words only, 0 = nothing is compared.
    """

    # C, "Duplicate Detection": "Semantic Duplicate (similarity > 0.85)". On 153 labelled pairs the lexical measure is
    # the same from 0.75 to 0.9 (`likeness`, benchmarks/README.md).
    threshold: float = 0.85


@frozen
class ReviewSettings:
    """What a review of a change of the memory calls failed.

    Attributes:
        fail_on: The severity of a finding from which on it does: ``error``, ``warning``, ``note``, or ``never``.
    """

    fail_on: str = "error"


@frozen
class StopSettings:
    """What is done when an agent stops; nothing of what it knows is kept then.

    Attributes:
        worktree: Whether a sub-agent in a work tree of its own is asked to leave nothing uncommitted.
        push: Whether it is asked to push its branch, by a person's own configuration.
        task: Whether it is asked to end the tasks that it began.
        exempt: Types of sub-agents that are asked nothing.
        log: ``off``; ``activity``: stops are logged in this clone; ``responses``: and what was said.
    """

    worktree: bool = False
    push: bool = False
    task: bool = False
    # A, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = ("worker-supervisor",)
    log: str = "off"


@frozen
class CaptureSettings:
    """What is captured unasked while an agent works; what it says it learnt always is.

    Attributes:
        edits: ``off``, or ``patterns``: what an edit defines becomes a code pattern.
        fixes: Whether a command that failed and then passed becomes a candidate for a gotcha.
        notes: Whether note files that an agent writes become memories.
        exempt: Types of sub-agents of whose work nothing is captured unasked.
    """

    # C stores each edit (C3). git has them all already, and hundreds a day would bury what was learnt: C's own document
    # says of its session start that it "returns random code patterns (low relevance)". So only a store that wants it.
    edits: str = "off"
    fixes: bool = True
    notes: bool = True
    # A, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = ("worker-supervisor",)


@frozen
class SecretSettings:
    """Which secrets rules are silenced, by a person's own configuration.

    Attributes:
        allow: Names of rules that never refuse a memory here.
    """

    allow: tuple[str, ...] = ()


@frozen
class RotationSettings:
    """When old memories of a kind go to the archive.

    Attributes:
        limit: More live memories of one kind than this, and the oldest go; 0 = never.
        move: How many go at once.
        kinds: The kinds that are rotated: what machines capture. What a person decided or proved is none of them.
    """

    # A: "When knowledge.jsonl exceeds 1,000 lines, the oldest 500 are moved to knowledge.archive.jsonl".
    limit: int = 1000
    move: int = 500
    kinds: tuple[str, ...] = ("learned", "session")


@frozen
class SessionSettings:
    """What an agent's session is told unasked.

    Attributes:
        profile: ``bmad``: session summaries alone at the start, and nothing with a prompt; empty: everything.
        budget_tokens: Tokens of what a start tells, for a role that names no other number.
        spec_tokens: A topic's specification that is longer is left out, with a pointer to it.
        worklog_entries: How many of the last commands and edits are told after a compaction.
        newest: How many of the newest memories a start tells.
        discipline: Whether a start says how claims are to be backed.
        prompt: Whether memories are recalled for each prompt.
        limit: How many at most, and how many for a topic.
        gate: What the words that the best hit has of a prompt must tell: as much as so many words that only one memory
            has.
        coverage: The share of a prompt that the best hit must have, by the rarity of its words.
    """

    profile: str = ""
    # Issue 6: "a digest of a store of 1,000 memories <= 1,500 tokens by default".
    budget_tokens: int = 1500
    spec_tokens: int = 500
    worklog_entries: int = 10
    # Beadboard: "displays the 5 most recent deduplicated entries when a new session begins".
    newest: int = 5
    discipline: bool = True
    prompt: bool = True
    # Dotfiles: "up to three matching capsules". Its floors and its gate by meaning are those of ``[recall.dense]``.
    limit: int = 3
    # Measured on the task `developer` (188 questions with an answer, 18 without) and 28 prompts about nothing in it
    # ("fix the failing test"): this pair tells something for 117, 0 and 3, and for 109 of the 117 what helps.
    gate: float = 1.75
    coverage: float = 0.25


@frozen
class WorkflowSettings:
    """What a step of a workflow reads and writes.

    Attributes:
        budget_tokens: Tokens of what is told before a work, for a role that names no other number.
        limit: Memories of each part at most.
        min_tokens, max_tokens: How long what is stored after a work may be.
    """

    # AI Memory Module: "Developer 1000", pre-work-search "--limit: Max results (default: 3)"; "Per-Shard Limits":
    # 50 to 500 tokens.
    budget_tokens: int = 1000
    limit: int = 3
    min_tokens: int = 50
    max_tokens: int = 500


@frozen
class Role:
    """What a start tells a role.

    Attributes:
        budget_tokens: At most this many; 0 = the session's.
        kinds: The kinds that come first; empty for none.
    """

    budget_tokens: int = 0
    kinds: tuple[str, ...] = ()


_DISCUSSIONS = ("decision", "discussion")
ROLES: dict[str, Role] = {
    # AI Memory Module, "Per-Agent Token Budgets" and "Agent Memory Summary Table" (C7).
    "architect": Role(1500, ("code_pattern", *_DISCUSSIONS)),
    "analyst": Role(1200, _DISCUSSIONS),
    "pm": Role(1200, _DISCUSSIONS),
    "developer": Role(1000, ("code_pattern",)),
    "tea": Role(1000, ("code_pattern",)),
    "tech_writer": Role(1000, ("convention",)),
    "ux_designer": Role(1000, _DISCUSSIONS),
    "quick_flow": Role(1000, ("code_pattern", *_DISCUSSIONS)),
    "sm": Role(800, _DISCUSSIONS),
    # Dotfiles, "Memory flow during a Ralph run" (E7); the planner gets the broadest slice.
    "planner": Role(),
    "executor": Role(0, ("fact", "recipe", "gotcha", "anti_pattern", "pattern")),
    "reviewer": Role(0, ("gotcha", "anti_pattern")),
    "re_reviewer": Role(0, ("gotcha", "anti_pattern", "principle")),
}
# What BMAD's module calls its agents, where the table has another name.
ROLE_ALIASES = {"dev": "developer", "quick_flow_solo_dev": "quick_flow"}


def role_name(typed: str) -> str:
    """Return a role's name as the table has it: ``tech_writer`` for ``Tech Writer``, ``developer`` for ``dev``."""
    name = "_".join(typed.lower().replace("-", " ").replace("_", " ").split())
    return ROLE_ALIASES.get(name, name)
