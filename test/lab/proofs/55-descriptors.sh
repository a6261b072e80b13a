# A tenant's programs stop each other at each step and take what descriptors they have: none is a file of root's, which it
# could fill outside its quota.
. "$(dirname "$0")/../lib.sh"
account grab
cat > /usr/local/lib/grab.py <<'PY'
# Says where standard output and error of all other processes of this user lead, until it has seen a file outside homes.
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
pidfd_open, pidfd_getfd = 434, 438
end, seen = time.time() + float(sys.argv[1]), set()
def others():
    for name in os.listdir('/proc'):
        try:
            if name.isdigit() and int(name) != os.getpid() and os.stat('/proc/' + name).st_uid == os.getuid(): yield int(name)
        except OSError: pass
def look(pid):
    handle = libc.syscall(pidfd_open, pid, 0)
    if handle < 0: return False
    for number in (1, 2):
        taken = libc.syscall(pidfd_getfd, handle, number, 0)
        if taken < 0: continue
        seen.add(os.readlink('/proc/self/fd/%d' % taken).split(':')[0])
        os.close(taken)
    os.close(handle)
    return True
while time.time() < end:
    for pid in others():
        for _ in range(300):
            try:
                os.kill(pid, signal.SIGSTOP)
                if not look(pid): break
                os.kill(pid, signal.SIGCONT)
            except OSError: break
print(*sorted(one for one in seen if not one.startswith(('/dev/', '/home/', 'socket'))))
PY
grab() { systemd-run --quiet --wait --pipe --slice=panel-grab.slice --uid=grab python3 /usr/local/lib/grab.py 12; }
put grab index.php <<< '<?php echo "fine";'

id=$(panel cron create --account grab -q --schedule '0 4 1 1 *' --timeout-s 20 --command "true $(head -c 1900 /dev/zero | tr '\0' x)")
grab > /tmp/grabbed & grabbing=$!
sleep 1
for _ in $(seq 6); do timeout 4 panel cron run "$id" --account grab > /dev/null 2>&1; done
wait $grabbing
is 'commands have pipes' pipe "$(cat /tmp/grabbed)"
jobs_end
is 'and their end and output are known' '3 said' "$(id=$(panel cron create --account grab -q --schedule '0 4 1 1 *' --timeout-s 20 --command 'echo said; echo; exit 3'); panel cron run "$id" --account grab > /dev/null 2>&1; run=$(panel cron runs "$id" --account grab -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4); panel cron output "$id" "$run" --account grab -o json | sed -n 's/.*"exit_code": *\([0-9]*\).*/\1/p; s/.*"output": *"\([a-z]*\).*/\1/p' | xargs)"

quietly panel domains update grab.example --handler apache -a grab
is 'Apache serves' fine "$(page grab.example)"
grab > /tmp/grabbed & grabbing=$!
sleep 1
for _ in 1 2 3; do pkill -KILL -u grab apache2; sleep 1; page grab.example > /dev/null; systemctl reload panel-apache-grab > $said 2>&1; sleep 1; done
wait $grabbing
is 'so has Apache, while it starts and reloads' pipe "$(cat /tmp/grabbed)"
is 'and serves again' fine "$(for _ in $(seq 50); do [ "$(page grab.example)" = fine ] && break; sleep 0.2; done; page grab.example)"
is 'a reload works' yes "$(systemctl reload panel-apache-grab && echo yes)"
quietly panel accounts terminate grab --yes --confirm grab
rm -f /usr/local/lib/grab.py /tmp/grabbed
