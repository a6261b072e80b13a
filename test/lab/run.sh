#!/bin/bash
# npm run test:host: boots Debian 12 and 13 (by test/lab/lab, or the program that HOST_LAB names), runs the two commands on
# each, and proves what this machine then does. SUITES=trixie PROOFS="02 12" runs two proofs on one release. Before the
# others, proof 20 has the machine of the last release join the panel of the first; with one release it boots another.
# Beside the others, proofs 10, 13 and 23 run once more where homes are on btrfs; PROOFS="btrfs 23" names one of them.
# Without PROOFS, each release's proofs are shared by two machines: the second is a copy of the first once that is set up.
# SPEED=1 (npm run bench:host) measures instead, one release after the other.
# Skips visibly (exit code 77) where no machine can be booted.
set -euo pipefail
cd "$(dirname "$0")/../.."
lab=${HOST_LAB:-test/lab/lab}
[ -x "$lab" ] || { echo "test:host: SKIPPED, HOST_LAB names no program that boots a lab"; exit 77; }
command -v dpkg-deb > /dev/null || { echo 'test:host: SKIPPED, there is no dpkg-deb to make the package with'; exit 77; }

stage=$(mktemp -d)
suites=${SUITES:-bookworm trixie}
wanted() { case " ${PROOFS:-$1} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
read -r panel_on _ <<< "$suites"
node_on=${suites##* }
labs=$suites
# One release alone is proven without a second machine, unless that is asked for.
if [ "$node_on" = "$panel_on" ]; then
  node_on="$panel_on-node"
  case " ${PROOFS:-} " in *' 20 '*) labs="$suites $node_on" ;; *) node_on= ;; esac
fi
on_btrfs=
if [ -z "${SPEED:-}" ] && wanted btrfs; then on_btrfs=$(printf '%s-btrfs ' $suites); fi
copies=
# name SUITE: what its lab is called
name() { echo "t$$-$1"; }
finish() {
  local suite
  for suite in $labs $copies $on_btrfs; do "$lab" down "$(name "$suite")"; done > /dev/null 2>&1
  rm -rf "$stage"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
deb=$(node packaging/deb.mjs --quick --out "$stage")

inside() { "$lab" run "$name" -- env PROOFS="${PROOFS:-}" "$@"; }

set_up() { # set_up SUITE
  local rc name
  name=$(name "$1")
  inside bash /root/lab/setup.sh && return
  rc=$?
  echo "FAILED setup: it exited with $rc"
  tell
  return $rc
}

# The machine of SUITE, which is set up, twice: a program of HOST_LAB's that cannot copy leaves it with all proofs. The panel of
# the copy refuses to start, as another server may have its numbers, until it has taken over.
copied() { # copied SUITE
  "$lab" stop "$(name "$1")"
  if "$lab" copy "$(name "$1")" "$(name "$1-second")"; then
    copies+="$1-second "
    "$lab" up "$(name "$1-second")" --net
    "$lab" run "$(name "$1-second")" -- bash -e -c '
      systemctl stop panel
      runuser -u panel -- panel takeover /var/lib/panel --data-dir /var/lib/panel --yes
      systemctl reset-failed panel
      systemctl start panel' > /dev/null
  fi
  "$lab" up "$(name "$1")" --net
}

# A machine joins another one's panel as a node, hosts accounts, and is by itself again.
prove_node() {
  local rc=0
  echo '-- 20-node'
  bash test/lab/node/20-node.sh "$lab" "$(name "$panel_on")" "$(name "$node_on")" || rc=1
  if [ $rc != 0 ]; then for name in $(name "$panel_on") $(name "$node_on"); do journal -u panel-node; done; fi
  return $rc
}

# The proofs; then the plug is pulled in the middle of changes, and the machine boots again; then what ends the panel.
prove() { # prove SUITE
  local rc=0 name half=
  name=$(name "$1")
  if [ -n "${SPEED:-}" ]; then inside bash /root/lab/prove.sh speed; return; fi
  case "$copies" in *"$1-second "*) half=first ;; esac
  inside env HALF=$half bash /root/lab/prove.sh proofs || rc=1
  plug || rc=1
  inside bash /root/lab/prove.sh last || rc=1
  [ $rc = 0 ] || tell
  "$lab" down "$name"
  return $rc
}

# The other half of the proofs.
prove_second() { # prove_second SUITE-second
  local rc=0 name
  name=$(name "$1")
  inside env HALF=second bash /root/lab/prove.sh proofs || { rc=1; tell; }
  "$lab" down "$name"
  return $rc
}

# On a machine of its own, whose homes are on btrfs, where each is a subvolume with a quota.
prove_btrfs() { # prove_btrfs SUITE-btrfs
  local rc=0 name
  name=$(name "$1")
  boot "$1" > /dev/null && set_up "$1" || return 1
  for number in 10 13 23; do
    if wanted $number; then "$lab" run "$name" -- env PROOFS=$number bash /root/lab/prove.sh proofs || rc=1; fi
  done
  [ $rc = 0 ] || tell
  "$lab" down "$name"
  return $rc
}

plug() {
  wanted 15 || return 0
  inside bash /root/lab/busy.sh
  { "$lab" kill9 "$name" && "$lab" up "$name" --net; } || { echo 'FAILED to boot again after the plug was pulled'; return 1; }
  inside bash /root/lab/prove.sh plugged
}

# What failed, by proof, as the last that is said: the end of a long log is what is read first.
failures() { # failures SUITE
  awk -v suite="$1" '
    /^-- / { proof = $2 ": " }
    /^(ok|#|--|lab:)( |$)/ { telling = 0 }
    /^FAILED/ { telling = 10 }
    telling-- > 0 { print suite ": " proof $0 }' "$stage/$1.said" 2> /dev/null || true
}

tell() { journal; }
journal() { inside journalctl -u panel -u panel-host "$@" --no-pager -n 20; }

# The homes of SUITE-btrfs are on btrfs.
boot() {
  local homes=()
  case "$1" in *-btrfs) homes=(--home 2G) ;; esac
  "$lab" up "$(name "$1")" "${1%-*}" --net "${homes[@]}" --copy "$deb:/root/panel.deb" --copy test/lab:/root/lab
}

for suite in $labs; do
  rc=0
  boot "$suite" || rc=$?
  if [ $rc = 77 ]; then echo "test:host: SKIPPED, this machine cannot run labs"; exit 77; fi
  [ $rc = 0 ] || exit 1
done

# Keeps what is said of a lab, and its exit code: kept SUITE COMMAND...
kept() {
  local of=$1 rc=0; shift
  { "$@" 2>&1 || rc=$?; echo $rc > "$stage/$of"; } | tee -a "$stage/$of.said" | sed -u "s/^/$of: /"
  return "$(cat "$stage/$of")"
}

failed=0
# All releases at once: much of a proof's time is waiting.
at_once() { # at_once COMMAND SUITE...: the command for each
  local -A running; local of command=$1; shift
  for of; do
    kept "$of" "$command" "$of" &
    running[$of]=$!
    [ -z "${SPEED:-}" ] || wait "${running[$of]}" || true
  done
  for of; do
    wait "${running[$of]}" || failed=1
    echo "# $of: $SECONDS s"
  done
}

is_set_up() { [ "$(cat "$stage/$1")" = 0 ]; }

at_once set_up $labs
ready=$(for suite in $suites; do if is_set_up "$suite"; then echo "$suite"; fi; done)
if [ -z "${PROOFS:-}${SPEED:-}" ]; then for suite in $ready; do copied "$suite"; done; fi
{ at_once prove_second $copies; exit $failed; } & second=$!
{ at_once prove_btrfs $on_btrfs; exit $failed; } & btrfs=$!
if [ -n "$node_on" ] && [ $failed = 0 ] && [ -z "${SPEED:-}" ] && wanted 20; then kept node prove_node || failed=1; fi
at_once prove $ready
wait $second || failed=1
wait $btrfs || failed=1
for suite in $labs node $copies $on_btrfs; do failures "$suite"; done
exit $failed
