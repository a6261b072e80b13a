# The kernel counts file locks for no account: one that has thousands loses its programs, and no other does.
. "$(dirname "$0")/../lib.sh"
for one in locker modester; do
  account $one --shell /bin/bash
  [ -f /root/$one.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/$one.key
  quietly panel ssh add-key laptop -a $one --public-key "$(cat /root/$one.key.pub)"
  quietly panel ssh update -a $one --enabled
done
login() { ssh -q -i "/root/$1.key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes "$1@127.0.0.1" "${@:2}"; }
at=$(mktemp -d)

# locks.py KIND FILES LOCKS SECONDS: takes locks in new files, and keeps them. KIND: posix, or sent (of open files
# that are then in flight through a socket, where no descriptor shows them).
cat > /usr/local/lib/locks.py <<'PY'
import fcntl, os, socket, struct, sys, time, array
kind, files, locks, seconds = sys.argv[1], *map(int, sys.argv[2:])
command = fcntl.F_SETLK if kind == 'posix' else 37
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
os.makedirs('locks', exist_ok=True)
taken = []
for file in range(files):
    one = os.open(f'locks/{kind}-{file}', os.O_RDWR | os.O_CREAT)
    for lock in range(locks, 0, -1): fcntl.fcntl(one, command, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 2 * lock, 1, 0))
    if kind == 'posix': taken.append(one)
    else:
        ours.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [one]))])
        os.close(one)
print(files * locks, flush=True)
time.sleep(seconds)
PY
few() { [ "$(wc -l < /proc/locks)" -lt 3000 ]; }
login modester timeout 40 python3 /usr/local/lib/locks.py posix 2 1000 30 > "$at/modester" < /dev/null & modest=$!
eventually test -s "$at/modester"
for kind in posix sent; do
  begun=$(date +%s%N)
  login locker timeout 60 python3 /usr/local/lib/locks.py $kind 100 1000 50 > "$at/$kind" < /dev/null; rc=$?
  echo "# $kind: ended after $(since "$begun")"
  is "who takes 100,000 locks loses its programs ($kind)" 'yes yes' "$([ $rc != 0 ] && [ $(($(date +%s%N) - begun)) -lt 20000000000 ] && echo yes) $(eventually few && echo yes)"
done
is 'who has two thousand keeps them' '2000 yes' "$(cat "$at/modester") $(kill -0 $modest 2> /dev/null && echo yes)"
put locker locks.php <<< '<?php chdir("/home/locker"); passthru("timeout 60 python3 /usr/local/lib/locks.py posix 100 1000 50"); echo "here";'
page locker.example locks.php > "$at/php"
is 'PHP that takes them is ended, too' 'yes 0' "$(eventually few && echo yes) $(grep -c here "$at/php")"
put locker ok.php <<< '<?php echo "fine";'
answers() { [ "$(page locker.example ok.php)" = fine ]; }
is 'its site answers again' yes "$(eventually answers && echo yes)"
is 'root is told' yes "$(journalctl -u panel-host --no-pager -o cat | grep -q "all programs of $(id -u locker) were ended: they had too many file locks" && echo yes)"
wait $modest
for one in locker modester; do quietly panel accounts terminate $one --yes --confirm $one; done
rm -rf "$at" /usr/local/lib/locks.py
