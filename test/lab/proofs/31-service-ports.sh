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
# Who has not logged in to FTP speaks to a process with few rights.
for port in 21 2222; do
  { sleep 3; } | timeout 4 curl -sN telnet://127.0.0.1:$port > /dev/null 2>&1 & asking=$!
  sleep 1
  is "strangers on $port speak to a process of proftpd's" "$(id -u proftpd)" "$(pgrep -P "$(cat /run/proftpd.pid)" | while read -r pid; do awk '/^Uid/ {print $3}' "/proc/$pid/status"; done | sort -u | xargs)"
  wait $asking
done
sysctl -q -w net.ipv4.ip_unprivileged_port_start=1024
quietly panel host setup --yes
is 'setup closes the ports of services' 7713 "$(sysctl -n net.ipv4.ip_unprivileged_port_start)"
quietly panel accounts terminate ports --yes --confirm ports
job account.terminate
rm -f /tmp/ports
