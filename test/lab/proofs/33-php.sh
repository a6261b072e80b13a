# PHP by domain: versions side by side, settings of their own, and masters that sleep.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../second-php.sh"

masters() { systemctl list-units --plain --no-legend --state=active "panel-php-*-$1.service" | wc -l; }
version() { page "$1" v.php; }
own=$(panel host status --select 'machine.php[?default].version | [0]')
account dual
quietly panel domains create old.dual.example -a dual
for site in dual.example old.dual.example; do
  echo '<?php echo PHP_MAJOR_VERSION . "." . PHP_MINOR_VERSION;' > "/home/dual/sites/$site/public/v.php"
  echo '<?php echo ini_get("memory_limit");' > "/home/dual/sites/$site/public/memory.php"
  echo '<?php echo array_sum(array_map("filesize", array_column($_FILES, "tmp_name")));' > "/home/dual/sites/$site/public/up.php"
done
is 'nothing runs before the first request' 0 "$(masters dual)"
begun=$(date +%s%N)
is 'the first request starts it' "$own" "$(version dual.example)"
echo "# first request of a sleeping account: $(since "$begun")"
is 'its sockets are read-only to it' '' "$(nsenter -t "$(systemctl show -P MainPID "$(systemctl list-units --plain --no-legend 'panel-php-*-dual.service' | cut -d' ' -f1)")" -m sh -c 'touch /run/panel-php/dual/x 2> /dev/null && ls /run/panel-php/dual/x')"

# Debian 12 has the older of the two, and Debian 13's needs a newer C library.
if [ "$own" = 8.2 ]; then
  echo '# skipped: there is no second version for Debian 12'
else
second_php || { echo 'FAILED to put in a second version'; failed=1; }
other=8.2
quietly panel host status
is 'status shows both' "$(printf '%s\n' 8.2 8.4)" "$(panel host status --select 'machine.php[].version')"
quietly panel domains update old.dual.example -a dual --php-version $other
is 'two versions side by side' "$own $other" "$(version dual.example) $(version old.dual.example)"
refused 'a version that is not installed is refused' panel domains update old.dual.example -a dual --php-version 7.4

# A client at 20 a second while the main domain changes its version, twice each way.
(for _ in $(seq 240); do code dual.example v.php; echo; sleep 0.05; done) > /tmp/33.codes &
client=$!
for to in $other $own $other none; do quietly panel domains update dual.example -a dual --php-version $to; sleep 1; done
wait $client
is 'switching drops no request' 200 "$(sort -u /tmp/33.codes | xargs)"

quietly panel domains update dual.example -a dual --php-version $other
quietly panel cron create -a dual --schedule '@yearly' --command "php -r 'echo PHP_VERSION;' > ~/cron.out; php$own -r 'echo PHP_VERSION;' >> ~/cron.out"
id=$(panel cron list -a dual -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
quietly panel cron run "$id" -a dual
eventually test -s /home/dual/cron.out
is 'cron commands follow the main domain, and name each version' "$other $own" "$(sed -E 's/^([0-9]+\.[0-9]+)\.[0-9]+(8\.[0-9]).*/\1 \2/' /home/dual/cron.out)"
ssh-keygen -q -t ed25519 -N '' -f /tmp/33.key <<< y > /dev/null
quietly panel accounts update dual --shell /bin/bash
quietly panel ssh add-key lab -a dual --public-key "$(cat /tmp/33.key.pub)"
quietly panel ssh update -a dual --enabled
on_ssh() { ssh -q -i /tmp/33.key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null dual@127.0.0.1 "$@"; }
is 'so do SSH commands and login shells' "$other $other" "$(on_ssh "php -r 'echo PHP_VERSION;'" | cut -d. -f1,2) $(on_ssh "bash -lc \"php -r 'echo PHP_VERSION;'\"" | cut -d. -f1,2)"
quietly panel domains update dual.example -a dual --php-version none
quietly panel domains update old.dual.example -a dual --php-version none
fi

quietly panel domains update dual.example -a dual --php-memory-limit-mb 96
quietly panel domains update old.dual.example -a dual --php-memory-limit-mb 192 --php-upload-max-mb 300
wrong=0
for _ in $(seq 500); do
  [ "$(page dual.example memory.php)" = 96M ] || wrong=$((wrong + 1))
  [ "$(page old.dual.example memory.php)" = 192M ] || wrong=$((wrong + 1))
done
is 'asked in turn 1,000 times, each shows its own setting' 0 $wrong
post() { head -c "$2M" /dev/zero | curl -s -o /tmp/33.said -w '%{http_code}' --resolve "$1:80:127.0.0.1" -F 'f=@-;filename=f' "http://$1/up.php"; }
is 'an upload of 250 MiB arrives' "200 $((250 * 1048576))" "$(post old.dual.example 250) $(cat /tmp/33.said)"
is 'one of 302 MiB is refused by nginx' '413 1' "$(post old.dual.example 302) $(grep -c nginx /tmp/33.said)"
refused "what is above the package's bound is refused" panel domains update old.dual.example -a dual --php-upload-max-mb 1025

# A crash, a reload, the end of the agent: the next request starts it.
unit() { php_master dual; }
version dual.example > /dev/null
systemctl kill --signal=KILL --kill-whom=main "$(unit)"
is 'after kill -9 of the master the next request is answered' "$own" "$(version dual.example)"
systemctl reload "$(unit)"
is 'and after a reload' "$own" "$(version dual.example)"

# Asleep after a minute, also while requests arrive at the stop.
quietly panel settings update --site-idle-minutes 1
for _ in $(seq 180); do [ "$(masters dual)" = 0 ] && break; sleep 1; done
is 'without requests for a minute nothing of it runs' '0 0' "$(masters dual) $(pgrep -c -u dual)"
is 'and its socket listens' active "$(systemctl is-active 'panel-php-*-dual.socket' | sort -u | xargs)"
begun=$(date +%s%N)
is 'a request wakes it' 200 "$(code dual.example v.php)"
echo "# first request of a sleeping account: $(since "$begun")"
(for _ in $(seq 200); do code dual.example v.php; echo; done) > /tmp/33.codes &
client=$!
for _ in $(seq 8); do sleep 0.3; systemctl stop "$(unit)" 2> /dev/null; done
wait $client
is 'no request that arrives at a stop is lost' 200 "$(sort -u /tmp/33.codes | xargs)"
echo '<?php sleep(4); echo "done";' > /home/dual/sites/dual.example/public/slow.php
page dual.example slow.php > /tmp/33.slow &
slow=$!
sleep 1
systemctl stop "$(unit)"
wait $slow
is 'nor one in flight' done "$(cat /tmp/33.slow)"
quietly panel settings update --site-idle-minutes 10

quietly panel accounts suspend dual --reason proof
is 'suspended: no socket, no process' '0 0' "$(php_active dual) $(pgrep -c -u dual php-fpm)"
is 'its sites say so' 503 "$(code dual.example v.php)"
quietly panel accounts unsuspend dual
is 'and all is back' "$own" "$(version dual.example)"
quietly panel accounts terminate dual --confirm dual
is 'terminated: nothing is left' '' "$(ls -d /run/panel-php/dual /etc/panel/php/*-dual.conf /etc/systemd/system/panel-php-*-dual.* /etc/systemd/system/sockets.target.wants/*dual* /var/lib/panel-php/dual 2> /dev/null; systemctl list-units --all --plain --no-legend '*dual*')"
# Debian's own release has no second version: what was put in by force goes.
[ "$own" = 8.2 ] || dpkg -P --force-depends php8.2-mysql php8.2-opcache php8.2-fpm php8.2-cli php8.2-common > /dev/null 2>&1
