"""Stopping what runs, from another thread."""

from __future__ import annotations

import os
import threading
import time

from gitmem.system import process, process_limits

ENV = {"PATH": os.environ["PATH"]}


def test_stop_all_ends_every_run_under_way_as_interrupted():
    rans = []
    threads = [
        threading.Thread(
            target=lambda: rans.append(process.run_bounded(process.Program(["sleep", "60"], "/", ENV), timeout_s=60))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    time.sleep(0.2)

    process_limits.stop_all()
    for thread in threads:
        thread.join(timeout=50)

    assert [(ran.problem, ran.timed_out) for ran in rans] == [("interrupted", False)] * 3
    assert all(ran.seconds < 50 for ran in rans)


def test_what_starts_after_stop_all_runs_as_ever():
    process_limits.stop_all()

    assert process.run_bounded(process.Program(["sh", "-c", "sleep 0.3"], "/", ENV), timeout_s=60).status == 0


def test_without_pidfd_the_exit_is_still_noticed_at_once(monkeypatch):
    monkeypatch.delattr(os, "pidfd_open")

    ran = process.run_bounded(process.Program(["sh", "-c", "sleep 300 & exit 4"], "/", ENV), timeout_s=200)

    assert ran.status == 4
    assert ran.seconds < 60
