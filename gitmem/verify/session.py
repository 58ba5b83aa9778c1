"""Run the facts of one store: find which are due and may run, judge them, and record the results."""

from __future__ import annotations

import os
from _thread import allocate_lock  # `threading` takes 0.7 ms (measured)

from gitmem.document.spec import claim_hash, spec_hash, spec_of
from gitmem.errors import GitmemError, UnwritableError, suppress
from gitmem.frozen import replace
from gitmem.git.branches import is_on_default
from gitmem.index.catalog import commit_and_tree, fact_state, state
from gitmem.index.catalog.rows import inputs_of
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, UNPROVEN, Blocked, Check, Verdict
from gitmem.store.local import CheckOutput
from gitmem.system.environment import search_path
from gitmem.text import format_json, parse_json
from gitmem.text.natural_order import natural_order
from gitmem.verify import due as due_module
from gitmem.verify.blame.culprit import is_behind, with_culprit
from gitmem.verify.blame.newest import NewestCommits
from gitmem.verify.inputs import CodeTree, digest, is_private
from gitmem.verify.options import SILENT, Options, VerifyRun, Watch
from gitmem.verify.overview.stock import Stock, take_stock
from gitmem.verify.prover import prover, why_unsigned
from gitmem.verify.trace.programs import describe_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from gitmem.config import Config
    from gitmem.model import Document
    from gitmem.store.commit import WriteTarget
    from gitmem.verify.approvals.clone import Trust
    from gitmem.verify.cache import VerdictCache
    from gitmem.verify.due import Due, KnownFacts
    from gitmem.verify.options import WrongClaim
    from gitmem.verify.record import RecordResult
    from gitmem.verify.run.judge import Means, Result

# How the reason begins if a sandbox failed that had passed its probe (``sandbox``).
SANDBOX_FAILED = "the sandbox failed"
# Seconds to wait for the fetch of a missing commit, since a user is waiting.
FETCH_S = 20.0


class Session:
    """Verifies the facts of one store against HEAD."""

    def __init__(
        self,
        known: KnownFacts,
        target: WriteTarget,
        *,
        config: Config,
        trust: Trust,
        default: str,
        follow: Callable[[str], None],
        options: Options | None = None,
    ) -> None:
        git = self._git = target.git
        self._target = target
        self.known = known
        self._catalog, self._local, self._policy, self._now = known.catalog, known.local, known.policy, known.now
        self._config = config
        self._follow = follow
        self._tree: CodeTree | None = None
        self._unrecorded = ""
        self._newest = NewestCommits(git, self.tree)
        # Facts that broke in this run: an earlier culprit does not apply to them.
        self._breaks: set[str] = set()
        self._fetching = allocate_lock()
        self._fetched: dict[str, bool] = {}
        self.rung = ""
        self.options = options or Options()
        self.trust = trust
        head = git.read_head()
        commit = head[1]
        if commit is None:
            raise GitmemError(
                "there is no code to verify against: HEAD has no commit yet", hint="commit something first"
            )
        self.commit = commit
        # Determined now and not when verdicts are written: another branch may be checked out while facts are judged.
        self._is_on_default = is_on_default(git, default, remote=config.remote, head=head)

    def tree(self) -> CodeTree:
        """Return the judged code."""
        if self._tree is None:
            self._tree = CodeTree(self._git, self.commit)
        return self._tree

    def restate(self) -> int:
        """Compute the missing states and return the ground's number."""
        return due_module.refresh_states(self.known, self._git, self.commit, self._tree)

    def list_due(self) -> list[Due]:
        """Return the facts to judge, by key."""
        is_named = bool(self.options.keys) or self.options.everything  # then a fact that may not run is reported
        listed = self._list_due(self.options.keys, everything=self.options.everything)
        # If a check may not run here, a claim from another environment has to do.
        listed = [due for due in listed if due.why not in ("environment", "sandbox") or is_named or self.may_run(due)]
        # What only a verdict by someone else can prove is not judged here for nothing.
        refusal = self.known.refusals()
        return listed if is_named else [due for due in listed if not refusal(self._signed(due.row.key))]

    def _list_due(self, keys: Collection[str], *, everything: bool = False) -> list[Due]:
        """Return the facts to judge in the requested shard, by key (``due.list_due``)."""
        is_mine = self._in_shard()
        ground = self.restate()
        listed = due_module.list_due(self.known, ground, keys=keys, everything=everything, rung=self._find_rung)
        return [due for due in listed if is_mine(due.row.key)]

    def may_run(self, due: Due) -> bool:
        """Return whether a check may run here: a built-in one, or an approved command."""
        return due.spec.check.form == BUILTIN or self.trust.allows(due.row.spec, due.approved_line)

    def find_wrong(self, tree: CodeTree, *, is_noted: bool = False) -> tuple[WrongClaim, ...]:
        """Return the claimed verdicts of built-in checks that are wrong for a tree of the code, by key."""
        from gitmem.verify.claims import find_wrong

        is_mine = self._in_shard()
        claims = find_wrong(self._catalog, self._local, tree, self.options.keys, is_noted=is_noted)
        return tuple(wrong for wrong in claims if is_mine(wrong.key))

    def _with_wrong(self, dues: list[Due], wrong: Sequence[WrongClaim]) -> list[Due]:
        """Add the facts with wrong claims to those that are due, without their verdicts."""
        keys = {wrong_claim.key for wrong_claim in wrong}
        if missing := keys - {due.row.key for due in dues}:
            dues = dues + self._list_due(missing)
        listed = [replace(due, why="wrong", verdict=None) if due.row.key in keys else due for due in dues]
        return sorted(listed, key=lambda due: natural_order(due.row.key))

    def _in_shard(self) -> Callable[[str], bool]:
        """Return a test of whether a fact is in the requested shard; without a shard, it is true for all."""
        if self.options.shard is None:
            return lambda _: True
        from gitmem.verify.jobs.shards import share_of

        return share_of(self.options.shard, self._catalog, self.tree())

    def list_waiting(self) -> list[Due]:
        """Return the due facts whose commands are neither approved nor denied here, by key."""
        return [due for due in self.list_due() if not self.may_run(due) and not self.trust.denies(due.row.spec)]

    def _find_rung(self) -> str:
        """Return the rung of the sandbox that commands run in here; it is probed by running it."""
        from gitmem.verify.sandbox import sandbox
        from gitmem.verify.sandbox.probe import cached_probe

        if self.options.no_sandbox:
            return "none"
        path = search_path()
        return cached_probe("rung", path, lambda: sandbox.probe(path), now=self._now)

    def means(self) -> Means:
        """Return how checks run here."""
        from gitmem.verify.run.evidence import find_tracer
        from gitmem.verify.run.judge import Means
        from gitmem.verify.sandbox.limits import default_limits
        from gitmem.verify.sandbox.probe import cached_probe

        path = search_path()
        is_free = self.options.no_sandbox
        rung = self._find_rung()
        self.rung = rung if rung != "none" or is_free else ""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = self.options.jobs or self._config.jobs or self._policy.verify.jobs or cores
        limits = default_limits(
            processes=self._config.check_processes,
            memory_mib=self._config.check_memory_mib,
            disk_mib=self._config.check_disk_mib,
        )
        is_traced = (self._config.trace or self._policy.verify.trace) != "off"
        strace = ""
        if is_traced:
            strace = cached_probe(f"tracer {rung}", path, lambda: find_tracer(path, self.rung), now=self._now)
        pause_s, trial_s = self._config.confirm_pause_s, self._config.trial_limit_s
        return Means(
            self.trust, self._now, self.rung, path, jobs, limits, strace, pause_s, fetch=self._fetch, trial_s=trial_s
        )

    def means_for(self, dues: Iterable[Due]) -> Means:
        """Return how these checks run; nothing is probed if none of them starts a process."""
        from gitmem.verify.run.judge import Means

        needs_process = any(due.spec.check.form != BUILTIN and self.may_run(due) for due in dues)
        return self.means() if needs_process else Means(self.trust, self._now)

    def _fetch(self, commit: str) -> bool:
        """Fetch a missing commit from the remote, once; return whether it is here now."""
        from gitmem.git import remotes  # only if a commit is missing

        with self._fetching:
            if commit not in self._fetched:
                options = remotes.RemoteOptions(timeout_s=FETCH_S)
                with suppress(GitmemError):
                    remotes.fetch_commit(self._git, self._config.remote, commit, options)
                self._fetched[commit] = self._git.has(commit, "commit")
            return self._fetched[commit]

    def due_of(self, document: Document) -> Due:
        """Return a memory with a check that is not in the store yet in a form that can be judged."""
        how = self._policy.verify
        spec = spec_of(document, setup=how.setup, default_timeout_s=how.timeout_s, folders=how.folders)
        assert spec is not None, "it has a check"
        inputs = inputs_of(document, spec.check)
        row = fact_state.FactRow(
            *(0, document.key, spec_hash(spec), claim_hash(document), spec.check.form),
            *(format_json(spec.check.words), format_json(inputs), None),
        )
        rests = due_module.rests_of(self._catalog, document.strings("requires"))
        return due_module.Due(row, document, spec, digest(self.tree(), inputs, spec.check), None, "new", rests=rests)

    def judge_one(self, due: Due) -> Result:
        """Judge one fact and record nothing."""
        return self.judge_many([due])[0]

    def judge_uncommitted(self, due: Due, *, is_staged: bool, is_asked: bool) -> tuple[Result, bool] | None:
        """Judge one fact with uncommitted changes, and record nothing.

        Args:
            due: The fact.
            is_staged: Judge the staged changes; else the work tree.
            is_asked: Judge it in any case; else only if the changes touch its inputs.

        Returns:
            The result, and whether the inputs are the same as at HEAD; None if the fact was not judged.
        """
        from gitmem.verify.ground import dirty

        with (dirty.staged_snapshot if is_staged else dirty.snapshot)(self._git) as snapshot:
            tree = CodeTree(snapshot.git, snapshot.commit)
            new = digest(tree, parse_json(due.row.inputs), due.spec.check)
            if new == due.digest and not is_asked:
                return None
            result = self._judge(tree, [replace(due, digest=new)])[0]
        if new == due.digest and result.verdict is not None:
            verdict = replace(result.verdict, commit=self.commit, held_commit=self.commit)
            result = replace(result, verdict=verdict if result.outcome == HOLDS else None)
        return result, new == due.digest

    def judge_at(self, due: Due, commit: str) -> Result | None:
        """Judge one fact at another commit, and record nothing; None if its inputs are the same there."""
        tree = CodeTree(self._git, commit)
        new = digest(tree, parse_json(due.row.inputs), due.spec.check)
        return None if new == due.digest else self._judge(tree, [replace(due, digest=new)])[0]

    def judge_many(self, dues: Sequence[Due]) -> list[Result]:
        """Judge several facts together and record nothing."""
        return self._judge(self.tree(), dues)

    def _judge(self, tree: CodeTree, dues: Sequence[Due]) -> list[Result]:
        """Judge facts on a tree of the code while a user is waiting."""
        from gitmem.verify.run.batch import judge_all

        return judge_all(tree, dues, replace(self.means_for(dues), is_hurried=True))

    def run(self, report: Callable[[Result, int, int], None], watch: Watch = SILENT) -> VerifyRun:
        """Judge the due facts and record the results; an interruption only loses checks that are still running."""
        if self.options.dirty:
            return self._run_dirty(report, watch)
        if self.options.results:
            from gitmem.verify.jobs.result_file import need_writable

            need_writable(self.options.results)
        is_right = not self.options.keys and self._local.is_right(" ".join(commit_and_tree(self._catalog)), self.commit)
        wrong = () if is_right else self.find_wrong(self.tree(), is_noted=True)
        dues = self._with_broken_again(self._with_wrong(self.list_due(), wrong))
        if self.options.dry_run:
            return self._preview(dues, wrong)
        if dues:
            return replace(self._run_checks(dues, report, watch), wrong=wrong)
        if self.options.results:
            self.keep([])
        recorded = self._publish() if self.counts() else None
        return VerifyRun(self.commit, 0, (), recorded, self._take_stock(), written=self.options.results)

    def _preview(self, dues: Sequence[Due], wrong: tuple[WrongClaim, ...]) -> VerifyRun:
        """Return what a run would judge, each fact with its changed inputs."""
        from gitmem.verify.overview.explain import explain

        runnable = frozenset(due.row.key for due in dues if self.may_run(due))
        would_run = explain(self._git, self.tree(), dues) if dues else ()
        preview = VerifyRun(self.commit, len(dues), (), None, self._take_stock(), would_run=would_run, wrong=wrong)
        return replace(preview, runnable=runnable)

    def _run_checks(self, dues: Sequence[Due], report: Callable[[Result, int, int], None], watch: Watch) -> VerifyRun:
        """Judge facts and record the results, even if the run is interrupted."""
        from gitmem.verify.overview.news import with_news
        from gitmem.verify.run.batch import judge_all

        results: list[Result] = []
        watch.expect(len(dues))
        noted = self._local.blocked()

        def collect(result: Result) -> None:
            results.append(with_news(result, noted=noted))
            report(results[-1], len(results), len(dues))

        try:
            known, cache = self._list_edited_results(dues), self.shared()
            if cache and not (self.options.keys or self.options.everything):  # a run that was requested is not skipped
                known += cache.find(self.tree(), dues, known)
            for result in known:
                collect(result)
            keys = {result.due.row.key for result in known}
            if left := [due for due in dues if due.row.key not in keys]:
                means = self.means_for(left)
                judge_all(self.tree(), left, means, report=collect, watch=watch)
            if cache:
                cache.share(self.tree(), results)
        finally:
            try:
                recorded, is_local = self.keep(results)
            except UnwritableError as err:
                recorded, is_local, self._unrecorded = None, False, err.message
        if any(result.reason.startswith(SANDBOX_FAILED) for result in results):
            from gitmem.verify.sandbox import probe

            probe.forget()  # a sandbox that worked no longer does
        ordered = tuple(sorted(results, key=lambda r: natural_order(r.due.row.key)))
        judged = VerifyRun(self.commit, len(dues), ordered, recorded, self._take_stock(), self.rung, is_local)
        judged = replace(judged, notices=tuple(cache.notices) if cache else ())
        return replace(judged, unrecorded=self._unrecorded, written=self.options.results)

    def shared(self) -> VerdictCache | None:
        """Return the cache of verdicts that is set up, or None."""
        if not self._config.verdict_cache:
            return None
        from gitmem.verify.cache import VerdictCache

        return VerdictCache(self._config.verdict_cache, self._git, self.known, may_run=self.may_run)

    def _take_stock(self, *, with_blocked: bool = True) -> Stock:
        return take_stock(self._catalog, self.restate(), self._local, now=self._now, with_blocked=with_blocked)

    def _list_edited_results(self, dues: Sequence[Due]) -> list[Result]:
        """Return this clone's results for facts whose text alone was edited: the same check on the same inputs.

        The check need not run again; this also verifies the new text, as a run would.
        """
        from gitmem.verify.run.judge import Result

        if self.options.keys or self.options.everything:
            return []  # a run that was requested is not skipped
        edited = [due for due in dues if due.why == "new" and due.spec.check.form != BUILTIN]
        mine = self._local.verdicts([due.row.key for due in edited]) if edited else {}
        edited_results = []
        for due in edited:
            digest_of = due_module.digester(self.tree(), due.row)
            known = [v for v in mine.get(due.row.key, ()) if self._is_known(due, v)]
            verdict, is_fresh = fact_state.pick_fresh(known, lambda v, digest_of=digest_of: v.inputs == digest_of(v))  # type: ignore[misc]
            if verdict is not None and is_fresh:
                new = replace(verdict, claim=due.row.claim)
                before = replace(due, verdict=verdict, latest=verdict)
                edited_results.append(Result(before, new.outcome, because=new.because, verdict=new))
        return edited_results

    def _is_known(self, due: Due, verdict: Verdict) -> bool:
        """Return whether a verdict for an earlier text of a fact still gives the result of a run."""
        is_young = due.row.ttl_s is None or self._now - verdict.at <= due.row.ttl_s
        is_steady = not (verdict.flapping or verdict.outside or describe_change(verdict.tools))
        is_same = (verdict.spec, verdict.rests) == (due.row.spec, due.rests)
        return is_same and is_young and is_steady and due_module.is_accepted(verdict, self._policy, now=self._now)

    def counts(self) -> bool:
        """Return whether verdicts are committed: HEAD was the default branch, or `--record` is given."""
        return self.options.record or (self._is_on_default and not self.options.results)

    def _publish(self) -> RecordResult | None:
        """Record verdicts that are only in this clone, when nothing has to run."""
        from gitmem.verify.record import list_news

        known = self._list_of_this_history()
        news = list_news(self._catalog, known, refusal=self.known.refusals()) if known else []
        return self.keep_verdicts(known)[0] if news else None

    def _with_broken_again(self, dues: list[Due]) -> list[Due]:
        """Return the due facts, compared with the last report, and facts that fail again on inputs seen before.

        A verdict that counts again because its inputs are back may be older than a failure in between. And an earlier
        failure on these inputs may have another cause: files may have moved, or another commit may have broken the
        fact.
        """
        known = [v for v in self._list_publishable() if v.outcome == FAILS]
        again = {v.key: last for v in known if (last := self._other_failure(v))}
        if self.counts() and known:
            from gitmem.verify.record import list_news

            news = [v for v in list_news(self._catalog, known, self._is_fresh) if self._was_fixed(v)]
            again |= {v.key: held for v in news if (held := self._find_holding_verdict(v))}
        missing = again.keys() - {due.row.key for due in dues}
        if missing and not self.options.keys:
            dues = sorted((*dues, *self._list_due(missing)), key=lambda due: natural_order(due.row.key))
        listed = []
        for due in dues:
            held = again.get(due.row.key)
            failed = due.verdict if due.why == "inputs" and self.counts() else None
            if held is None and failed is not None and failed.outcome == FAILS:
                held = self._find_holding_verdict(failed)
                held = held if held is not None and held.own else None
            listed.append(replace(due, why="inputs", verdict=held) if held is not None else due)
        return listed

    def _other_failure(self, verdict: Verdict) -> Verdict | None:
        """Return this clone's last failure, if it is different from a failure that counts again."""
        mine = self._local.verdicts([verdict.key]).get(verdict.key, ())
        last = next((v for v in mine[::-1] if (v.spec, v.claim) == (verdict.spec, verdict.claim)), verdict)
        is_other = last.outcome == FAILS and (last.inputs, last.at) != (verdict.inputs, verdict.at)
        return last if is_other and self._was_fixed(verdict) else None

    def _was_fixed(self, verdict: Verdict) -> bool:
        read = self._read_by(verdict.key)
        return read is not None and self._newest.was_fixed(*read, verdict)

    def _find_holding_verdict(self, verdict: Verdict) -> Verdict | None:
        """Return the verdict by which the branch says that a fact holds; preferably this clone's own one."""
        branch = fact_state.branch_verdicts(self._catalog, [verdict.key]).get(verdict.key, ())
        verdicts = fact_state.merge_verdicts(branch, (), spec=verdict.spec, claim=verdict.claim)
        held = {v.inputs for v in verdicts if v.outcome == HOLDS}
        mine = self._local.verdicts([verdict.key]).get(verdict.key, ())
        every = fact_state.merge_verdicts(branch, mine, spec=verdict.spec, claim=verdict.claim)
        return max((v for v in every if v.outcome == HOLDS and v.inputs in held), key=lambda v: v.own, default=None)

    def _list_publishable(self) -> list[Verdict]:
        """Return the verdicts that only this clone has and others may see, by key."""
        known = due_module.list_publishable(self._catalog, self._local, self.restate())
        return [verdict for verdict in known if not self.is_private(verdict)]

    def is_private(self, verdict: Verdict) -> bool:
        """Return whether a verdict stays in this clone, since it tells of a repository that fewer people may read."""
        return is_private(self.tree, verdict, self._read_by)

    def _list_of_this_history(self) -> list[Verdict]:
        """Return the verdicts that only this clone has, by key, in terms of the commits that HEAD contains.

        After a squash or a rebase nobody has the commits that they name. Their inputs are the same here, so they are
        valid for HEAD; a culprit that is gone is looked for again.
        """
        known = self._list_publishable()
        named = {commit for v in known for commit in (v.commit, v.held_commit, v.culprit)}
        is_here = {commit: not commit or is_behind(self._git, commit, self.commit) for commit in named}
        return [v if is_here[v.commit] and is_here[v.culprit] else self._rebased(v, is_here) for v in known]

    def _rebased(self, verdict: Verdict, is_here: Mapping[str, bool]) -> Verdict:
        if not is_here[verdict.commit]:
            verdict = replace(verdict, commit=self.commit)
        if not is_here[verdict.held_commit]:
            verdict = replace(verdict, held_commit="")
        if verdict.outcome != FAILS or (verdict.culprit and is_here[verdict.culprit]):
            return verdict
        mine, read = self._local.verdicts([verdict.key]).get(verdict.key, ()), self._read_by(verdict.key)
        held = [v for v in mine if (v.spec, v.claim, v.outcome) == (verdict.spec, verdict.claim, HOLDS)]
        breakers = (self._newest.breaker(*read, v, verdict.moved) for v in sorted(held, key=lambda v: -v.at) if read)
        return replace(verdict, culprit=next(filter(None, breakers), ""), culprit_after="")

    def _run_dirty(self, report: Callable[[Result, int, int], None], watch: Watch) -> VerifyRun:
        """Judge the work tree with its uncommitted changes, and record nothing."""
        from gitmem.verify.ground import dirty
        from gitmem.verify.overview.news import with_news
        from gitmem.verify.run.batch import judge_all

        results: list[Result] = []
        with dirty.snapshot(self._git) as snapshot:
            tree = CodeTree(snapshot.git, snapshot.commit)
            wrong = self.find_wrong(tree)
            dues = dirty.list_due(
                self.known, self.restate(), tree=tree, keys=self.options.keys, everything=self.options.everything
            )

            def collect(result: Result) -> None:
                results.append(with_news(result, noted=()))
                report(results[-1], len(results), len(dues))

            if not self.options.dry_run:
                # A user is waiting, and no commit is blamed.
                means = replace(self.means_for(dues), is_hurried=True, trial_s=0.0)
                judge_all(tree, dues, means, report=collect, watch=watch)
        ordered = tuple(sorted(results, key=lambda r: natural_order(r.due.row.key)))
        would_run = tuple(dues) if self.options.dry_run else ()
        judged = VerifyRun(self.commit, len(dues), ordered, None, Stock({}, {}, ()), self.rung, would_run=would_run)
        return replace(judged, dirty=True, notices=snapshot.notices, wrong=wrong)

    def keep(self, results: list[Result]) -> tuple[RecordResult | None, bool]:
        """Record results on the branch if they count, else as local state; also return whether they stayed local."""
        blocked = self._local.blocked()
        verdicts = [self._with_culprit(r, r.verdict, blocked) for r in results if r.verdict is not None]
        self._local.add_blocked(self._as_blocked(r) for r in results if r.outcome in (BLOCKED, UNPROVEN))
        ran = [r for r in results if r.outcome in (HOLDS, FAILS, BLOCKED, UNPROVEN)]
        self._local.keep_outputs(self._output(r) for r in ran if r.due.spec.check.form != BUILTIN)
        if self.counts():
            judged = {v.key for v in verdicts}
            known = self._list_of_this_history()
            verdicts += [v for v in known if v.key not in judged]
        result = self.keep_verdicts(verdicts) if verdicts else (None, False)
        if self.options.results:
            from gitmem.verify.jobs.result_file import write_run

            # The file of another shard has what that shard judged in this clone; a fact in two files is not accepted.
            is_mine = self._in_shard()
            known = [verdict for verdict in self._list_of_this_history() if is_mine(verdict.key)]
            shard, memory = str(self.options.shard or ""), self._catalog.meta("commit")
            results = [result for result in results if result.verdict is None or not self.is_private(result.verdict)]
            write_run(self.options.results, results, known, (self.commit, memory, shard), self._now)
            self._unrecorded = ""  # the results are in the file
        return result

    def _with_culprit(self, result: Result, verdict: Verdict, blocked: Collection[str]) -> Verdict:
        """Return a verdict with the commit that broke the fact, if a single commit changed its inputs since it held.

        *blocked* are the facts whose check could not be run at the last attempt.
        """
        old = result.due.verdict
        is_break = verdict.outcome == FAILS and verdict.confirmed and not (verdict.outside or verdict.flapping)
        if not is_break or old is None or not old.own or verdict.culprit:
            return verdict
        read = result.due.reads
        # A change of inputs alone is not recorded on the branch, so only this clone may know the last one that held.
        mine = self._local.verdicts([verdict.key]).get(verdict.key, ())
        held = [v for v in mine if (v.spec, v.claim, v.outcome) == (verdict.spec, verdict.claim, HOLDS)]
        if old.outcome != HOLDS:
            # A commit that no job judged may have repaired it, and another one broken it again.
            held = [verdict for verdict in held if self._newest.held_since(*read, verdict, old)]
            if held or (verdict.key in blocked and self._may_be_another(result, old)):
                self._breaks.add(verdict.key)
        else:
            self._breaks.add(verdict.key)
            held.append(old)
        by_age = sorted(held, key=lambda v: (v is not old, -v.at))
        breakers = (self._newest.breaker(*read, one, verdict.moved) for one in by_age)
        return replace(verdict, culprit=next(filter(None, breakers), ""))

    def _may_be_another(self, result: Result, old: Verdict) -> bool:
        """Return whether a fact may have been fixed and broken again by another commit while it could not be judged.

        This needs more than one commit that changed its inputs.
        """
        changes = self._newest.changes(*result.due.reads, old, result.due.moved)
        return changes is None or len(changes) > 1

    def _as_blocked(self, result: Result) -> Blocked:
        row = result.due.row
        return Blocked(row.key, row.spec, row.claim, result.due.digest, self._now, result.reason)

    def _output(self, result: Result) -> CheckOutput:
        return CheckOutput(result.due.row.key, self.commit, self._now, result.output * (result.outcome != HOLDS))

    def keep_verdicts(self, verdicts: Sequence[Verdict]) -> tuple[RecordResult | None, bool]:
        """Record verdicts on the branch if they count; also return whether they stayed local.

        What is only blocked here is not recorded: it says nothing to other clones.
        """
        verdicts = [
            v if v.key in self._breaks else with_culprit(v, self._git, self._catalog, self._local) for v in verdicts
        ]
        if state.asks_who(self._catalog, self._policy):
            verdicts = [replace(v, by=v.cached or prover(self._git)) for v in verdicts]
        # Before the verdicts are added here, because they change the statuses.
        before = self._take_stock()
        is_kept = self._local.add_verdicts(verdicts)
        # Verdicts that were only not recorded yet are older: the check may have been blocked since.
        self._local.end_blocked(v.key for v in verdicts if v.at >= self._now)
        if not self.counts():
            self._unrecorded = "" if is_kept else f"the repository is not writable: {self._git.repository.state}"
            return None, is_kept
        # A verdict that counts nowhere else must not take the place of one that does.
        refusal, unsigned = self.known.refusals(), why_unsigned(self._git, self._policy)
        self._unrecorded = unsigned or next(filter(None, map(refusal, verdicts)), "")
        publishable = [] if unsigned else [v for v in verdicts if not (refusal(v) or self.is_private(v))]
        return (self._record(publishable, before) if publishable else None), False

    def _signed(self, key: str) -> Verdict:
        """Return a verdict of this clone on a fact, as far as it says whose it is."""
        return Verdict(key, "", "", HOLDS, "", "", self._now, by=prover(self._git), own=True)

    def record_claimed(self, verdicts: Sequence[Verdict]) -> tuple[RecordResult, Stock]:
        """Commit verdicts that were made on other machines; return what was recorded and the state of the store."""
        recorded = self._record(verdicts, self._take_stock(), claimed=True)
        return recorded, self._take_stock()

    def _record(self, verdicts: Sequence[Verdict], before: Stock, *, claimed: bool = False) -> RecordResult:
        from gitmem.verify.record import Recording, record

        place = self._target, self._catalog, self._follow, self.commit, self._now
        run = Recording(*place, self._is_fresh, self.known.refusals())
        return record(run, verdicts, before=before, after=lambda: self._take_stock(with_blocked=False), claimed=claimed)

    def _is_fresh(self, verdict: Verdict) -> bool:
        """Return whether the inputs of a verdict are unchanged; false if the verdict does not name its reads."""
        read = self._read_by(verdict.key) if verdict.reads else None
        return read is not None and due_module.digest_by(self.tree(), *read, verdict) == verdict.inputs

    def _read_by(self, key: str) -> tuple[list[str], Check] | None:
        """Return a live fact's declared inputs and its check; None if there is no such fact."""
        live = f"m.key = ? AND {state.LIVE}"
        query = f"SELECT f.inputs, f.form, f.words FROM fact f JOIN memory m ON m.id = f.id WHERE {live}"
        row = self._catalog.row(query, (key,))
        return None if row is None else (parse_json(row[0]), Check(row[1], tuple(parse_json(row[2]))))
