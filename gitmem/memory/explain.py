"""The commands that explain: the part of ``Memory`` that says what a change breaks or means, and which commit did."""

from __future__ import annotations

from gitmem.memory.jobs import Jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.commands.check.run import Checked
    from gitmem.commands.review.model import Review
    from gitmem.commands.why import Step, Why
    from gitmem.index.catalog.catalog import Catalog
    from gitmem.verify.session import Options, Run


class Explained(Jobs):
    """An opened store with the commands that explain failures."""

    def check(
        self,
        options: Options,
        *,
        base: str = "",
        head: str = "",
        staged: bool = False,
        told: Callable[[str, int, int], None] = lambda *_: None,
    ) -> Checked:
        """Say which facts a change makes false: those that it touches, before and behind it; writes to no branch.

        Args:
            options: What is asked for.
            base: What to compare with; empty for the default branch.
            head: The other end; empty for HEAD.
            staged: What is staged, against HEAD, instead of both.
            told: Called with each fact as its command has run.
        """
        from gitmem.commands.check.run import check, check_staged

        self.note_unreadable()
        if staged:
            return check_staged(self.proving(options), told=told)
        return check(self.proving(options), base=base, head=head, default=self.default_branch(), told=told)

    def review(self, typed: str = "", *, code: str = "", approved: str = "") -> Review:
        """Say what a change of the memory branch means; runs nothing and writes to no branch.

        Args:
            typed: ``A..B``, ``A...B``, ``A`` up to the memory branch, or empty for what was not synced.
            code: The commit of the code whose statuses are told; empty for HEAD.
            approved: A reviewed list of commands, read from the default branch.
        """
        from gitmem.commands.review.run import Ground, review

        upstream = self.store.upstream or ""
        ground = Ground(
            self.git,
            self.ref,
            upstream,
            self.reviewed_branch(),
            self._catalog_of,
            self.local,
            self.trust(approved),
            self.now,
            self.config.secrets_allow,
        )
        return review(ground, typed, code=code)

    def _catalog_of(self, commit: str, code: str) -> Catalog:
        """Return the catalog of a commit of the store together with the memories of a commit of the code."""
        from gitmem.commands.time_travel.catalogs import Wanted, catalog_at
        from gitmem.index.refresh import empty_catalog
        from gitmem.store.code_tree.tree import read_tree

        tip = self.find_tip()
        now = self.catalog(tip) if tip else empty_catalog()
        wanted = Wanted((commit,) if commit else (), read_tree(self.git, code) if code else "")
        return catalog_at(self.git, now, wanted, progress=self._told("reading memories"))

    def why(
        self,
        key: str,
        *,
        options: Options | None = None,
        scope: str = "",
        with_diff: bool = False,
        told: Callable[[Step], None] = lambda _: None,
    ) -> Why:
        """Find the commit that broke a fact, with the fact's own check, and write it on the fact's verdict.

        Args:
            key: The fact, or the beginning of its key.
            options: How checks run here, and where the verdict goes: ``approved``, ``no_sandbox``, ``record`` of them.
            scope: Of which scope, where several have such a key.
            with_diff: Whether it is shown how the culprit changed the inputs.
            told: Told of each run of the check.
        """
        from gitmem.commands.why import NO_CHECK, Why, explain
        from gitmem.frozen import replace
        from gitmem.verify.session import Options

        store, full_key = self.holder(key, scope)
        asked = replace(options or Options(), keys=(full_key,), everything=False)
        for proving, own in self.proving(asked):
            if own.keys == (full_key,) and proving.store.scope == store.store.scope:
                return explain(proving, own, told, with_diff=with_diff)
        return Why(full_key, NO_CHECK, reason="it is about no code in particular: no check of it runs")

    def why_failing(self, options: Options, *, told: Callable[[Step], None] = lambda _: None) -> Sequence[Why]:
        """Find what broke every fact that fails at HEAD and of which that is not known: of these keys, or all.

        With a result file, of those that it says fail: what was found goes into the file.
        """
        from gitmem.commands.why import explain_all

        if options.results:
            return self._why_in_file(options, told)
        return [why for store, own in self.proving(options) for why in explain_all(store, own, told)]

    def _why_in_file(self, options: Options, told: Callable[[Step], None]) -> Sequence[Why]:
        from gitmem.commands.why import explain_all, named_by
        from gitmem.frozen import replace
        from gitmem.verify.jobs import result_file

        judged = result_file.read_results(options.results)
        keys = result_file.unexplained(judged)
        if not keys:
            return []
        asked = replace(options, keys=keys, everything=False, shard=None)
        explained: list[Why] = []
        try:
            for store, own in self.proving(asked):
                explained += explain_all(store, own, told) if store is self else []
        finally:  # a fact that had to be judged again was written over the file, alone
            result_file.write_results(options.results, result_file.with_culprits(judged, named_by(explained)))
        return explained

    def with_culprits(self, run: Run, explained: Sequence[Why]) -> Run:
        """Return what came of a verify run with the culprits that were found after it."""
        if not explained:
            return run
        from gitmem.commands.why import with_culprits

        return with_culprits(run, explained)

    def culprits(self, named: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """Return a phrase for each pair of a verdict's ``culprit`` and ``culprit_after``."""
        from gitmem.verify.blame.culprit import told_of

        return told_of(self.git, named)
