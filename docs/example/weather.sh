#!/usr/bin/env bash
# Make the example of the documentation: a small Python service with a history of five commits by three people.
# Usage: weather.sh FOLDER. Authors and times are fixed, so every run makes the same commits.
set -euo pipefail

git init --quiet --initial-branch main "$1"
cd "$1"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

save() { # save NAME TIME MESSAGE: commit everything
  local mail
  mail="$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]' | cut -d ' ' -f 1)@example.org"
  git add --all
  GIT_AUTHOR_NAME=$1 GIT_AUTHOR_EMAIL=$mail GIT_AUTHOR_DATE=$2 \
    GIT_COMMITTER_NAME=$1 GIT_COMMITTER_EMAIL=$mail GIT_COMMITTER_DATE=$2 git commit --quiet --message "$3"
}

mkdir -p src/weather tests
cat > AGENTS.md <<'END'
# Working on the weather service

- Python 3.10+; run the tests with `make test`.
- Handlers are in `src/weather/routes.py`; they call the client in `src/weather/client.py`.
- `retries` (default: `3`): how often a request is repeated.
- Write the changelog for people.
- Ask before you add a dependency.
END
printf '# Weather\n\nAnswers questions about the weather.\n' > README.md
cat > Makefile <<'END'
test:
	PYTHONPATH=src python3 -m unittest discover --quiet tests
END
cat > pyproject.toml <<'END'
[project]
name = "weather"
version = "1.0"
requires-python = ">=3.10"
dependencies = []
END
touch src/weather/__init__.py
cat > src/weather/client.py <<'END'
"""Ask the weather station."""


def fetch(station, city, retries=3):
    for attempt in range(1, retries + 1):
        try:
            return station(city)
        except ConnectionError:
            if attempt == retries:
                raise
END
cat > src/weather/routes.py <<'END'
"""Answer requests."""

from weather.client import fetch


def show(station, city):
    return f"{city}: {fetch(station, city)} degrees"
END
cat > tests/test_weather.py <<'END'
import unittest

from weather.routes import show


class Weather(unittest.TestCase):
    def test_city_is_shown(self):
        self.assertEqual(show(lambda city: 21, "Lima"), "Lima: 21 degrees")
END
save "Ana Example" 2025-03-03T09:00:00Z "Start the weather service"

cat > src/weather/cache.py <<'END'
"""Keep answers for a while."""

TTL_S = 600
END
save "Ben Example" 2025-04-14T13:30:00Z "Keep answers for ten minutes"

mkdir src/weather/web
touch src/weather/web/__init__.py
git mv src/weather/routes.py src/weather/web/routes.py
sed -i.old 's/weather.routes/weather.web.routes/' tests/test_weather.py && rm tests/test_weather.py.old
save "Ben Example" 2025-06-12T10:00:00Z "Split the handlers from the server"

sed -i.old 's/retries=3/retries=5/' src/weather/client.py && rm src/weather/client.py.old
save "Ana Example" 2025-09-01T08:00:00Z "Retry more often"

sed -i.old 's/3.10/3.11/; s/"1.0"/"1.1"/' pyproject.toml && rm pyproject.toml.old
save "Cleo Example" 2025-11-20T15:00:00Z "Drop Python 3.10"
