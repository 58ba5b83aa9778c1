"""The commands about verify jobs and what calls them: the part of ``Memory`` that judges, installs and looks back."""

from __future__ import annotations

from gitmem.memory.view import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.install.git_hooks import Step
    from gitmem.commands.report.metrics import Counts
    from gitmem.index.catalog.catalog import Catalog
    from gitmem.verify.jobs.import_results import Taken
    from gitmem.verify.jobs.overdue import Silence
    from gitmem.verify.jobs.schedule import Schedule
    from gitmem.verify.judge import Result
    from gitmem.verify.session import Options, Run, Watch


class Jobs(Shown):
    """An opened store with the commands about verify jobs and what calls them."""

    def verify(
        self,
        options: Options,
        *,
        told: Callable[[Result, int, int], None],
        waiting: Callable[[str], None] = lambda _: None,
        watch: Watch | None = None,
        is_scheduled: bool = False,
    ) -> Run:
        """Judge what is due and write down what it showed; one job of a repository at a time.

        Args:
            options: What is asked for.
            told: Is told each result, how many there are, and of how many.
            waiting: Is told that another job is waited for.
            watch: Looks on while checks run.
            is_scheduled: Whether nobody typed it.

        Raises:
            BusyError: Another job still runs.
        """
        if not options.is_job():
            return self._verify(options, told, watch)
        from gitmem.frozen import replace
        from gitmem.verify.jobs.job import Turn

        wait_s = 0.0 if options.if_idle else self.config.lock_timeout_s
        folder = self.git.repository.state
        with Turn(folder, clock=self._clock, is_scheduled=is_scheduled, wait_s=wait_s, told=waiting) as turn:
            run = self._verify(options, told, watch)
            outcomes = [result.outcome for result in run.results]
            failed = outcomes.count("fails")
            unchecked = len(outcomes) - failed - outcomes.count("holds")
            turn.job = replace(turn.job, commit=run.commit, due=run.due, failed=failed, unchecked=unchecked)
        return run

    def _verify(self, options: Options, told: Callable[[Result, int, int], None], watch: Watch | None) -> Run:
        stores = self.proving(options)
        if options.shard or options.results:  # other machines do not know what is private
            stores = [(store, own) for store, own in stores if store is self] or [(self, options)]
        runs = [store.session(own).run(told, watch) for store, own in stores]
        self.note_unreadable()
        from gitmem.frozen import replace
        from gitmem.verify.options import join_runs

        return replace(runs[0] if len(runs) == 1 else join_runs(runs), proposal=self.store.proposal)

    def record_results(self, paths: Sequence[str], *, record: bool = False) -> Taken:
        """Write down what other machines judged, by their result files; nothing is run."""
        from gitmem.verify.jobs.import_results import take
        from gitmem.verify.session import Options

        session = self.session(Options(everything=True, record=record))
        return take(session, paths, git=self.git, tip=self.find_tip() or "", policy=self.policy(), now=self.now)

    def install_git_hooks(
        self, *, shared: bool = False, check: bool = False, only_plan: bool = False
    ) -> Sequence[Step]:
        """Set the shims that git calls, also those that check a commit; return what was done, or would be."""
        from gitmem.commands.install import git_hooks

        return (git_hooks.plan_install if only_plan else git_hooks.install)(self.git, shared=shared, check=check)

    def uninstall_git_hooks(self, *, only_plan: bool = False) -> Sequence[Step]:
        """Take the shims away, put back what was there before, and return what was done, or would be."""
        from gitmem.commands.install import git_hooks

        return (git_hooks.plan_uninstall if only_plan else git_hooks.uninstall)(self.git)

    def install_git_diff(self, *, only_plan: bool = False) -> Sequence[Step]:
        """Have git show the memory's files readably, and return what was done, or would be."""
        from gitmem.commands.install import git_diff

        return (git_diff.plan_install if only_plan else git_diff.install)(self.git)

    def uninstall_git_diff(self, *, only_plan: bool = False) -> Sequence[Step]:
        """Take that away, and return what was done, or would be."""
        from gitmem.commands.install import git_diff

        return (git_diff.plan_uninstall if only_plan else git_diff.uninstall)(self.git)

    def install_schedule(self, *, every: str, kind: str = "", only_plan: bool = False) -> Sequence[Step]:
        """Have this machine run the verify job by itself, and return what was done, or would be."""
        from gitmem.commands.install import schedule

        if only_plan:
            return schedule.plan_install(self.git, every=every, kind=kind)
        return schedule.install(self.git, every=every, kind=kind, now=self.now)

    def uninstall_schedule(self, *, only_plan: bool = False) -> Sequence[Step]:
        """Take the schedule of this machine away, and return what was done, or would be."""
        from gitmem.commands.install import schedule

        return (schedule.plan_uninstall if only_plan else schedule.uninstall)(self.git)

    def install_ci(
        self,
        forge: str,
        *,
        every: str,
        shards: int = 1,
        package: str = "",
        force: bool = False,
        only_plan: bool = False,
    ) -> Sequence[Step]:
        """Set up the jobs that run on ``github`` or ``gitlab``, and return what was done, or would be."""
        from gitmem.commands.install import ci
        from gitmem.commands.install.ci_files import Wanted

        wanted = Wanted(every=every, shards=shards, package=package)
        if only_plan:
            return ci.plan_install(self, forge, wanted, force=force).steps
        return ci.install(self, forge, wanted, force=force)

    def uninstall_ci(self, forge: str, *, force: bool = False, only_plan: bool = False) -> Sequence[Step]:
        """Take the jobs that run on a forge away, and return what was done, or would be."""
        from gitmem.commands.install import ci

        if only_plan:
            return ci.plan_uninstall(self, forge, force=force).steps
        return ci.uninstall(self, forge, force=force)

    def ci_notes(self) -> Sequence[str]:
        """Return one line for each thing that a person should know who sets up a forge's jobs here."""
        from gitmem.commands.install.ci_others import list_notes

        top = self.git.repository.work_tree
        notes = list_notes(top, self.config.branch) if top is not None else []
        if self.find_tip() is None:
            told = "there is no memory branch here yet, where pull requests to it are reviewed"
            notes.append(f"{told}: gitmem init, then install again")
        return notes

    def schedules(self) -> Sequence[Schedule]:
        """Return what is to run verify jobs of this repository: on this machine, and on the forge."""
        from gitmem.verify.jobs.schedule import list_schedules

        return list_schedules(self.git.repository.state, self.git.repository.top or "")

    def silence(self, catalog: Catalog, ground: int | None) -> Silence | None:
        """Return what is wrong where a schedule fell silent or its last job failed."""
        schedules = self.schedules()
        if not schedules:
            return None
        from gitmem.store.background import list_failures
        from gitmem.text.secrets import safe_output
        from gitmem.verify.jobs.history import Signs
        from gitmem.verify.jobs.job import last_job
        from gitmem.verify.jobs.overdue import find_silence

        state = self.git.repository.state
        failed = next((said for what, said, _ in list_failures(state) if what == "verify"), "")
        signs = Signs(self.git, catalog, ground, self._default(), self._upstream())
        return find_silence(
            schedules,
            last_job(state),
            failure=" ".join(safe_output(failed, 300).split()),
            verified=signs.verified(),
            waits_since=lambda: signs.waits_since(self.now),
            came=signs.came,
            installed=signs.installed,
            now=self.now,
        )

    def soon_off(self, verified: int) -> str:
        """Return one line where a forge is about to switch its schedule off; what was recorded lately is a commit."""
        from gitmem.text.durations import DAY_S
        from gitmem.verify.jobs.history import newest_commit
        from gitmem.verify.jobs.overdue import FORGE_WARN_DAYS, tell_soon_off

        if self.now - verified < FORGE_WARN_DAYS * DAY_S or not any(one.is_forge for one in self.schedules()):
            return ""
        refs = ("HEAD", self._default(), self.ref, self._upstream())
        return tell_soon_off(self.schedules(), newest_commit(self.git, refs), self.now)

    def notes_on_jobs(self, catalog: Catalog, ground: int | None) -> list[str]:
        """Return what a session must know of verify jobs, a line each: that a schedule is silent, or soon will be."""
        silence = self.silence(catalog, ground)
        verified = catalog.row("SELECT coalesce(max(at), 0) FROM verdict")[0]
        return [told for told in (silence.told if silence else "", self.soon_off(verified)) if told]

    def last_verified(self, catalog: Catalog) -> dict[str, Any] | None:
        """Return when a verify job ran last as far as this clone knows, and on which commit; None where none did."""
        from gitmem.verify.jobs.history import tell_last

        return tell_last(self.git, catalog, now=self.now)

    def jobs(self, catalog: Catalog, ground: int | None, tip: str) -> dict[str, Any]:
        """Return what is known of verify jobs: the last one here, the last on the branch, and what runs them."""
        from gitmem.verify.jobs.history import tell_jobs

        verified = catalog.row("SELECT coalesce(max(at), 0) FROM verdict")[0]
        return tell_jobs(
            self.git,
            self.schedules(),
            tip=tip,
            silence=self.silence(catalog, ground),
            soon_off=self.soon_off(verified),
            now=self.now,
        )

    def metric_counts(self, catalog: Catalog, ground: int | None, found: Mapping[str, Any]) -> Counts:
        """Return what metrics tell besides what *found* of the status."""
        from gitmem.commands.report.metrics import Counts, count_due, moment_of
        from gitmem.store import background, hook_log
        from gitmem.verify.jobs.history import count_behind

        state, jobs = self.git.repository.state, found["jobs"]
        due, oldest = count_due(catalog, ground, self.now)
        failures = hook_log.list_failures(state)
        moments = {name: jobs[name]["at"] for name in ("last", "branch", "claimed") if jobs[name]}
        moments |= {"verdict": found["verified_at"]} if found["verified_at"] else {}
        is_current, shows = found["index"]["is_current"], found["index"]["commit"]
        return Counts(
            due,
            oldest,
            {name: moment_of(at) for name, at in moments.items()},
            0 if is_current else count_behind(self.git, shows, found["commit"]),
            self.local.count_looks(),
            len(failures),
            moment_of(failures[-1].at) if failures else 0,
            len(background.list_failures(state)),
            {one.what: one.every_s for one in self.schedules()},
        )

    def _default(self) -> str:
        """Return the code's default branch as a full ref, as far as that is known without a process."""
        from gitmem.git.branches import likely_default

        configured = self.config.default_branch or self.policy().verify.default_branch
        return likely_default(self.git, configured=configured, remote=self.config.remote)

    def _upstream(self) -> str:
        """Return the memory branch of the remote, as a full ref."""
        return f"refs/remotes/{self.config.remote}/{self.config.branch}"
