"""``make fuzz``: try each target with random inputs for some time, and print the input of a failure.

make fuzz ARGS='--seconds 600'               every target for ten minutes
make fuzz ARGS='--only merge --seed 7'       one target, from a seed on
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from fuzz.targets import TARGETS
from hypothesis import HealthCheck, Phase, given, seed, settings

BATCH = 200


def fuzz(name: str, seconds: float, first: int) -> int:
    """Try one target, and return how many inputs it had; raise what it raised."""
    strategy, target = TARGETS[name]
    end, tried, number = time.monotonic() + seconds, 0, first

    def count(value: object) -> None:
        nonlocal tried
        tried += 1
        target(value)

    how = settings(
        max_examples=BATCH,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        print_blob=True,
    )
    while time.monotonic() < end:
        print(f"\r{name}: seed {number}, {tried} inputs", end="", flush=True)
        seed(number)(how(given(strategy)(count)))()
        number += 1
    print()
    return tried


def main() -> int:
    """Run the targets and return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="the time for each target (60)")
    parser.add_argument("--only", choices=TARGETS, help="one target")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed (the time)")
    args = parser.parse_args()
    failed = []
    for name in [args.only] if args.only else TARGETS:
        try:
            fuzz(name, args.seconds, args.seed)
        except Exception:  # noqa: BLE001 - every error of a target is a finding
            print()
            traceback.print_exc()
            failed.append(name)
    print(f"{len(failed)} of {len(TARGETS)} targets failed {' '.join(failed)}".rstrip())
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
