# MariaDB counts connections before their log-ins, for everybody together: one account's programs keep nobody from it.
. "$(dirname "$0")/../lib.sh"
export MYSQL_PWD=canary-Dotterel-8842
account flood --shell /bin/bash
account mild
for one in flood mild; do
  quietly panel mysql databases create shop -a $one
  quietly bash -c "printf %s '$MYSQL_PWD' | panel mysql users create app -a $one --password-stdin"
  quietly panel mysql grant ${one}_shop ${one}_app
done
put mild db.php <<< "<?php \$to = new mysqli('localhost', 'mild_app', '$MYSQL_PWD', 'mild_shop'); echo \$to->query('SELECT 7')->fetch_row()[0];"
is 'a site reads its database' 7 "$(page mild.example db.php)"

# Takes all connections that it gets, by the socket and by TCP, and says nothing on them: flood.py SECONDS
cat > /usr/local/lib/flood.py <<'PY'
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
open_ones, end = [], time.time() + float(sys.argv[1])
def takes_one(family, address):
    one = socket.socket(family); one.settimeout(2)
    try:
        one.connect(address)
        greeting = one.recv(200)
        if greeting and b'Too many' not in greeting: one.setblocking(False); open_ones.append(one); return True
    except OSError: pass
    one.close(); return False
while time.time() < end:
    for one in open_ones[:]:
        try:
            if one.recv(100) == b'': open_ones.remove(one); one.close()
        except BlockingIOError: pass
        except OSError: open_ones.remove(one); one.close()
    for way in ((socket.AF_UNIX, '/run/mysqld/mysqld.sock'), (socket.AF_INET, ('127.0.0.1', 3306))):
        for _ in range(400):
            if not takes_one(*way): break
    time.sleep(0.02)
PY
[ -f /root/flood.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/flood.key
quietly panel ssh add-key laptop -a flood --public-key "$(cat /root/flood.key.pub)"
quietly panel ssh update -a flood --enabled
login() { ssh -q -i /root/flood.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes flood@127.0.0.1 "$@"; }
at=$(mktemp -d)
cat > "$at/app.js" <<'JS'
require('node:child_process').spawn('python3', ['/usr/local/lib/flood.py', '60'])
require('node:http').createServer((_, response) => response.end('up')).listen(process.env.PORT)
JS
echo '{"name": "app", "version": "1.0.0", "scripts": {"start": "node app.js"}}' > "$at/package.json"
tar -C "$at" -czf /root/flood.tar.gz .
put flood flood.php <<< '<?php set_time_limit(0); shell_exec("python3 /usr/local/lib/flood.py 60");'
cron=$(panel cron create --account flood -q --schedule '0 4 1 1 *' --timeout-s 90 --command 'python3 /usr/local/lib/flood.py 60')
quietly panel apps create a -a flood --kind node --start 'node app.js'

page_is_7() { [ "$(page mild.example db.php)" = 7 ]; }
begun=$SECONDS
login timeout 90 python3 /usr/local/lib/flood.py 60 & holding=$!
page flood.example flood.php > /dev/null & in_php=$!
panel cron run "$cron" --account flood --no-wait > /dev/null 2>&1
quietly panel apps deploy a -a flood --archive /root/flood.tar.gz
most=0 answers=0 asked=0 root=0
while [ $((SECONDS - begun)) -lt 55 ]; do
  asked=$((asked + 1))
  [ "$(page mild.example db.php)" = 7 ] && answers=$((answers + 1))
  now=$(mariadb --no-defaults -Ne "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER IN ('unauthenticated user', 'unauthenticated')") && root=$((root + 1))
  [ "${now:-0}" -le $most ] || most=$now
  sleep 0.5
done
is "a neighbour's site reads its database each time" $asked "$answers"
is 'root comes in each time' $asked "$root"
is 'the agent makes a database' 0 "$(panel mysql databases create more -a mild > /dev/null 2>&1; echo $?)"
# MariaDB takes a moment to end those that were closed.
is 'the account holds about a hundred, by all ways together' yes "$([ "$most" -ge 60 ] && [ "$most" -le 150 ] && echo yes || echo "$most")"
wait $holding $in_php
put flood db.php <<< "<?php echo (new mysqli('localhost', 'flood_app', '$MYSQL_PWD', 'flood_shop'))->query('SELECT 7')->fetch_row()[0];"
own_is_7() { [ "$(page flood.example db.php)" = 7 ]; }
# The app has begun last.
is 'its own site comes in again' yes "$(for _ in $(seq 6); do eventually own_is_7 && echo yes && break; done)"

# The ways to MariaDB: each account has its own socket in place of the server's.
is 'a shell, PHP and a command see their own socket alone' 'mysqld.sock mysqld.sock' \
  "$(put flood ls.php <<< "<?php echo shell_exec('ls /run/mysqld');"; echo "$(login ls /run/mysqld) $(page flood.example ls.php)")"
refused 'none of them lists or enters those of others' login ls /run/panel-mysql /run/panel-mysql/mild/mysqld.sock
is 'the socket of the server is open to root and one group' '750 panel-sql' "$(stat -c '%a %G' /run/mysqld)"
quietly systemctl restart mariadb
is 'sites read again after MariaDB has restarted' 7 "$(eventually bash -c 'mariadb -e "SELECT 1"'; page mild.example db.php)"
is 'and the socket is closed to others still' '750 panel-sql' "$(stat -c '%a %G' /run/mysqld)"
quietly panel accounts suspend mild --reason proof
is 'a suspended account has no socket' 'inactive no' "$(systemctl is-active panel-mysql@mild.socket) $([ -e /run/panel-mysql/mild ] && echo yes || echo no)"
quietly panel accounts unsuspend mild
is 'and has one again' 7 "$(eventually page_is_7; page mild.example db.php)"
systemctl stop panel-mysql@mild.socket
is 'a socket that is missing is shown' 1 "$(panel host diff --account mild | grep -c 'panel-mysql@mild.socket')"
quietly panel host apply --account mild
is 'and opened' 7 "$(page mild.example db.php)"

# A machine that was set up when all had the socket of the server, with an app that runs.
quietly panel apps deploy a -a flood --archive /root/flood.tar.gz
unit() { systemctl list-units --plain --no-legend 'panel-app-flood-*' | awk '{print $1}'; }
earlier=$(unit)
chmod 0755 /run/mysqld; chgrp root /run/mysqld
quietly panel host setup --yes
is 'setup closes it' '750 panel-sql' "$(stat -c '%a %G' /run/mysqld)"
is_new() { [ -n "$(unit)" ] && [ "$(unit)" != "$earlier" ]; }
is 'and has apps start anew' yes "$(eventually is_new && echo yes)"
for one in flood mild; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
is 'nothing of a terminated account is left' '' "$(ls /run/panel-mysql | grep -E '^(flood|mild)$'; systemctl list-units --all --plain --no-legend 'panel-mysql@flood*' 'panel-mysql@mild*' | grep -v 'not-found')"
rm -rf /usr/local/lib/flood.py /root/flood.tar.gz "$at"
