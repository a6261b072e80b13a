#!/bin/bash
# Inside a lab that setup.sh has set up: runs the proofs of a folder (proofs, plugged, last), or those whose numbers PROOFS
# names. What stops or looks at the whole machine has it for itself; of the others, those that mostly wait run beside the rest,
# and 04, which starts BIND anew, before 08, whose authority asks it. More at a time disturb each other: they share the mail
# queue, the log of traffic, and the settings.
cd "$(dirname "$0")" || exit 1
folder=${1:-proofs}
first='01' waiting='07 18 04 08' last='41 44 46 50 58 59 14 15 17'
# Where a release has two machines (HALF is first or second), these are the second one's.
second='21 27 28 30 31 32 33 35 36 37 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 57 58 59 61'
shown=$(mktemp -d)
trap 'rm -r "$shown"' EXIT

number() { basename "$1" .sh | cut -d- -f1; }
# The proofs that have no place of their own; 05 goes before them, while there are keys that were made ahead.
others() { for proof in "$folder"/*.sh; do number "$proof"; done | grep -vwF "$(tr ' ' '\n' <<< "05 $first $waiting $last")"; }

# One after the other. Each is shown when it has ended, so that two do not mix.
prove() { # prove NUMBER...
  local number proof
  exec 9> "$shown/turn"
  for number; do
    is_wanted "$number" || continue
    for proof in "$folder/$number"*.sh; do prove_one "$proof"; done
  done
}
is_wanted() {
  case " ${PROOFS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
  case "${HALF:-}" in first) ! is_of_second "$1" ;; second) is_of_second "$1" ;; esac
}
is_of_second() { case " $second " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
prove_one() {
  local name rc=0 begun=$SECONDS
  name=$(basename "$1" .sh)
  bash "$1" > "$shown/$name" 2>&1 9>&- || rc=$?
  [ $rc = 0 ] || touch "$shown/failed"
  [ $rc -le 1 ] || echo "FAILED: it exited with $rc" >> "$shown/$name"
  flock 9
  echo "-- $name"; cat "$shown/$name"; echo "# $((SECONDS - begun)) s"
  flock -u 9
}

if [ "$folder" = proofs ]; then
  # The world, which delegates to this machine, and has a few names of its own.
  echo nameserver 127.0.0.53 > /etc/resolv.conf
  prove $first
  prove $waiting & beside=$!
  prove 05 $(others)
  wait $beside
  prove $last
else
  prove $(for proof in "$folder"/*.sh; do number "$proof"; done | sort -u)
fi
[ ! -e "$shown/failed" ]
