# Every place that a tenant can fill is counted, cut, or has a size of its own: each is filled here.
. "$(dirname "$0")/../lib.sh"
account fill
uid=$(id -u fill)
put fill ok.php <<< '<?php echo "fine";'
fills='for place in /tmp /var/tmp /dev/shm /run/lock /var/lib/php/sessions; do dd if=/dev/zero of=$place/fill bs=1M count=400 2> /dev/null; echo $(($(stat -c %s $place/fill) <= 268435456)); rm $place/fill; done; ulimit -Hc; logger canary of fill 2> /dev/null; true'
put fill spaces.php <<< "<?php passthru('exec 2>&1; $(sed 's/\$/\$/g' <<< "$fills")');"
is 'places for temporary files have a size, and cores none, in PHP' '1 1 1 1 1 0' "$(page fill.example spaces.php | grep -v logger | xargs)"
is 'it says nothing in the journal' 0 "$(journalctl --no-pager --since -1min | grep -c 'canary of fill')"

cron() { panel cron create --account fill -q --schedule '0 4 1 1 *' --timeout-s 60 --command "$1"; }
output() {
  local run; run=$(panel cron runs "$1" --account fill -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
  panel cron output "$1" "$run" --account fill -o json | grep -o '"output": *"[^"]*"' | cut -d'"' -f4
}
id=$(cron "$fills"); quietly panel cron run "$id" --account fill
is 'in commands' '1 1 1 1 1 0' "$(output "$id" | sed 's/\\n/ /g' | xargs)"
[ -f /root/fill ] || ssh-keygen -q -t ed25519 -N '' -f /root/fill
quietly panel accounts update fill --shell /bin/bash
quietly panel ssh add-key laptop --account fill --public-key "$(cat /root/fill.pub)"
quietly panel ssh update --account fill --enabled
login() { ssh -q -i /root/fill -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null fill@127.0.0.1 "$@"; }
is 'and in shells' '1 1 1 1 1 0' "$(login "$fills" | xargs)"
is 'they say nothing there' 0 "$(journalctl --no-pager --since -1min | grep -c 'canary of fill')"
# Besides those it can write in its home alone.
is 'no other directory is open to a shell' '/dev/mqueue /dev/shm /run/lock /tmp /var/lib/php/sessions /var/tmp' \
  "$(login 'find / -xdev -path /proc -prune -o -path /sys -prune -o -path /home -prune -o -type d -writable -print 2> /dev/null; for one in /dev/mqueue /dev/shm /run/lock /tmp /var/lib/php/sessions /var/tmp; do test -w $one && echo $one; done' | sort -u | xargs)"

# PHP's messages, and pages whose addresses are long, as fast as they come.
folder=/var/log/panel/fill
put fill error.php <<< '<?php set_time_limit(0); $end = microtime(true) + 5; while (microtime(true) < $end) error_log(str_repeat("x", 8000));'
put fill stderr.php <<< '<?php $end = microtime(true) + 5; $to = fopen("php://stderr", "w"); while (microtime(true) < $end) fwrite($to, str_repeat("x", 8000) . "\n");'
largest=0
grown() { du -sm --apparent-size $folder | cut -f1; }
watch_growth() { while [ -e /tmp/fill-watch ]; do now=$(grown); [ "$now" -le "$(cat /tmp/fill-largest)" ] || echo "$now" > /tmp/fill-largest; sleep 0.2; done; }
touch /tmp/fill-watch; echo 0 > /tmp/fill-largest
watch_growth & watching=$!
for one in error stderr error; do page fill.example $one.php > /dev/null & done
wait %2 %3 %4 2> /dev/null
sleep 3
rm /tmp/fill-watch; wait $watching
largest=$(cat /tmp/fill-largest)
echo "# logs of an account in a flood: $largest MB at most, $(grown) MB after it"
is 'messages of PHP do not fill the disk' yes "$([ "$largest" -le 1300 ] && [ "$(grown)" -le 600 ] && echo yes)"
is 'what a worker prints is in no log' 0 "$(stat -c %s $folder/php.log 2> /dev/null | awk '{ print ($1 > 100000) }')"
is 'the site goes on, and logs on' 'fine yes' "$(page fill.example ok.php) $(eventually grep -q ok.php $folder/fill.example.access.log && echo yes)"
head -c 300000000 /dev/zero | tr '\0' x | fold -w 999 >> $folder/fill.example.access.log
is 'a long access log is cut, and its end is there' 'yes yes' "$(for _ in $(seq 700); do [ "$(stat -c %s $folder/fill.example.access.log)" -lt 100000000 ] && echo yes && break; sleep 0.1; done) $([ "$(stat -c %s $folder/fill.example.access.log-* | head -1)" -ge 10000000 ] && echo yes)"

# Traffic counts, however long its log.
counted() { panel logs bandwidth --account fill -o json | grep -o '"web_out": *[0-9]*' | head -1 | grep -o '[0-9]*$'; }
log=/var/log/panel/bandwidth.log
inode=$(stat -c %i $log)
token=nobody$$
awk -v now="$(date +%s)" -v token=$token 'BEGIN { for (n = 0; n < 6000000; n++) printf "%d.000\t%s\tfill.example\t200\t1000\t1000\n", now, token }' >> $log
is 'a long log of traffic is started anew' yes "$(for _ in $(seq 700); do [ "$(stat -c %i $log 2> /dev/null)" != "$inode" ] && echo yes && break; sleep 0.1; done)"
is 'nothing of it is lost' 6000000 "$(cat $log-* | grep -ac $token)"
page fill.example ok.php > /dev/null
is 'and nginx writes the new one, which no tenant reads' 'yes 600' "$(eventually grep -q fill $log && echo yes) $(stat -c %a $log)"
rm -f $log-*

# Mail that waits: 2.4 GB are handed over, as fast as they come.
message() { printf 'From: fill@fill.example\r\nSubject: proof\r\n\r\n'; head -c 20000000 /dev/zero | tr '\0' x | fold -w 900; }
message > $mail; chmod 644 $mail
for _ in $(seq 120); do runuser -u fill -- /usr/sbin/sendmail someone@elsewhere.example < $mail > $said 2>&1 || break; done
queued=$(du -sm /var/spool/postfix | cut -f1)
echo "# queued by an account: $queued MB"
is 'mail that waits is bounded, and its sender told' 'yes 1' "$([ "$queued" -le 1500 ] && echo yes) $(grep -c 'not allowed to submit' $said)"
postsuper -d ALL > /dev/null 2>&1
# Within a minute it may send again.
is 'once it is gone there is room again' yes "$(for _ in $(seq 70); do grep -q fill /etc/panel/submit/over || { echo yes; break; }; sleep 1; done)"
is 'memory of a shell ends with it' '' "$(login 'ipcmk -M 1000000 > /dev/null'; eventually bash -c "! awk '\$8 == $uid' /proc/sysvipc/shm | grep -q ."; awk -v uid="$uid" '$8 == uid' /proc/sysvipc/shm)"
mariadb -e "create user fill_proof@localhost identified by 'canary-Plover-8842'"
is 'no session raises the limit of its temporary tables' 1073741824 "$(mariadb -u fill_proof -pcanary-Plover-8842 -N -e 'set session tmp_disk_table_size = 1 << 40; select @@tmp_disk_table_size' 2> /dev/null)"
mariadb -e 'drop user fill_proof@localhost'
# A master that ends well, as after a kill from outside, must not end the site for good.
for unit in $(php_master fill) panel-phpmyadmin panel-webmail; do systemctl kill --signal=QUIT --kill-whom=main $unit; done
is 'what was ended from outside runs again' 'fine active active active' \
  "$(sleep 3; page fill.example ok.php) $(for unit in $(php_master fill) panel-phpmyadmin panel-webmail; do eventually systemctl is-active $unit; systemctl is-active $unit; done | xargs)"
quietly panel accounts terminate fill --yes --confirm fill
job account.terminate
