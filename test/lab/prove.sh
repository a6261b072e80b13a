#!/bin/bash
# Inside a lab that setup.sh has set up: runs the proofs of a folder (proofs, plugged, last), or those whose numbers PROOFS
# names, one after the other.
cd "$(dirname "$0")" || exit 1
failed=0
for proof in "${1:-proofs}"/*.sh; do
  number=$(basename "$proof" | cut -d- -f1)
  case " ${PROOFS:-$number} " in *" $number "*) ;; *) continue ;; esac
  echo "-- $(basename "$proof" .sh)"
  begun=$(date +%s)
  bash "$proof" || failed=1
  echo "# $(($(date +%s) - begun)) s"
done
exit $failed
