# What all users of the machine share besides files: one tenant's programs keep nobody from it, and change nothing of others.
. "$(dirname "$0")/../lib.sh"
account moe --shell /bin/bash
account ned --shell /bin/bash
for one in moe ned; do
  [ -f /root/$one.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/$one.key
  quietly panel ssh add-key laptop -a $one --public-key "$(cat /root/$one.key.pub)"
  quietly panel ssh update -a $one --enabled
done
login() { ssh -q -i "/root/$1.key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=10 "$1@127.0.0.1" "${@:2}"; }
# A Python program of moe's, from standard input, in a session: moe_runs WORD...
moe_runs() { login moe timeout 60 python3 - "$@"; }

is "no memory of a service is there for a tenant to write" '' "$(login moe ipcs -m < /dev/null | awk '/^0x/ && $3 != "moe"')"
is 'PID 1 and the system bus take no connection of a tenant' '' "$(moe_runs <<'PY'
import glob, socket
for path in ['/run/dbus/system_bus_socket', '/run/systemd/notify', *glob.glob('/run/systemd/io.*'), *glob.glob('/run/systemd/userdb/*')]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try: socket.socket(socket.AF_UNIX, kind).connect(path); print(path)
        except OSError: pass
PY
)"
is 'root and the services do' 0 "$(timeout 10 busctl status > /dev/null; echo $?)"
is 'also after the bus has a new socket' yes "$(systemd-tmpfiles --create /etc/tmpfiles.d/panel-sockets.conf && systemctl show dbus.socket -p ExecStartPost | grep -q panel-sockets && echo yes)"
quietly login moe ipcmk -M 4096 -p 666 < /dev/null
is 'memory that a session made ends with it' yes "$(gone() { ! ipcs -m | grep -qw moe; }; eventually gone || eventually gone; gone && echo yes)"

# Connections to sshd that do not log in.
login moe timeout 40 python3 - <<'PY' > /tmp/moe.ssh &
import socket, time
held, most, end = [], 0, time.time() + 12
while time.time() < end:
    for _ in range(150 - len(held)):
        s = socket.socket(); s.settimeout(1)
        try: s.connect(('127.0.0.1', 22)); s.setblocking(False); held.append(s)
        except OSError: s.close(); break
    for s in held[:]:
        try:
            if s.recv(100) == b'': held.remove(s)
        except BlockingIOError: pass
        except OSError: held.remove(s)
    most = max(most, len(held)); time.sleep(0.1)
print(most)
PY
holder=$!
sleep 3
is "a tenant's idle connections keep no neighbour from logging in" "$(id -u ned) $(id -u ned) $(id -u ned)" "$(for _ in 1 2 3; do login ned id -u < /dev/null; sleep 1; done | xargs)"
wait $holder
is 'as it has five at most, its own session not counted' yes "$([ "$(cat /tmp/moe.ssh)" -le 5 ] && echo yes)"

# Names and texts of zones, and the header that names a submitter.
is 'zones are for the name server alone' '' "$(login moe 'cat /etc/bind/panel/zones/ned.example.zone /etc/bind/panel/zones.d/*; ls /etc/bind/panel/zones /etc/bind/panel/zones.d /var/lib/bind/panel/zones' 2> /dev/null < /dev/null)"
is 'which answers from them' 1 "$(dig +short @127.0.0.1 ned.example soa | wc -l)"
for one in moe ned; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -f /tmp/moe.ssh
