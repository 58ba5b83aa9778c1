"""Type the README's commands from a clone to the first proven fact, in an empty home, and print how long they take.

``make first-fact``. It needs the network, for the packages that gitmem needs. The clone comes from this checkout,
and the reader's own repository is the example (example/weather.sh).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Type the commands in one shell; return 0 if the fact is verified at the end."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    block = next(iter(re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)))
    commands = block.replace("https://HOST/PATH", str(PROJECT)).replace("YOUR/REPOSITORY", "weather").splitlines()
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG") or name.startswith("PIP_")}
    with tempfile.TemporaryDirectory() as home:
        env = {**kept, "HOME": home, "GIT_AUTHOR_NAME": "Dana", "GIT_AUTHOR_EMAIL": "dana@example.org"}
        subprocess.run(["bash", str(PROJECT / "docs/example/weather.sh"), "weather"], cwd=home, env=env, check=True)
        # `adopt` exits with 1 where a statement is false, as it is here.
        script = "\n".join([*commands, "gitmem list --status verified --json | grep --quiet README.md"])
        start = time.monotonic()
        status = subprocess.run(["bash", "-c", script], cwd=home, env=env, check=False).returncode
        outcome = "verified" if status == 0 else "NOT verified"
        print(f"{len(commands)} commands, {time.monotonic() - start:.0f} s, {outcome}")
    return status


if __name__ == "__main__":
    sys.exit(main())
