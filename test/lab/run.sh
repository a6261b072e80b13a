#!/bin/bash
# npm run test:host: boots Debian 12 and 13 by the program that HOST_LAB names, runs the two commands on each, and proves
# what this machine then does. SUITES=trixie PROOFS="02 12" runs two proofs on one release.
# Skips visibly (exit code 77) where there is no such program, or where it cannot boot anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
lab=${HOST_LAB:-}
[ -x "$lab" ] || { echo "test:host: SKIPPED, HOST_LAB names no program that boots a lab"; exit 77; }

stage=$(mktemp -d)
name=t$$
trap '"$lab" down "$name" > /dev/null 2>&1 || true; rm -rf "$stage"' EXIT
deb=$(node packaging/deb.mjs --out "$stage")

prove() { # prove SUITE
  local rc=0
  "$lab" up "$name" "$1" --net --copy "$deb:/root/panel.deb" --copy test/lab:/root/lab || return
  "$lab" run "$name" -- bash /root/lab/setup.sh || rc=$?
  [ $rc != 0 ] || "$lab" run "$name" -- env PROOFS="${PROOFS:-}" bash /root/lab/prove.sh || rc=$?
  [ $rc = 0 ] || "$lab" run "$name" -- journalctl -u panel -u panel-host --no-pager -n 20
  "$lab" down "$name"
  return $rc
}

failed=0
for suite in ${SUITES:-bookworm trixie}; do
  echo "== $suite"
  rc=0
  prove "$suite" || rc=$?
  if [ $rc = 77 ]; then echo "test:host: SKIPPED, this machine cannot run labs"; exit 77; fi
  [ $rc = 0 ] || failed=1
done
exit $failed
