# What the kernel counts for all users together: one account takes its share, and leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
account greedy --shell /bin/bash
account modest --shell /bin/bash
for one in greedy modest; do
  [ -f /root/$one.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/$one.key
  quietly panel ssh add-key laptop -a $one --public-key "$(cat /root/$one.key.pub)"
  quietly panel ssh update -a $one --enabled
done
login() { ssh -q -i "/root/$1.key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes "$1@127.0.0.1" "${@:2}"; }
at=$(mktemp -d)

# Pseudo-terminals: takes all that it can, tells how many, and keeps them for some seconds.
cat > /usr/local/lib/terminals.py <<'PY'
import os, resource, sys, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
taken = []
try:
    while len(taken) < 3500: taken.append(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))
except OSError: pass
print(len(taken), flush=True)
time.sleep(int(sys.argv[1]))
PY
terminal() { timeout 10 script -qec "${1:-tty}" /dev/null < /dev/null 2> /dev/null | tr -d '\r'; }
login greedy timeout 40 python3 /usr/local/lib/terminals.py 12 > "$at/first" & first=$!
eventually test -s "$at/first"
is 'an account takes 50 terminals at most' 50 "$(cat "$at/first")"
login greedy timeout 40 python3 /usr/local/lib/terminals.py 1 > "$at/second"
is 'also in several sessions' 0 "$(cat "$at/second")"
is 'then it has none for a session' '' "$(login greedy -tt 'tty' < /dev/null 2> /dev/null | grep pts)"
is 'a neighbour has one, of its own' "/dev/pts/0 modest 0" "$(login modest -tt 'echo $(tty) $(stat -c %U $(tty)) $(ls /dev/pts | grep -c 1)' < /dev/null 2> /dev/null | tr -d '\r')"
is 'and root' yes "$(terminal | grep -q '^/dev/pts/' && echo yes)"
cat > /home/modest/sites/modest.example/public/tty.php <<'PHP'
<?php passthru('script -qec tty /dev/null < /dev/null | tr -d "\r"');
PHP
is 'PHP of the neighbour, too' /dev/pts/0 "$(page modest.example tty.php)"
wait $first
is 'what has ended counts no more' yes "$(login greedy -tt tty < /dev/null 2> /dev/null | grep -q pts && echo yes)"
put greedy tty.php <<< '<?php passthru("timeout 20 python3 /usr/local/lib/terminals.py 0");'
is 'PHP has the same 50' 50 "$(page greedy.example tty.php)"
quietly panel accounts suspend greedy
job account.suspend
is 'a suspended account has no mount' '' "$(ls /run/panel-terminals | grep greedy; grep panel-terminals/greedy /proc/mounts)"
quietly panel accounts unsuspend greedy
job account.unsuspend
is 'and has it again' 50 "$(login greedy timeout 40 python3 /usr/local/lib/terminals.py 0 < /dev/null)"

# System V memory, queues and semaphores, which sessions share with all users.
cat > /usr/local/lib/objects.py <<'PY'
import ctypes, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def take(make, *words):
    taken = 0
    while taken < int(sys.argv[1]) and make(*words) >= 0: taken += 1
    return taken
print(take(libc.shmget, 0, 4096, 0o600), take(libc.msgget, 0, 0o600), take(libc.semget, 0, 1, 0o600), flush=True)
time.sleep(int(sys.argv[2]))
PY
objects_of() { awk -v uid="$(id -u "$1")" 'FNR > 1 && (FILENAME ~ /sem/ ? $7 : $10) == uid' /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem | wc -l; }
is_ended() { ! pgrep -u greedy python3; }
has_none() { [ "$(objects_of "$1")" = 0 ]; }
login modest timeout 20 python3 /usr/local/lib/objects.py 60 5 > "$at/modest" < /dev/null & modest_pid=$!
sleep 4
is 'an account has 60 of each kind' '60 60 60 180' "$(cat "$at/modest") $(objects_of modest)"
wait $modest_pid
login greedy timeout 60 python3 /usr/local/lib/objects.py 40000 50 > /dev/null < /dev/null
is 'who takes all loses its sessions' yes "$(eventually is_ended && echo yes)"
is 'and what it took' 'yes 1 1 1' "$(eventually has_none greedy && echo yes) $(login modest timeout 20 python3 /usr/local/lib/objects.py 1 0 < /dev/null)"
is 'root is told' yes "$(journalctl -u panel-host --no-pager -o cat | grep -q "all sessions of $(id -u greedy) were ended: it had" && echo yes)"
login greedy python3 - "$(id -u modest)" <<'PY'
import ctypes, sys
libc = ctypes.CDLL(None)
class Permissions(ctypes.Structure):
    _fields_ = [('key', ctypes.c_int), *((name, ctypes.c_uint) for name in ('uid', 'gid', 'cuid', 'cgid', 'mode')), ('rest', ctypes.c_char * 200)]
one = libc.shmget(0, 4096, 0o600)
found = Permissions()
libc.shmctl(one, 2, ctypes.byref(found))
found.uid = int(sys.argv[1])
libc.shmctl(one, 1, ctypes.byref(found))
PY
is 'what it has given to another is gone after its last session' yes "$(for _ in 1 2 3; do eventually has_none greedy && echo yes && break; done)"

for one in greedy modest; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
is 'nothing of them is left' '' "$(ls /run/panel-terminals | grep -xE 'greedy|modest'; grep -E 'panel-terminals/(greedy|modest)' /proc/mounts; systemctl list-units --all --plain --no-legend 'panel-terminals@greedy*' 'panel-terminals@modest*' | grep -v not-found)"
rm -rf /usr/local/lib/terminals.py /usr/local/lib/objects.py

# What unpacks an archive has the uid of an account that has no slice yet.
mkdir -p "$at/cpmove-mover/cp" "$at/cpmove-mover/homedir/public_html"
printf 'USER=mover\nDNS=mover.example\n' > "$at/cpmove-mover/cp/mover"
echo moved > "$at/cpmove-mover/homedir/public_html/index.html"
tar -C "$at" -czf /root/cpmove-mover.tar.gz cpmove-mover
quietly panel import run /root/cpmove-mover.tar.gz
is 'an archive is read and unpacked in a slice' active "$(systemctl is-active panel_imports.slice)"
is 'which has limits' '200 1s' "$(systemctl show -p TasksMax --value panel_imports.slice) $(systemctl show -p CPUQuotaPerSecUSec --value panel_imports.slice)"
is 'and of memory a quarter' yes "$([ "$(systemctl show -p MemoryMax --value panel_imports.slice)" -le $(($(awk '/^MemTotal/ {print $2}' /proc/meminfo) * 1024 / 4)) ] && echo yes)"
is 'the page comes with it' moved "$(page mover.example)"
quietly panel import remove mover --yes --confirm mover
rm -rf "$at" /root/cpmove-mover.tar.gz
