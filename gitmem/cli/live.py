"""The live display of a verify run on a terminal: a line for each running check, and the overall progress."""

from __future__ import annotations

from time import monotonic

from gitmem.cli.output import LEFT_FROM_S, Output, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# How many running checks are named; others are counted. A run has as many at once as there are cores.
NAMES_SHOWN = 8
# Lines of the screen that are reserved for earlier output.
LEFT = 4
BAR = 20


class Live:
    """The table of a run. ``begin`` may be called from any thread; only the printing thread draws."""

    def __init__(self, out: Output, *, clock: Callable[[], float] = monotonic) -> None:
        self._out = out
        self._clock = clock
        self._running: dict[str, float] = {}
        self._doubted: set[str] = set()
        self._done = 0
        self._bad: dict[str, int] = {}
        self._total = 0
        # The time of the first drawing, and the number of finished checks then.
        self._drawn_first: tuple[float, int] | None = None

    def expect(self, total: int) -> None:
        """Set how many facts will be judged."""
        self._done, self._bad, self._total = 0, {}, total
        self._drawn_first = None

    def begin(self, key: str) -> None:
        """Record that a check has started."""
        self._doubted.discard(key)
        self._running[key] = self._clock()

    def doubt(self, key: str) -> None:
        """Record that a fact failed and will be checked again later."""
        self._running.pop(key, None)
        self._doubted.add(key)

    def end(self, key: str, done: int, total: int, *, bad: str = "") -> None:
        """Record that a check has ended, and draw; *bad* is its status if it did not hold: ``failed``, ``blocked``."""
        if bad:
            self._bad[bad] = self._bad.get(bad, 0) + 1
        self._running.pop(key, None)
        self._done, self._total = done, total
        self._out.draw(self.lines, finished=done >= total)

    def tick(self) -> None:
        """Draw the current running times."""
        self._out.draw(self.lines)

    def lines(self, columns: int, rows: int) -> list[str]:
        """Return the table's lines, each narrower than the screen."""
        filled = BAR * self._done // max(self._total, 1)
        last = f"{'█' * filled}{'░' * (BAR - filled)} {self._done}/{self._total}"
        last += "".join(f", {number} {status}" for status, number in sorted(self._bad.items(), reverse=True))
        last += f", {len(self._doubted)} to be confirmed" if self._doubted else ""
        running = sorted(self._running.copy().items(), key=lambda item: item[1])
        room = max(0, min(NAMES_SHOWN, rows - LEFT))
        named, more = running[:room], len(running) - room
        now, width = self._clock(), max((len(key) for key, _ in named), default=0)
        lines = [_line(key, now - since, width, columns) for key, since in named]
        if more > 0:
            last += f" and {more} more running" if room else f" {more} running"
        began, done = self._drawn_first = self._drawn_first or (now, self._done)
        forms = [last, f"{self._done}/{self._total}"[: columns - 1]]
        if done < self._done < self._total:
            left = (now - began) / (self._done - done) * (self._total - self._done)
            forms = [f"{last}, {left:.0f} s left", *forms] if left >= LEFT_FROM_S else forms
        return [*lines, next(form for form in forms if len(form) < columns)]


def _line(key: str, seconds: float, width: int, columns: int) -> str:
    message = f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"
    room = max(1, min(width, columns - len(message) - 5))
    return f"  {shorten(key, room):<{room}}  {message}"[: columns - 1]
