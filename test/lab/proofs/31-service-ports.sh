# No tenant's program takes the port of a service while that one restarts.
. "$(dirname "$0")/../lib.sh"
account ports --shell /bin/bash
[ -f /root/ports.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/ports.key
quietly panel ssh add-key laptop -a ports --public-key "$(cat /root/ports.key.pub)"
quietly panel ssh update -a ports --enabled
login() { ssh -q -i /root/ports.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes ports@127.0.0.1 "$@"; }
login timeout 40 python3 - <<'PY' > /tmp/ports &
import socket, time
open_ones, end = [], time.time() + 15
def take(port, address='127.0.0.1', family=socket.AF_INET):
    one = socket.socket(family); one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try: one.bind((address, port)); one.listen(5); open_ones.append(one); print(port, flush=True)
    except OSError: one.close()
while time.time() < end:
    for port in (2222, 3306, 7711, 7712):
        take(port); take(port, '0.0.0.0'); take(port, '::', socket.AF_INET6)
    time.sleep(0.003)
take(8000)
PY
taker=$!
sleep 2; quietly systemctl restart proftpd mariadb panel
wait $taker
is 'no tenant takes the port of a service that restarts; others are free' 8000 "$(sort -u /tmp/ports | xargs)"
is 'the services are up again' 'active active active' "$(systemctl is-active proftpd mariadb panel | xargs)"
eventually panel host status
# Who has not logged in to FTP speaks to a process with few rights. Other proofs have sessions meanwhile.
for port in 21 2222; do
  { sleep 3; } | timeout 4 curl -sN telnet://127.0.0.1:$port > /dev/null 2>&1 & asking=$!
  sleep 1
  is "strangers on $port speak to a process of proftpd's" "$(id -u proftpd)" "$(pgrep -P "$(cat /run/proftpd.pid)" | while read -r pid; do awk '/^Uid/ && $3 < 20000 {print $3}' "/proc/$pid/status"; done | sort -u | xargs)"
  wait $asking
done
sysctl -q -w net.ipv4.ip_unprivileged_port_start=1024
quietly panel host setup --yes
is 'setup closes the ports of services' 7713 "$(sysctl -n net.ipv4.ip_unprivileged_port_start)"

# The ports of passive FTP, and those from which all connections of the machine start.
account nextdoor
quietly bash -c "printf canary-Dunlin-3318 | panel ftp create web@nextdoor.example --password-stdin"
echo nextdoor | put nextdoor index.html
passive() { curl -sv --max-time 10 -u web@nextdoor.example:canary-Dunlin-3318 ftp://127.0.0.1/ 2>&1 | grep -oE 'Connecting to [^ ]+ \([^)]*\) port [0-9]+' | grep -v 'port 21$' | grep -oE '[0-9]+$'; }
listed() { curl -s --max-time 10 -u web@nextdoor.example:canary-Dunlin-3318 ftp://127.0.0.1/ --list-only | tr -d '\r'; }
is 'passive FTP uses the ports of root' yes "$(port=$(passive); [ "$port" -ge 6600 ] && [ "$port" -le 7599 ] && echo yes)"
is 'a session of FTP has no other right' 0000000000000400 "$({ printf 'USER web@nextdoor.example\r\nPASS canary-Dunlin-3318\r\n'; sleep 3; } | timeout 4 curl -sN telnet://127.0.0.1:21 > /dev/null & sleep 2; awk '/^CapPrm/ {print $2}' "/proc/$(pgrep -u nextdoor proftpd)/status")"
login timeout 50 python3 - <<'PY' > /tmp/taken &
import resource, socket, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
taken, end = [], time.time() + 30
def take(kind, port):
    try: one = socket.socket(type=kind)
    except OSError: return
    try: one.bind(('', port)); taken.append(one)
    except OSError: one.close()
for port in [*range(6600, 7600), *range(49152, 65535)] + [0] * 30000 + list(range(32768, 61000)):
    take(socket.SOCK_STREAM, port); take(socket.SOCK_DGRAM, port)
print(len(taken), sum(one.getsockname()[1] < 7713 for one in taken), flush=True)
time.sleep(max(0, end - time.time()))
PY
taker=$!
taken() { [ -s /tmp/taken ]; }
eventually taken || eventually taken || eventually taken
is 'a tenant takes 1000 ports at most, and none of passive FTP' yes "$(read -r count passive < /tmp/taken; [ "$count" -ge 900 ] && [ "$count" -le 1000 ] && [ "$passive" = 0 ] && echo yes || cat /tmp/taken)"
is "a neighbour's transfers, requests and look-ups go on" 'index.html nextdoor 1' "$(listed) $(runuser -u nextdoor -- curl -s --max-time 10 -H 'Host: nextdoor.example' http://127.0.0.1/) $(timeout 10 dig +short @127.0.0.1 nextdoor.example soa | wc -l)"
is 'and the culprit can open no more sockets, its site is served' 'no 200' "$(login python3 -c "'import socket; socket.socket()'" > /dev/null 2>&1 && echo yes || echo no) $(code ports.example)"
wait $taker
is 'what it has closed counts no more' yes "$(login python3 -c "'import socket; socket.socket()'" > /dev/null 2>&1 && echo yes || echo no)"
# Ports of connections whose listener is gone.
login timeout 90 python3 - <<'PY' > /tmp/taken 2>&1 &
import resource, socket, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
accepted, end = [], time.time() + 80
while time.time() < end:
    listener, client = socket.socket(), socket.socket()
    try: listener.listen(1); client.connect(listener.getsockname()); accepted.append(listener.accept()[0])
    except OSError: time.sleep(0.01)
    listener.close(); client.close()
    if len(accepted) % 500 == 0: print(len(accepted), flush=True)
print('over')
PY
taker=$!
wait $taker
# Its ssh ends first: the program then has thousands of sockets to close.
is_ended() { ! pgrep -u ports python3; }
is 'who takes ports by connections loses its programs' 'yes yes' "$(grep -q over /tmp/taken && cat /tmp/taken || echo yes) $(eventually is_ended && echo yes)"
is 'root is told' 1 "$(journalctl -u panel-host --no-pager -g "all programs of $(id -u ports) were ended" -o cat | wc -l)"
is "a neighbour's transfers go on, and its site is served" 'index.html 200 200' "$(listed) $(code nextdoor.example) $(code ports.example)"
quietly panel accounts terminate nextdoor --yes --confirm nextdoor
job account.terminate
quietly panel accounts terminate ports --yes --confirm ports
job account.terminate
rm -f /tmp/ports /tmp/taken
