"""``memory.jobs``: verify jobs, their schedules, and the results of other machines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.report.metrics import Counts
    from gitmem.commands.why import SearchStep, Why
    from gitmem.index.catalog import Catalog
    from gitmem.memory import Memory
    from gitmem.store.local import CheckOutput
    from gitmem.verify.jobs.import_results import RecordingResult
    from gitmem.verify.jobs.overdue import Silence
    from gitmem.verify.jobs.schedule import Schedule
    from gitmem.verify.options import Options, VerifyRun


class Jobs:
    """The verify jobs of one repository."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def run_scheduled(self) -> VerifyRun | None:
        """Pull sources and verify due facts unattended, and sync if this clone syncs; None if a job already runs.

        Raises:
            GitmemError: Something failed; if only the remote cannot be reached, everything else is done.
        """
        from gitmem.errors import BusyError, GitmemError
        from gitmem.memory.sources import find_sources
        from gitmem.verify.options import Options

        repository = self._repository
        if repository.store.proposal:  # an unattended job verifies the memory branch, not the proposal
            return self._run_on_branch()
        config = repository.config
        is_shared = repository.git.read_ref(f"refs/gitmem/seen/{config.remote}/{config.branch}") is not None
        if (sources := find_sources(self._memory)) is not None:
            sources.pull_due()
        try:
            if is_shared:
                self._memory.sync()
        except GitmemError:
            pass  # local facts can be verified without a sync, and the second attempt reports the reason
        try:
            run = self._memory.verify(options=Options(if_idle=True), is_scheduled=True)
        except BusyError:
            return None
        if is_shared:
            self._memory.sync()
        return run

    def _run_on_branch(self) -> VerifyRun | None:
        here = self._repository
        with type(self._memory)(here.here[0], clock=here.clock, progress=here.progress, follows=False) as memory:
            run = memory.jobs.run_scheduled()
            here.notices += memory.notices
        return run

    def fetch(self) -> str:
        """Fetch what others recorded, unless a setting forbids it; return why it failed, or an empty string."""
        repository = self._repository
        if not repository.config.verify_fetch or not repository.config.remote:
            return ""
        if repository.git.read_ref(f"refs/remotes/{repository.config.remote}/{repository.config.branch}") is None:
            return ""  # the remote has no memory
        from gitmem.commands.sync.fetch import fetch

        is_on_top = bool(repository.store.companion)
        repository.turn()
        try:
            return fetch(repository)
        finally:
            if is_on_top:
                repository.read_companion()

    def import_results(self, paths: Sequence[str], *, record: bool = False) -> RecordingResult:
        """Import result files produced on other machines; runs no check."""
        from gitmem.verify.jobs.import_results import import_files
        from gitmem.verify.options import Options

        repository = self._repository
        session = repository.session(Options(everything=True, record=record))
        tip = repository.find_tip() or ""
        return import_files(session, paths, tip)

    def output(self, key: str, *, scope: str = "") -> CheckOutput:
        """Return the end of the output of a fact's check from its last run in this clone that did not pass."""
        from gitmem.commands.show import output_of

        return output_of(self._repository, key, scope)

    def explain_failures(
        self, options: Options, *, report: Callable[[SearchStep], None] = lambda _: None
    ) -> Sequence[Why]:
        """Find the commit that broke each fact that fails at HEAD and has no known culprit: of some keys, or all.

        With a result file, do so for the facts that fail in it, and write the culprits to the file.
        """
        from gitmem.commands.why import explain_all
        from gitmem.repository.verification import stores_to_prove

        if options.results:
            return self._explain_file(options, report)
        stores = stores_to_prove(self._repository, options)
        return [why for store, own in stores for why in explain_all(store, own, report)]

    def _explain_file(self, options: Options, report: Callable[[SearchStep], None]) -> Sequence[Why]:
        from gitmem.commands.why import culprit_fields, explain_all
        from gitmem.frozen import replace
        from gitmem.repository.verification import stores_to_prove
        from gitmem.verify.jobs import result_file

        judged = result_file.read_results(options.results)
        keys = result_file.list_unexplained(judged)
        if not keys:
            return []
        explained: list[Why] = []
        try:
            failed = replace(options, keys=keys, everything=False, shard=None)
            for store, own in stores_to_prove(self._repository, failed):
                explained += explain_all(store, own, report) if store is self._repository else []
        finally:  # judging a fact again overwrote the file with that fact alone
            result_file.write_results(options.results, result_file.with_culprits(judged, culprit_fields(explained)))
        return explained

    def schedules(self) -> Sequence[Schedule]:
        """Return the schedules for verify jobs of this repository, on this machine and on the forge."""
        from gitmem.verify.jobs.schedule import list_schedules

        return list_schedules(self._repository.git.repository.state, self._repository.git.repository.top or "")

    def silence(self, catalog: Catalog, ground: int | None) -> Silence | None:
        """Return a problem if a schedule has stopped running, or if its last job failed; else None."""
        schedules = self.schedules()
        if not schedules:
            return None
        from gitmem.store.state.background import list_failures
        from gitmem.text.secrets import safe_output
        from gitmem.verify.jobs.history import JobSigns
        from gitmem.verify.jobs.job import last_job
        from gitmem.verify.jobs.overdue import find_silence

        state = self._repository.git.repository.state
        failed = next((said for what, said, _ in list_failures(state) if what == "verify"), "")
        signs = JobSigns(self._repository.git, catalog, ground, self._default(), self._upstream())
        return find_silence(
            schedules,
            last_job(state),
            signs,
            failure=" ".join(safe_output(failed, 300).split()),
            now=self._repository.now,
        )

    def soon_off(self, verified: int) -> str:
        """Return a warning if a forge will soon disable its schedule for lack of commits, or an empty string."""
        if not any(schedule.is_forge for schedule in self.schedules()):
            return ""
        from gitmem.text.durations import DAY_S
        from gitmem.verify.jobs.history import newest_commit
        from gitmem.verify.jobs.overdue import FORGE_WARN_DAYS, describe_soon_off

        if self._repository.now - verified < FORGE_WARN_DAYS * DAY_S:
            return ""
        refs = ("HEAD", self._default(), self._repository.ref, self._upstream())
        return describe_soon_off(self.schedules(), newest_commit(self._repository.git, refs), self._repository.now)

    def notes(self, catalog: Catalog, ground: int | None) -> list[str]:
        """Return what a session should know about schedules, a line each: one has stopped, or will be disabled soon."""
        silence = self.silence(catalog, ground)
        verified = catalog.row("SELECT coalesce(max(at), 0) FROM verdict")[0]
        return [message for message in (silence.message if silence else "", self.soon_off(verified)) if message]

    def last_verified(self, catalog: Catalog) -> dict[str, Any] | None:
        """Return when the last verify job known to this clone ran, and on which commit; None if there was none."""
        from gitmem.verify.jobs.history import describe_last

        return describe_last(self._repository.git, catalog, now=self._repository.now)

    def distance(self, commit: str) -> dict[str, int | None]:
        """Return how many commits HEAD has that a commit lacks (``behind``), and vice versa (``ahead``)."""
        from gitmem.verify.jobs.history import distance

        git = self._repository.git
        return distance(git, commit, git.read_head()[1])

    def summary(self, catalog: Catalog, ground: int | None, tip: str) -> dict[str, Any]:
        """Return a summary of verify jobs: the last one here, the last one on the branch, and the schedules."""
        from gitmem.verify.jobs.history import describe_jobs

        verified = catalog.row("SELECT coalesce(max(at), 0) FROM verdict")[0]
        silence = self.silence(catalog, ground)
        return {
            **describe_jobs(self._repository.git, self.schedules(), tip=tip, now=self._repository.now),
            "silent": silence.message if silence else "",
            "silent_s": silence.seconds if silence else 0,
            "soon_off": self.soon_off(verified),
        }

    def metrics(self, *, repository: str = "") -> str:
        """Return the memory's state as OpenMetrics text, named *repository* or else after its folder."""
        from gitmem.commands.report import metrics

        document, catalog = self._memory.status().document, self._repository.catalog()
        counted = self._counts(catalog, self._repository.checked_ground(catalog), document)
        name = repository or self._repository.git.repository.name
        return metrics.format_metrics([*metrics.families(document, counted)], repository=name)

    def _counts(self, catalog: Catalog, ground: int | None, status: Mapping[str, Any]) -> Counts:
        """Return the metrics that are not in *status*, the status."""
        from gitmem.commands.report.metrics import Counts, count_due, moment_of
        from gitmem.store.state import background, hook_log, plain_files
        from gitmem.verify.jobs.history import distance

        state, jobs = self._repository.git.repository.state, status["jobs"]
        due, oldest = count_due(catalog, ground, self._repository.now)
        failures = hook_log.list_failures(state)
        moments = {name: jobs[name]["at"] for name in ("last", "branch", "claimed") if jobs[name]}
        moments |= {"verdict": status["verified_at"]} if status["verified_at"] else {}
        is_current, shows = status["index"]["is_current"], status["index"]["commit"]
        return Counts(
            due,
            oldest,
            {name: moment_of(at) for name, at in moments.items()},
            0 if is_current else distance(self._repository.git, shows, status["commit"])["behind"],
            self._repository.local.count_looks(),
            len(failures),
            moment_of(failures[-1].at) if failures else 0,
            len(background.list_failures(state)),
            {schedule.what: schedule.every_s for schedule in self.schedules()},
            {name: plain_files.read_count(state, name) for name in plain_files.COUNTERS},
        )

    def _default(self) -> str:
        """Return the code's default branch as a full ref, if it can be determined without starting a process."""
        from gitmem.git.branches import likely_default

        configured = self._repository.config.default_branch or self._repository.policy().verify.default_branch
        return likely_default(self._repository.git, configured=configured, remote=self._repository.config.remote)

    def _upstream(self) -> str:
        """Return the memory branch of the remote, as a full ref."""
        return f"refs/remotes/{self._repository.config.remote}/{self._repository.config.branch}"
