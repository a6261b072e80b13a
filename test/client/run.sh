#!/usr/bin/env bash
# Makes a client from openapi.json with a generator and a compiler of its own, and drives a running server with it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work="$root/node_modules/.cache/client"

mkdir -p "$work"
cp "$here"/*.ts "$here"/*.json "$work"
cd "$work"
if ! cmp -s package-lock.json installed-lock.json; then
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json installed-lock.json
fi

npx --no-install openapi-typescript "$root/openapi.json" --output api.d.ts
npx --no-install tsc -p .
node out/main.js "$root/bin/panel.js"
