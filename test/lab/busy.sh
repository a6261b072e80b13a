#!/bin/bash
# Inside a lab: wakes an Apache, has the panel work on many accounts, and leaves while it does.
. "$(dirname "$0")/lib.sh"
trap - EXIT
for name in pluga plugs; do
  account $name
  panel domains update $name.example --handler apache -a $name > /dev/null 2>&1
  put $name index.php <<< '<?php echo "awake";'
  page $name.example > /dev/null
done
panel accounts suspend plugs > /dev/null 2>&1
for n in $(seq 8); do panel accounts create "plug$n" --domain "plug$n.example" --no-wait > /dev/null 2>&1; done
for _ in $(seq 100); do [ -d /home/plug3 ] && break; sleep 0.05; done
