"""Run checks in the strongest sandbox that works here: bubblewrap, else Landlock with seccomp, else none.

On macOS the only rung is Seatbelt, where limits and the killing of leftover processes are less complete (``seatbelt``).
Each rung is tested by running it. No sandbox at all is used only if the caller requests it, never as a fallback. On
every rung a check has a fresh environment, an empty home, no standard input and limits, and all its processes are
killed when it ends. On all rungs but the last it can change only the ground, and cannot reach the user's home. With
``network`` under bubblewrap it can also reach the machine's abstract UNIX sockets, which belong to the network
namespace (unix(7)).
"""

from __future__ import annotations

import math
import os
import sys
from functools import lru_cache
from pathlib import Path

from gitmem.errors import ProcessError
from gitmem.frozen import frozen, replace
from gitmem.model import Ran
from gitmem.system import process
from gitmem.verify.ground.ground import Ground
from gitmem.verify.sandbox import account, bubblewrap, caches, seatbelt, starter, toolchain
from gitmem.verify.sandbox.launch_plan import FILE_BYTES, SWEEP_S, LaunchPlan, format_plan
from gitmem.verify.sandbox.limits import MIB, Limits, default_limits
from gitmem.verify.sandbox.removal import remove_tree
from gitmem.verify.sandbox.temporary import temporary_folder
from gitmem.verify.trace.strace import argv_traced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BUBBLEWRAP = "bubblewrap"
LANDLOCK = "landlock"
SEATBELT = "seatbelt"
NONE = "none"

# Devices that every program may use.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Seconds that the starter may take to kill leftover processes; it gives up on its own slightly earlier.
GRACE_S = SWEEP_S + 1
# A probe takes 20 ms (measured); this is for a machine that is very busy.
PROBE_TIMEOUT_S = 10.0

# What a probe of each rung must show: it can change the ground, and neither read nor change another folder.
CONFINED = 'echo x > own && ! cat "$1/secret" && ! echo x > "$1/new" || exit 1\n'
# Escapes that must fail: each is tried, and the rung is refused if one works. A kernel setting is only written with its
# present value.
ESCAPES = (
    ("it lets checks change kernel settings", "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern"),
    ("it filters no system calls", 'test "$filtered" != 2'),
    ("it lets checks gain privileges", 'test "$bound" != 1'),
    ("it lets checks set setuid bits", "chmod 4755 own"),
    ("it lets checks create user namespaces", "unshare --user true"),
    ("it lets checks read files that only root may read", "read -r name < /etc/shadow"),
)
STATUS = """while read -r name value; do
case $name in Seccomp:) filtered=$value ;; NoNewPrivs:) bound=$value ;; esac
done < /proc/self/status
"""
PROBE = (
    CONFINED
    + STATUS
    + "".join(f'if {{ {tried}; }} 2> /dev/null; then echo "{said}"; exit 1; fi\n' for said, tried in ESCAPES)
)
# The probe of the overlay: first the operations that are hardest for it, then whether the changes are still there.
OVERLAID = ("rm -r d && mkdir d && echo x > d/new && mv f g && test ! -e f", "test -e d/new && test ! -e d/old")


def probe(env_path: str) -> str:
    """Return the strongest rung that works here. Never raises.

    Args:
        env_path: PATH, which is also searched for the sandbox's own programs.
    """
    return next((rung for rung in ladder() if works(rung, env_path)), NONE)


def ladder() -> tuple[str, ...]:
    """Return the rungs that this system may have, the strongest first."""
    return {"linux": (BUBBLEWRAP, LANDLOCK), "darwin": (SEATBELT,)}.get(sys.platform, ())


def works(rung: str, env_path: str) -> bool:
    """Return whether a rung works here, by running a check that tries to escape from it; never raises."""
    return not why_not(rung, env_path)


@lru_cache
def why_not(rung: str, env_path: str) -> str:
    """Return why a rung does not work here, by running it once per process; empty if it works. Never raises."""
    try:
        with temporary_folder("gitmem-probe-") as inside, temporary_folder("gitmem-probe-") as outside:
            (outside / "secret").write_text("secret\n", encoding="ascii")
            account.give(inside, account.check_user())
            ran = _run_probe(PROBE, str(outside), ground=inside, rung=rung, path=env_path)
            if "secret\n" in ran.output or (outside / "new").exists():
                return "it does not confine checks"
            message = ran.output.strip().rsplit("\n", 1)[-1]
            return "" if ran.status == 0 else ran.problem or message or f"exit {ran.status}"
    except OSError as err:
        return str(err)


@lru_cache
def probe_overlay(env_path: str, folder: Path, rung: str = BUBBLEWRAP) -> bool:
    """Return whether grounds below *folder* can be overlays on a rung, by running one; never raises.

    *folder* is created if missing, because the result depends on its file system.
    """
    return _probe_ground(env_path, folder, rung, is_overlay=True)


@lru_cache
def probe_place(env_path: str, folder: Path, rung: str) -> bool:
    """Return whether checks on a rung can see grounds below *folder* at another path; never raises."""
    return _probe_ground(env_path, folder, rung, is_overlay=False)


def _probe_ground(env_path: str, folder: Path, rung: str, *, is_overlay: bool) -> bool:
    if sys.platform != "linux":
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary_folder("probe-", folder) as top:
            for part in ("lower/d", "place", "upper/u", "upper/w"):
                Path(top, part).mkdir(parents=True)
            for name in ("lower/f", "lower/d/old"):
                Path(top, name).write_text("x", encoding="ascii")
            account.give(top, account.check_user())
            upper = Path(top, "upper").resolve() if is_overlay else None
            place = Path(top, "place").resolve() if rung == LANDLOCK else None
            ground = Ground(Path(top, "lower").resolve(), "", (), upper, place)
            shown = [_run_probe(s, "", ground=ground, rung=rung, path=env_path).status for s in OVERLAID]
            left = sorted(str(p.relative_to(ground.path)) for p in ground.path.rglob("*"))
            remove_tree(str(Path(top, "upper")))
            return shown == [0, 0] and (left == ["d", "d/old", "f"] or not is_overlay)
    except OSError:
        return False


def _run_probe(script: str, argument: str, *, ground: Path | Ground, rung: str, path: str) -> Ran:
    argv = ["sh", "-c", script, "sh", argument]
    return run_check(argv, ground=ground, rung=rung, network=False, timeout_s=PROBE_TIMEOUT_S, path=path)


def clean_environment(
    path: str, home: str, tmp: str, *, online: bool, variables: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the whole environment of a check: a fixed set, and those of our variables that the fact declares."""
    env = {
        **dict(toolchain.find_toolchain(path).variables),
        **caches.variables(home),
        **(variables or {}),
        "PATH": path,
        "HOME": home,
        "TMPDIR": tmp,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
    }
    # npm tries to reach a registry for minutes if a package is not installed; other package managers fail at once.
    return env if online else {**env, "npm_config_offline": "true"}


def run_check(
    argv: list[str],
    *,
    ground: Path | Ground,
    rung: str,
    network: bool,
    timeout_s: float,
    path: str,
    limits: Limits | None = None,
    strace: str = "",
    stops: int | None = None,
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Run a check with its working directory at the ground.

    Args:
        argv: The program and its arguments; a shell command is ``["sh", "-c", command]``.
        ground: The folder that it sees and may change; for a ``Ground`` with an upper folder, changes go there.
        rung: ``bubblewrap``, ``landlock``, ``seatbelt`` or ``none``.
        network: Whether it may reach the network.
        timeout_s: Seconds after which it is killed, > 0.
        path: Its PATH.
        limits: What all of its processes may use together; enforced on Linux only.
        strace: The path of strace, to trace the check if a starter is used; empty for no trace.
        stops: An earlier ``stop_count``: the check ends at once if it has changed since; None for the current one.
        variables: Further environment variables that it sees.

    Returns:
        The result. The status is 128 + signal if a signal ended the program, as in a shell. It is None if the
        sandbox or the program could not start; the problem gives the reason.
    """
    place = ground if isinstance(ground, Ground) else Ground(ground, "", ())
    if "/" not in argv[0] and find_program(argv[0], path) is None:
        return Ran(None, False, "", False, 0.0, f"{argv[0]}: no such program on PATH")
    job = _Job(argv, place, network, timeout_s, path, limits or default_limits(), strace, stops, variables)
    if rung == BUBBLEWRAP:
        return job.run_in_bubblewrap()
    if rung == LANDLOCK or (rung == NONE and sys.platform == "linux" and not place.upper):
        return job.run_by_starter(confined=rung == LANDLOCK)
    if place.upper is not None:
        raise ValueError(f"{rung} cannot run a check on an overlay")
    if rung in (SEATBELT, NONE):
        return job.run_plainly(confined=rung == SEATBELT)
    raise ValueError(f"{rung}: no such rung")


def find_program(name: str, path: str) -> str | None:
    """Return the path of a program on *path*, searching only absolute entries; None if there is none."""
    for folder in path.split(":"):
        place = f"{folder}/{name}"
        if folder.startswith("/") and os.access(place, os.X_OK) and Path(place).is_file():
            return place
    return None


@frozen
class _Job:
    """A check to be run on one of the rungs; the fields are the arguments of ``run_check``."""

    argv: list[str]
    ground: Ground
    network: bool
    timeout_s: float
    path: str
    limits: Limits
    strace: str
    stops: int | None
    variables: Mapping[str, str] | None

    @property
    def cpu_s(self) -> int:
        """Return a backstop in case the timeout fails: all processors for the whole time, plus a margin."""
        return math.ceil(self.timeout_s) * (os.cpu_count() or 1) + 10

    def run_in_bubblewrap(self) -> Ran:
        """Run the check in its own namespaces; bubblewrap also has a clean environment, as /proc/1/environ shows it."""
        home, tmp = bubblewrap.PRIVATE_HOME, bubblewrap.PRIVATE_FOLDERS[0]
        env = clean_environment(self.path, home, tmp, online=self.network, variables=self.variables)
        return self._run(self._plan(env, "/", reports=True), self._bubblewrap)

    def run_by_starter(self, *, confined: bool) -> Ran:
        """Run the check as an ordinary process with its own home, confined or not."""
        with temporary_folder("gitmem-check-") as folder:
            if confined and account.check_user():
                account.open_way(folder)
            scratch = f"{folder}/home"
            online = self.network or not confined
            env = clean_environment(self.path, scratch, scratch, online=online, variables=self.variables)
            # /proc: tools read about themselves; Landlock protects other processes' memory and environment.
            readable = [*toolchain.list_readable_system(), "/proc", *self._list_folders()] if confined else []
            cwd = str(self.ground.path_in_check)
            plan = self._plan(env, cwd, scratch=scratch, confined=confined)
            bound = self._list_bound() if self.ground.seen_at else ()
            paths = {"readable": tuple(readable), "writable": (cwd, *DEVICES), "bound": bound}
            return self._run(replace(plan, **paths), self._argv)

    def _list_bound(self) -> tuple[str, ...]:
        """Return what mounts show under Landlock, alternately the path in the check and the real path.

        The ground comes first; what it hides follows, and what is in folders that only root may enter.
        """
        ground = self.ground
        seen = str(ground.path_in_check)
        folders = toolchain.find_toolchain(ground.tied_path(self.path)).folders
        tools = [
            folder for folder in folders if not (Path(folder).is_relative_to(seen) and ground.contains(Path(folder)))
        ]
        lent = [(f"{seen}/{folder.name}", str(folder.place)) for folder in ground.bound]
        places = [(seen, str(ground.path)), *ground.borrowed, *lent]
        if account.check_user():
            tools += [real for _, real in caches.find_caches()]
        else:
            tools = [tool for tool in tools if Path(tool).is_relative_to(seen)]
        places += [(tool, tool) for tool in tools if os.path.exists(tool)]  # noqa: PTH110 - a string
        return tuple(word for place in places for word in place)

    def _list_folders(self) -> list[str]:
        """Return what a check may read that is confined by paths, besides the system's folders."""
        place = self.ground
        folders = toolchain.find_toolchain(place.tied_path(self.path)).folders
        lent = (real for _, real in caches.find_caches())
        return [*folders, *(shown for shown, _ in place.borrowed), *map(str, place.mirrored), *lent]

    def _argv(self, held: starter.Starter) -> list[str]:
        """Return the command line inside the sandbox: the program, or strace with the program."""
        return argv_traced(self.strace, held.trace_fd, self.argv) if self.strace else self.argv

    def _plan(
        self, env: dict[str, str], cwd: str, *, scratch: str = "", reports: bool = False, confined: bool = False
    ) -> LaunchPlan:
        """Return the plan for the starter, without the command line, which depends on the starter."""
        return LaunchPlan(
            cwd=cwd,
            scratch=scratch,
            ground=str(self.ground.path),
            upper=str(self.ground.upper or ""),
            limits=self.limits,
            cpu_s=self.cpu_s,
            user=account.check_user() if reports or confined else 0,
            reports=reports,
            confined=confined,
            network=self.network,
            env=tuple(f"{name}={value}" for name, value in env.items()),
            readable=(),
            writable=(str(self.ground.path), *DEVICES),
            bound=(),
            lent=tuple(word for cache in caches.find_caches() for word in cache) if scratch else (),
            laid=tuple(word for lent in self.ground.folders for word in (lent.name, str(lent.place))),
            traced=bool(self.strace),
            argv=(),
        )

    def _run(self, plan: LaunchPlan, argv_of: Callable[[starter.Starter], list[str]]) -> Ran:
        try:
            held = starter.take()
        except ProcessError as err:
            return Ran(None, False, "", False, 0.0, err.message)
        try:
            return held.run(
                format_plan(replace(plan, argv=tuple(argv_of(held)))),
                timeout_s=self.timeout_s,
                output_cap=process.OUTPUT_CAP,
                grace_s=GRACE_S,
                stops=self.stops,
                is_traced=bool(self.strace),
            )
        except ValueError as err:
            return Ran(None, False, "", False, 0.0, f"cannot start {self.argv[0]}: {err}")
        finally:
            starter.give_back(held)

    def _bubblewrap(self, held: starter.Starter) -> list[str]:
        return bubblewrap.wrap(
            self._argv(held),
            program=find_program("bwrap", self.path) or "bwrap",
            ground=self.ground,
            path=self.path,
            network=self.network,
            report_fd=held.report_fd,
        )

    def run_plainly(self, *, confined: bool) -> Ran:
        """Run the check without a starter, on systems other than Linux; confined by Seatbelt or not at all."""
        with temporary_folder("gitmem-check-") as folder:
            scratch, argv, online = str(folder), self.argv, self.network or not confined
            if confined:
                argv = seatbelt.wrap(
                    self.argv,
                    readable=self._list_folders(),
                    writable=[str(self.ground.path), scratch],
                    network=self.network,
                    cpu_s=self.cpu_s,
                    file_mib=FILE_BYTES // MIB,
                )
            env = clean_environment(self.path, scratch, scratch, online=online, variables=self.variables)
            return process.run_bounded(process.Program(argv, self.ground.path, env), timeout_s=self.timeout_s)
