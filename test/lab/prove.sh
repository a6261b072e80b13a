#!/bin/bash
# Inside a lab that setup.sh has set up: runs the proofs of a folder (proofs, plugged, last), or those whose numbers PROOFS
# names. What stops, counts or looks at the whole machine has it for itself. The others mostly wait, so three run at a time:
# those that share something come one after the other, the mail queue or the ports of mail and SSH in one row, and in the other
# how long sites may be idle, since files then differ on disk. 04 starts BIND anew, before 08's authority asks it.
cd "$(dirname "$0")" || exit 1
folder=${1:-proofs}
first='01' mail='05 04 24 07 18 19 28 21 22 29 47' php='09 36 39 08 34 33 35' last='27 30 31 40 14 15 17'
shown=$(mktemp -d)
trap 'rm -r "$shown"' EXIT

number() { basename "$1" .sh | cut -d- -f1; }
# The proofs that have no place above. 05 is early, while there are keys that were made ahead.
others() { for proof in "$folder"/*.sh; do number "$proof"; done | grep -vwF "$(tr ' ' '\n' <<< "$first $php $mail $last")"; }

# One after the other. Each is shown when it has ended, so that two do not mix.
prove() { # prove NUMBER...
  local number proof
  exec 9> "$shown/turn"
  for number; do
    case " ${PROOFS:-$number} " in *" $number "*) ;; *) continue ;; esac
    for proof in "$folder/$number"*.sh; do prove_one "$proof"; done
  done
}
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
  prove $php &
  prove $mail &
  prove $(others)
  wait
  prove $last
else
  prove $(for proof in "$folder"/*.sh; do number "$proof"; done | sort -u)
fi
[ ! -e "$shown/failed" ]
