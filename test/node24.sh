#!/usr/bin/env bash
# Runs the tests on Node 24, in a copy with dependencies of its own: a better-sqlite3 built for Node 20 does not load there.
# With --prepare, it installs what that needs and runs none.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# Root's tests run programs as other users, who cannot look into root's home.
[ "$(id -u)" = 0 ] && home=/var/cache || home=${XDG_CACHE_HOME:-$HOME/.cache}
cache=${PANEL_NODE24_CACHE:-$home/panel-node24}
copy="$cache/copy"

mkdir -p "$cache/node" "$copy"
if [ ! -x "$cache/node/node_modules/.bin/node" ]; then
  echo '{"private":true,"allowScripts":{"node":true}}' > "$cache/node/package.json"
  npm install --prefix "$cache/node" --no-audit --no-fund --loglevel=error node@24
fi
export PATH="$cache/node/node_modules/.bin:$PATH"
echo "node $(node --version)"

find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
tar --directory "$root" --exclude=./node_modules --exclude=./.git --exclude=./.panel --create . | tar --directory "$copy" --extract

cd "$copy"
npm pkg set 'dependencies.better-sqlite3=^13.0.0'
npm install --no-audit --no-fund --loglevel=error
[ "${1:-}" = --prepare ] || npx --no-install vitest run "$@"
