#!/bin/bash
# npm run test:host: boots Debian 12 and 13 (by test/lab/lab, or the program that HOST_LAB names), runs the two commands on
# each, and proves what this machine then does. SUITES=trixie PROOFS="02 12" runs two proofs on one release.
# SPEED=1 (npm run bench:host) measures instead, one release after the other.
# Skips visibly (exit code 77) where no machine can be booted.
set -euo pipefail
cd "$(dirname "$0")/../.."
lab=${HOST_LAB:-test/lab/lab}
[ -x "$lab" ] || { echo "test:host: SKIPPED, HOST_LAB names no program that boots a lab"; exit 77; }
command -v dpkg-deb > /dev/null || { echo 'test:host: SKIPPED, there is no dpkg-deb to make the package with'; exit 77; }

stage=$(mktemp -d)
suites=${SUITES:-bookworm trixie}
# name SUITE: what its lab is called
name() { echo "t$$-$1"; }
finish() {
  local suite
  for suite in $suites; do "$lab" down "$(name "$suite")"; done > /dev/null 2>&1
  rm -rf "$stage"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
deb=$(node packaging/deb.mjs --quick --out "$stage")

inside() { "$lab" run "$name" -- env PROOFS="${PROOFS:-}" "$@"; }

# The proofs; then the plug is pulled in the middle of changes, and the machine boots again; then what ends the panel.
prove() { # prove SUITE
  local rc=0 name
  name=$(name "$1")
  inside bash /root/lab/setup.sh || { rc=$?; tell; return $rc; }
  if [ -n "${SPEED:-}" ]; then inside bash /root/lab/prove.sh speed; return; fi
  inside bash /root/lab/prove.sh proofs || rc=1
  plug || rc=1
  inside bash /root/lab/prove.sh last || rc=1
  [ $rc = 0 ] || tell
  "$lab" down "$name"
  return $rc
}

plug() {
  case " ${PROOFS:-15} " in *' 15 '*) ;; *) return 0 ;; esac
  inside bash /root/lab/busy.sh
  "$lab" kill9 "$name" && "$lab" up "$name" --net && inside bash /root/lab/prove.sh plugged
}

tell() { inside journalctl -u panel -u panel-host --no-pager -n 20; }

boot() { "$lab" up "$(name "$1")" "$1" --net --copy "$deb:/root/panel.deb" --copy test/lab:/root/lab; }

for suite in $suites; do
  rc=0
  boot "$suite" || rc=$?
  if [ $rc = 77 ]; then echo "test:host: SKIPPED, this machine cannot run labs"; exit 77; fi
  [ $rc = 0 ] || exit 1
done

# All releases at once: much of a proof's time is waiting.
declare -A proving
for suite in $suites; do
  { rc=0; prove "$suite" 2>&1 || rc=$?; echo $rc > "$stage/$suite"; } | sed -u "s/^/$suite: /" &
  proving[$suite]=$!
  [ -z "${SPEED:-}" ] || wait "${proving[$suite]}" || true
done

failed=0
for suite in $suites; do
  wait "${proving[$suite]}" || true
  [ "$(cat "$stage/$suite")" = 0 ] || failed=1
  echo "# $suite: $SECONDS s"
done
exit $failed
