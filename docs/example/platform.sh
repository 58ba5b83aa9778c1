#!/usr/bin/env bash
# Make the example of the documentation for a monorepo: two services and a library. Usage: platform.sh FOLDER.
set -euo pipefail

git init --quiet --initial-branch main "$1"
cd "$1"
mkdir -p services/billing/src services/web/src libs/money deploy
printf '[project]\nname = "billing"\nversion = "4.2.0"\nrequires-python = ">=3.12"\n' > services/billing/pyproject.toml
printf 'PORT = 7001\nTIMEOUT_S = 3\n' > services/billing/src/settings.py
printf '{\n  "name": "web",\n  "version": "4.2.0",\n  "scripts": { "build": "vite build" }\n}\n' > services/web/package.json
printf 'export const BILLING = "http://billing:7001";\n' > services/web/src/config.js
printf 'def to_cents(amount):\n    return round(amount * 100)\n' > libs/money/money.py
printf 'billing:\n  port: 7001\nweb:\n  port: 7002\n' > deploy/ports.yaml
git add --all
git -c user.name="Ana Example" -c user.email=ana@example.org commit --quiet --message "Start the platform"
