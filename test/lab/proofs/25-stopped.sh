# Tenants that stop what has their uid, that would attach to what works for root, or that hold its channels.
. "$(dirname "$0")/../lib.sh"

cat > /usr/local/lib/stop.py <<'PY'
import os, signal, time
end = time.time() + 90
while time.time() < end:
    try: os.kill(-1, signal.SIGSTOP)
    except OSError: pass
PY
# As a program of an app: stops USER
stops() { systemd-run --quiet --slice="panel-$1.slice" --uid="$1" --unit="panel-app-$1-stop" python3 /usr/local/lib/stop.py; }
# Whether a command succeeds within SECONDS: within SECONDS COMMAND...
within() { timeout "$1" "${@:2}" > $said 2>&1 && echo yes || echo "no: $(tail -1 $said)"; }
outside() { ps -eo uid=,cgroup= | awk '$1 >= 20000 && $1 < 60000 && /panel-host\.service/' | wc -l; }

accounts='stopa stopb stopc stopd stope stopf stopg stoph'
for name in $accounts; do account "$name"; done
account calm
quietly panel files list --account calm
is 'what works in a home is in the slice of its account' yes "$(grep -q 'panel-calm.slice/panel-work-calm-' "/proc/$(pgrep -n -u calm -f 'agent --home')/cgroup" && echo yes)"
is 'and open to no other program of the account' 0 "$(stat -c %u "/proc/$(pgrep -n -u calm -f 'agent --home')/fd")"

# There is an idle process, which it stops.
quietly panel files list --account stopa
stops stopa
pid=$(pgrep -n -u stopa -f 'agent --home')
is_stopped() { ps -o stat= -p "$pid" | grep -q '^T'; }
is 'a program of the account stops it' yes "$(eventually is_stopped && echo yes)"
# The command asks again, and may then be faster than that program.
begun=$(date +%s)
panel files list --account stopa > $said 2>&1
is 'it is ended, and a call is answered soon' ' yes' "$(ps -o pid= -p "$pid") $([ $(($(date +%s) - begun)) -lt 30 ] && echo yes)"
for name in stopb stopc stopd stope stopf stopg stoph; do stops "$name"; done
for name in $accounts; do panel host apply --account "$name" > /dev/null 2>&1 & done
begun=$(date +%s%N)
is 'eight that stop: a mailbox of another account' yes "$(printf another-canary-78-Ouzel | within 60 panel email create info@calm.example --password-stdin)"
is 'a new account' yes "$(within 60 panel accounts create stillcalm --domain stillcalm.example)"
is 'the suspension of one of them' yes "$(within 60 panel accounts suspend stoph --reason stops)"
echo "# $(since "$begun")"
is 'of which nothing is left' '' "$(pgrep -u stoph -f stop.py)"
is 'the termination of another' yes "$(within 60 panel accounts terminate stopg --yes --confirm stopg)"
wait
is 'the usage of all others is measured' yes "$(within 60 panel accounts usage calm)"
for name in $accounts; do systemctl stop "panel-app-$name-stop" > /dev/null 2>&1; done
is 'it works again afterwards' yes "$(within 60 panel files list --account stopa)"

# No program of an account is in the agent's cgroup or mount namespace.
quietly panel mysql databases create calm_shop -a calm
mariadb calm_shop -e 'CREATE TABLE calm_shop.t (a INT, b LONGTEXT); INSERT INTO calm_shop.t SELECT seq, REPEAT("x", 10000) FROM seq_1_to_20000'
quietly panel backups create --account calm
backup=$(panel backups list --account calm -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
uid=$(id -u calm)
watch() { # until /tmp/watch goes: the uids of clients, and what is outside its slice
  while [ -e /tmp/watch ]; do
    outside
    ps -eo uid=,comm= | awk -v uid="$uid" '$2 == "mariadb" { print ($1 == uid ? "tenant" : $1 == 0 ? "root" : "other") }'
  done | sort -u | xargs
}
touch /tmp/watch; watch > /tmp/watched & watching=$!
quietly panel backups restore "$backup" --account calm --parts mysql --yes
rm /tmp/watch; wait $watching
is 'a restore reads a dump as another user, outside the cgroup of the agent' '0 other' "$(sed 's/ root//' /tmp/watched)"
is 'and is complete' 20000 "$(mariadb -BNe 'SELECT COUNT(*) FROM calm_shop.t')"

# The channel of a build.
mkdir -p /root/held/public && echo files > /root/held/public/index.html && tar -C /root/held -czf /root/held.tar.gz .
quietly panel apps create held -a calm --kind static --build 'sleep 977'
panel apps deploy held -a calm --archive /root/held.tar.gz --no-wait > /dev/null 2>&1
eventually pgrep -u calm -f '^sleep 97[7]'
builder=$(pgrep -n -u calm -f 'agent --build')
cat > /usr/local/lib/hold.py <<'PY'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.syscall(434, int(sys.argv[1]), 0)
print('taken' if libc.syscall(438, fd, 1, 0) >= 0 else os.strerror(ctypes.get_errno()))
PY
is 'no program of its account takes the channel of a build' 'Operation not permitted' "$(setpriv --reuid "$uid" --regid "$uid" --clear-groups python3 /usr/local/lib/hold.py "$builder")"
kill -STOP "$builder"
ended() { [ -z "$(systemctl list-units --plain --no-legend 'panel-build-calm-*')" ]; }
for _ in $(seq 6); do eventually ended && break; done
is 'a build that is stopped is ended' yes "$(ended && echo yes)"
jobs_end
is 'its deploy fails' 1 "$(panel jobs show "$(newest_job app.deploy)" -o json | grep -c '"status": *"failed"')"
is 'the agent was not restarted' 0 "$(systemctl show -P NRestarts panel-host)"
is 'it accepts notifications only of itself, and has limits' 'main continue 1024' "$(systemctl show -P NotifyAccess panel-host) $(systemctl show -P OOMPolicy panel-host) $(systemctl show -P TasksMax panel-host)"
