# What accounts cost that sleep, and that are awake: figures, and whether anything of a sleeping one runs.
. "$(dirname "$0")/../lib.sh"
counts=${IDLE_ACCOUNTS:-20 100 1000}

now() { date +%s%N; }
load() { cut -d' ' -f1-3 /proc/loadavg; }
# Memory of these processes, each with its share of what they have in common, in kB: pss PID...
pss() { for pid; do cat "/proc/$pid/smaps_rollup" 2> /dev/null; done | awk '/^Pss:/ { sum += $2 } END { print sum + 0 }'; }
everything() { pss $(cd /proc && ls -d [0-9]*); }
# Services of these accounts' sites that run; the sockets cost no process.
of_sites() { systemctl list-units --plain --no-legend --state=active 'panel-php-*-idle*.service' 'panel-apache-idle*.service' 'panel-site-*-idle*.service'; }
# What works for the panel in between has ended then.
settled() { jobs_end; sleep "${SETTLE_S:-60}"; }
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
took() { curl -s -o /dev/null -w '%{time_total}\n' --resolve "$1:80:127.0.0.1" "http://$1/$2" | awk '{ printf "%.0f\n", $1 * 1000 }'; }
answers() { ab -q -c 8 -t "${3:-5}" -n 1000000 -H "Host: $2" "$1" 2> /dev/null | awk '/^Requests per second/ { printf "%.0f\n", $4 }'; }

quietly panel settings update --default-handler apache
settled
bare=$(everything)
made=0
for count in $counts; do
  while [ $made -lt "$count" ]; do
    made=$((made + 1))
    quietly panel accounts create "idle$made" --domain "idle$made.example"
  done
  settled
  is "$count accounts asleep: no process of Apache or PHP" 0 "$(of_sites | wc -l)"
  echo "# $count accounts asleep: $((($(everything) - bare) / 1024)) MB more than the $((bare / 1024)) MB of before; load $(load)"
done

# Asleep, awake, and both at once.
: > /tmp/idle.first; : > /tmp/idle.awake
for n in $(seq 10); do
  quietly panel domains set-verified "idle$n.example" true -a "idle$n"
  put "idle$n" index.php <<< '<?php echo "x";'
  took "idle$n.example" '' >> /tmp/idle.first
  took "idle$n.example" '' >> /tmp/idle.awake
done
echo "# first request with Apache and PHP asleep: median $(median < /tmp/idle.first) ms; the next: $(median < /tmp/idle.awake) ms; load $(load)"
for n in $(seq 10); do pss $(pgrep -u "idle$n" -f 'apache2|socket-proxyd'); done > /tmp/idle.apache
echo "# memory of an awake account beside PHP: median $(($(median < /tmp/idle.apache) / 1024)) MB"

# The same page by nginx and FPM that are set up by hand.
hand=/tmp/hand; mkdir -p $hand; chmod 755 $hand; echo '<?php echo "x";' > $hand/index.php
quietly panel domains update idle1.example --handler php -a idle1
own=$(sed -n 's/^pm\.max_children = //p' /etc/panel/php/*-idle1.conf | head -1)
printf '%s\n' '[global]' 'error_log = /tmp/hand/log' '[www]' 'user = www-data' 'group = www-data' "listen = $hand/socket" \
  'listen.owner = www-data' 'pm = ondemand' "pm.max_children = ${own:-5}" > $hand/fpm.conf
"/usr/sbin/php-fpm$(php_version)" --nodaemonize --fpm-config $hand/fpm.conf > /dev/null 2>&1 &
fpm=$!
cat > /etc/nginx/conf.d/hand.conf <<'EOT'
server {
  listen 127.0.0.1:8099;
  root /tmp/hand;
  location ~ \.php$ { include fastcgi_params; fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; fastcgi_pass unix:/tmp/hand/socket; }
}
EOT
quietly nginx -s reload
sleep 2
: > /tmp/idle.panel; : > /tmp/idle.hand; : > /tmp/idle.through
for _ in 1 2 3 4 5; do
  answers http://127.0.0.1/index.php idle1.example >> /tmp/idle.panel
  answers http://127.0.0.1:8099/index.php localhost >> /tmp/idle.hand
  answers http://127.0.0.1/index.php idle2.example >> /tmp/idle.through
done
echo "# requests a second, median of 5: $(median < /tmp/idle.panel) with php, $(median < /tmp/idle.hand) by hand, $(median < /tmp/idle.through) with apache; load $(load)"
kill $fpm; rm -r /etc/nginx/conf.d/hand.conf $hand
quietly nginx -s reload

# All at once on two cores, as after a boot.
many=$([ $made -lt 100 ] && echo $made || echo 100)
for n in $(seq "$many"); do put "idle$n" index.php <<< '<?php echo "x";'; done
begun=$(now)
seq "$many" | xargs -P 20 -I{} curl -s -o /dev/null -w '%{http_code} %{time_total}\n' -m 60 --resolve 'idle{}.example:80:127.0.0.1' http://idle{}.example/ > /tmp/idle.all
is "$many accounts wake at once" "$many" "$(grep -c '^200 ' /tmp/idle.all)"
echo "# all answered in $((($(now) - begun) / 1000000)) ms, the slowest in $(sort -k2 -n /tmp/idle.all | tail -1 | cut -d' ' -f2) s; $((($(everything) - bare) / 1024)) MB above the memory of before; load $(load)"
quietly panel settings update --default-handler php
