"""Profiles: policies that make a store behave like one of the five systems, for ``init --profile``. Pure.

Each is the beginning of a ``gitmem.toml``, so that a reader sees its settings and can change them. Defaults of gitmem
that the system's own document states are written out: defaults may change, profiles do not.
"""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.frozen import frozen
from gitmem.policy.edit import with_settings


@frozen
class Profile:
    """One profile.

    Attributes:
        about: One line for people.
        policy: Its settings as TOML.
    """

    about: str
    policy: str


_BEADBOARD = """\
# beadboard: agents record LEARNED comments, and each session starts with the newest of them.
[session]
newest = 5               # "displays the 5 most recent deduplicated entries"
prompt = false           # more on request only: gitmem recall "keyword"
discipline = false

[capture]                # "voluntary": comments only
edits = "off"
fixes = false
notes = false
exempt = ["worker-supervisor"]

[stops]                  # "verifies worktree state, push status, and bead status" (git config gitmem.stopPush true)
worktree = true
task = true
exempt = ["worker-supervisor"]
log = "responses"        # also the prompts of sub-agents

[rotation]               # "exceeds 1,000 lines, the oldest 500 are moved"
limit = 1000
move = 500
kinds = ["learned"]
"""
_BEANS = """\
# Beans: tasks and facts, each proved by its command; a session starts with the digest.
[verify]
ttl = "30d"              # "Default TTL: 30 days"

[context]
budget_tokens = 4000     # "Token budget: ~4000 default"
recent_days = 7          # "closed beans from last 7 days"

[session]                # "context injected, not queried": at the start
budget_tokens = 4000
prompt = false
discipline = false

[recall.points]          # "path_overlap × 3 + dependency_match × 5 + recency × 1"
path = 3
dependency = 5
recency = 1

[capture]                # "Passive Memory" is closed tasks and failed attempts
edits = "off"
fixes = false
notes = false

[rotation]
limit = 0
"""
_BMAD = """\
# The AI Memory Module for BMAD: five collections, and session summaries at the start.
[session]
profile = "bmad"         # a start shows summaries of sessions only, never code patterns
prompt = false           # true: prompts read collections as prompt_words and prompt_paths say
discipline = false

[context]
max_memory_tokens = 500  # "Maximum tokens: 500" of one memory

[capture]
edits = "patterns"       # Edit, Write and NotebookEdit
fixes = false
notes = false

[stops]
log = "responses"        # "Agent response capture and activity logging"

[workflow]               # pre-work-search and post-work-store
budget_tokens = 1000
limit = 3
min_tokens = 50
max_tokens = 500

[duplicates]
threshold = 0.85         # "similarity > 0.85"

[kinds.session]          # summaries stay
ttl = "never"
expires = false

[kinds.best_practice]
collection = "conventions"

[collections.discussions]
readers = ["start", "prompt", "request"]
scope = "project"

[collections.code-patterns]
readers = ["work", "prompt", "request"]
writers = ["workflow", "capture", "import"]
prompt_words = ["how to", "how do", "how did", "how does", "how is", "how are", "how should", "example of", "implement"]
prompt_paths = true
scope = "project"

[collections.conventions]
readers = ["work", "prompt", "request"]
writers = ["remember", "workflow", "import"]
prompt_words = ["best practice", "best practices", "convention", "conventions", "guideline", "guidelines", "standard"]
scope = "universal"      # "Shared learning": all projects

[collections.github]
readers = ["request"]
writers = ["import"]
scope = "project"

[collections.jira]
readers = ["request"]
writers = ["import"]
scope = "project"
"""
# Agent Swarm's decay is the same for every kind.
_FADING = tuple(
    """
    learned gotcha pattern anti_pattern recipe principle decision convention mistake_pattern best_practice
    codebase_knowledge preference code_pattern
    """.split()
)
_SWARM = """\
# Agent Swarm: memories from summaries, tasks, note files and injected learnings, which fade within weeks.
[recall]
half_life_days = 14      # "Memories lose half their score every 14 days"
access_boost_max = 1.5
access_recency_hours = 48
candidate_multiplier = 3
without = ["status", "importance", "confidence", "path", "dependency", "workspace", "talk", "provenance", "time"]

[recall.factors]         # "finalScore = similarity × recencyDecay × accessBoost"
recency = 1

[session]
prompt = false           # before each task instead: gitmem pre-work, gitmem task claim
discipline = false

[capture]
edits = "off"
fixes = false
notes = true             # "Files written here are automatically indexed"

[rotation]
limit = 0

[kinds.outcome]
ttl = "7d"               # task_completion
expires = true

[kinds.session]
ttl = "3d"               # session_summary
expires = true

[kinds.note]
ttl = "30d"              # file_index
expires = true
""" + "".join(f'\n[kinds.{kind}]\nhalf_life = "14d"\n' for kind in _FADING)
_AI_KB = """\
# The AI knowledge base of the dotfiles: capsules that agents write on purpose, and recall by topic and prompt.
[session]
newest = 0
limit = 3                # "up to three matching capsules"
prompt = true
discipline = true        # the verification-discipline prefix, once a session

[recall.dense]
gate = 0.55              # "unless the best hit's cosine_score clears ~0.55"
floor = 0.6              # "below 60% of the best is dropped"
turn_floor = 0.85        # "0.85 relative tail floor"

[recall.factors]
workspace = 0.2          # "Workspace matches give a soft boost"

[capture]                # "there is no auto-harvest": LEARNING lines only
edits = "off"
fixes = false
notes = false

[rotation]
limit = 0

[roles.planner]          # "no kind filter"
kinds = []

[roles.executor]
kinds = ["fact", "recipe", "gotcha", "anti_pattern", "pattern"]

[roles.reviewer]
kinds = ["gotcha", "anti_pattern"]

[roles.re_reviewer]
kinds = ["gotcha", "anti_pattern", "principle"]
"""

PROFILES: dict[str, Profile] = {
    "beadboard": Profile("what agents learned, the newest at each start", _BEADBOARD),
    "beans": Profile("facts and tasks with checks, and a digest at each start", _BEANS),
    "bmad": Profile("the AI Memory Module's five collections", _BMAD),
    "swarm": Profile("memories that fade, for a lead and its workers", _SWARM),
    "ai-kb": Profile("capsules, recalled by topic, role and prompt", _AI_KB),
}


def profile_policy(name: str) -> str:
    """Return the settings of a profile as TOML; empty for no profile.

    Raises:
        UsageError: There is no profile with this name.
    """
    if not name:
        return ""
    if name not in PROFILES:
        raise UsageError(f"unknown profile: {name}", hint=f"choose one of {', '.join(PROFILES)}")
    return PROFILES[name].policy


def with_profile(text: str, name: str) -> str:
    """Return the text of a policy with the settings of a profile; its other settings and its comments stay.

    Args:
        text: The policy, as TOML.
        name: The profile.

    Raises:
        UsageError: There is no profile with this name.
        ConfigError: The text is not a policy.
    """
    return with_settings(text, profile_policy(name))
