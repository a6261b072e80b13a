#!/bin/bash
# Runs the properties of each of these test files for so many minutes, and prints how often each ran:
#   npm run fuzz -- 10 test/field/pem.test.ts test/field/zones.test.ts
# Stops at the first failure; its report has the seed. Two files at a time: start it twice.
set -uo pipefail
minutes=$1
shift
export FUZZ_SECONDS=${FUZZ_SECONDS:-40}
FUZZ_LOG=$(mktemp)
export FUZZ_LOG
trap 'rm -f "$FUZZ_LOG"' EXIT
for file in "$@"; do
  : > "$FUZZ_LOG"
  end=$((SECONDS + minutes * 60))
  while :; do
    if ! out=$(nice -n 19 npx vitest run --maxWorkers=1 -t "${ONLY:-}" "$file" 2>&1); then
      printf '%s\n%s: failed\n' "$out" "$file"
      exit 1
    fi
    [ $SECONDS -ge $end ] && break
  done
  awk -F'\t' -v file="$file" '{ n[$2] += $1 } END { for (name in n) printf "%12d  %s: %s\n", n[name], file, name }' "$FUZZ_LOG"
done
