#!/usr/bin/env bash
# Make the example of the documentation for Node: a small shop with a command and tests. Usage: shop.sh FOLDER.
set -euo pipefail

git init --quiet --initial-branch main "$1"
cd "$1"
mkdir -p src test
cat > package.json <<'END'
{
  "name": "shop",
  "version": "2.3.0",
  "type": "module",
  "engines": { "node": ">=20" },
  "scripts": { "start": "node src/server.js", "test": "node --test" },
  "dependencies": { "express": "^5.1.0" },
  "devDependencies": { "eslint": "^9.30.0" }
}
END
echo 22 > .nvmrc
printf 'FROM node:22-slim\nEXPOSE 3000\n' > Dockerfile
cat > src/cart.js <<'END'
export const FREE_SHIPPING_FROM = 50;

export function total(items) {
  const sum = items.reduce((all, item) => all + item.price * item.count, 0);
  return sum >= FREE_SHIPPING_FROM ? sum : sum + 5;
}
END
cat > test/cart.test.js <<'END'
import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.js";

test("shipping is free from 50", () => {
  assert.equal(total([{ price: 25, count: 2 }]), 50);
});
END
git add --all
git -c user.name="Ana Example" -c user.email=ana@example.org commit --quiet --message "Start the shop"
