# A program of another account that takes the port of an app keeps it from starting for no longer than a moment.
. "$(dirname "$0")/../lib.sh"
account nest --shell /bin/bash
account cuckoo --shell /bin/bash
at=$(mktemp -d)
cat > "$at/app.js" <<'JS'
require('node:http').createServer((_, response) => response.end('nest')).listen(Number(process.env.PORT), '127.0.0.1')
JS
echo '{"name": "app", "version": "1.0.0", "scripts": {"start": "node app.js"}}' > "$at/package.json"
tar -C "$at" -czf /root/nest.tar.gz .
quietly panel apps create a -a nest --kind node --listen port --start 'node app.js' --domain nest.example
quietly panel apps deploy a -a nest --archive /root/nest.tar.gz
is 'an app serves from its port' nest "$(page nest.example)"
port=$(panel apps show a -a nest --select port)

[ -f /root/cuckoo.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/cuckoo.key
quietly panel ssh add-key laptop -a cuckoo --public-key "$(cat /root/cuckoo.key.pub)"
quietly panel ssh update -a cuckoo --enabled
login() { ssh -q -i /root/cuckoo.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes cuckoo@127.0.0.1 "$@"; }
# Takes the port as soon as it is free, and stays: cuckoo.py PORT listen|bind
cat > /usr/local/lib/cuckoo.py <<'PY'
import socket, sys, time
end = time.time() + 80
while time.time() < end:
    one = socket.socket()
    try: one.bind(('0.0.0.0', int(sys.argv[1])))
    except OSError: one.close(); time.sleep(0.001); continue
    if sys.argv[2] == 'listen': one.listen()
    open('/home/cuckoo/taken', 'a').write('x'); time.sleep(60)
PY
serves() { [ "$(page nest.example)" = nest ]; }
for way in listen bind; do
  rm -f /home/cuckoo/taken
  quietly panel apps stop a -a nest
  login timeout 100 python3 /usr/local/lib/cuckoo.py "$port" $way > /dev/null 2>&1 & taker=$!
  # The kernel keeps the port of what has ended for a minute.
  is "another's program takes the port of an app that is down ($way)" yes "$(for _ in $(seq 7); do eventually test -s /home/cuckoo/taken && echo yes && break; done)"
  quietly panel apps start a -a nest
  is 'it is ended, and the app serves again' yes "$(for _ in 1 2 3; do eventually serves && echo yes && break; done)"
  wait $taker 2> /dev/null
done
is 'the warning names who it was' 1 "$(journalctl -u panel-host --no-pager | grep -c "programs of $(id -u cuckoo) were ended: they had port $port" | awk '{ print ($1 > 0) }')"

# All ports of apps, so that none is left for a new one: by many accounts, each of which has 1000 sockets.
quietly systemctl stop panel-sockets
cat > /usr/local/lib/cuckoo.py <<'PY'
import resource, socket, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
open_ones = []
for port in range(20000, 30000):
    one = socket.socket()
    try: one.bind(('0.0.0.0', port)); one.listen(1); open_ones.append(one)
    except OSError: one.close()
print(len(open_ones), flush=True)
time.sleep(90)
PY
login timeout 100 python3 /usr/local/lib/cuckoo.py > /tmp/cuckoo 2>&1 & holder=$!
eventually test -s /tmp/cuckoo
is 'accounts take all ports of apps' yes "$([ "$(cat /tmp/cuckoo)" -gt 9900 ] && echo yes || cat /tmp/cuckoo)"
quietly panel apps deploy a -a nest --archive /root/nest.tar.gz
is 'the app of another is deployed all the same' nest "$(page nest.example)"
kill $holder 2> /dev/null; wait $holder 2> /dev/null
quietly systemctl start panel-sockets
for one in nest cuckoo; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -rf /usr/local/lib/cuckoo.py /tmp/cuckoo /root/nest.tar.gz "$at"
