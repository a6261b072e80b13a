# What the proofs of test/lab/proofs share; each sources it, and uses accounts that no other proof uses.
failed=0
# What a command has said, and a message that is sent.
said=$(mktemp) mail=$(mktemp)
trap 'rm -f $said $mail; exit $failed' EXIT
is() { # is WHAT WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAILED $1: wanted '$2', got '$3'"; failed=1; fi
}
quietly() { "$@" > $said 2>&1 || { echo "FAILED $*: $(tail -2 $said)"; failed=1; }; }
refused() { # refused WHAT COMMAND...
  local what=$1; shift
  if "$@" > $said 2>&1; then echo "FAILED $what: it was not refused"; failed=1; else echo "ok $what"; fi
}
# An account whose name is verified: what a name may do before is for proof 24.
account() {
  quietly panel accounts create "$1" --domain "$1.example" "${@:2}"
  quietly panel domains set-verified "$1.example" true -a "$1"
}
code() { curl -s -o /dev/null -w '%{http_code}' --resolve "$1:80:127.0.0.1" "http://$1/${2:-}"; }
page() { curl -s --resolve "$1:80:127.0.0.1" "http://$1/${2:-}"; }
# The rest of standard input becomes a file of the account's site: put USER NAME
put() { install -o "$1" -g "$1" -m 0644 /dev/stdin "/home/$1/sites/$1.example/public/$2"; }
# Units that have failed, why, and the last that they said.
failed_units() {
  systemctl list-units --failed --plain --no-legend | while read -r unit _; do
    echo "$unit: $(systemctl show -P Result "$unit"): $(journalctl -u "$unit" -n 6 -o cat --no-pager | xargs -d '\n')"
  done
}
newest_job() { panel jobs list --kind "$1" -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4; }
# Waits for the newest job of a kind: job KIND
job() { panel jobs wait "$(newest_job "$1")" > /dev/null 2>&1; }
eventually() { # eventually COMMAND...: whether it succeeds within thirty seconds
  for _ in $(seq 300); do "$@" > /dev/null 2>&1 && return 0; sleep 0.1; done
  return 1
}
# Whether five answers in a row become WANTED within SECONDS: each process of PHP remembers an older one for a minute.
becomes() { # becomes SECONDS WANTED COMMAND...
  local until=$((SECONDS + $1)) wanted=$2 in_a_row=0
  shift 2
  while [ $in_a_row -lt 5 ] && [ $SECONDS -lt $until ]; do
    if [ "$("$@")" = "$wanted" ]; then in_a_row=$((in_a_row + 1)); else in_a_row=0; sleep 1; fi
  done
  [ $in_a_row = 5 ]
}
since() { echo "$((($(date +%s%N) - $1) / 1000000)) ms"; }
# The units of an account's PHP: a socket, and the master that its first request starts.
php_socket() { ls /etc/panel/php 2> /dev/null | sed -n "s/^\(.*-$1\)\.conf$/panel-php-\1.socket/p" | head -1; }
php_master() { php_socket "$1" | sed 's/socket$/service/'; }
# How many of them are active.
php_active() { systemctl list-units --plain --no-legend --state=active "panel-php-*-$1.*" | wc -l; }
php_version() { ls /usr/sbin/php-fpm[0-9]* | sed 's/.*php-fpm//'; }
# The code of a page once it is no longer 000: eventually_code DOMAIN
eventually_code() { for _ in $(seq 100); do [ "$(code "$1")" = 000 ] || break; sleep 0.1; done; code "$1"; }
# Waits until no job is under way.
jobs_end() {
  for _ in $(seq 300); do
    [ -n "$(panel jobs list --status queued -o name 2>&1)$(panel jobs list --status running -o name 2>&1)" ] || return 0
    sleep 0.2
  done
  return 1
}
