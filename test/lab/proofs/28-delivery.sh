# Mail of one account waits for no locks of another's mailboxes.
. "$(dirname "$0")/../lib.sh"
account lock
account swift
for name in lock swift; do quietly bash -c "printf canary-Wheatear-5519 | panel email create info@$name.example --password-stdin"; done
send() { # send DOMAIN: from outside
  printf 'From: a@far.example\nSubject: proof\n\nx\n' | curl -s --max-time 20 smtp://127.0.0.1:25 --mail-from a@far.example --mail-rcpt "info@$1.example" -T -
}
box() { echo "/home/$1/mail/$1.example/info/Maildir"; }
arrived() { ls "$(box "$1")/new" 2> /dev/null | wc -l; }
has() { [ "$(arrived "$1")" -ge "$2" ]; }
send lock
is 'a first message arrives' yes "$(eventually has lock 1 && echo yes)"
cat > /usr/local/lib/lock.py <<'PY'
import fcntl, glob, os, sys, time
folder, end, held = sys.argv[1], time.time() + 45, {}
while time.time() < end:
    for path in glob.glob(folder + '/dovecot*'):
        if path.endswith('.lock'): continue
        inode = os.stat(path).st_ino
        if (path, inode) in held: continue
        try:
            one = open(path, 'r+b'); fcntl.lockf(one, fcntl.LOCK_EX | fcntl.LOCK_NB); held[path, inode] = one
        except OSError: pass
    for name in ('dovecot-uidlist.lock', 'dovecot.index.log.lock'):
        open(folder + '/' + name, 'w').write(str(time.time()))
    time.sleep(0.2)
for name in ('dovecot-uidlist.lock', 'dovecot.index.log.lock'): os.remove(folder + '/' + name)
PY
runuser -u lock -- python3 /usr/local/lib/lock.py "$(box lock)" & holding=$!
sleep 1
for _ in $(seq 15); do send lock; done
sleep 2
begun=$(date +%s%N)
send swift
is 'a message to a neighbour arrives while an account holds its own locks' yes "$(eventually has swift 1 && echo yes)"
echo "# $(since "$begun"), $(arrived lock) of 16 with locks"
sleep 12
# Dovecot 2.3 puts a message into the folder new/ without these locks.
if ! dovecot --version | grep -q '^2\.3'; then
  is 'which hold up its own mail' yes "$([ "$(arrived lock)" -lt 16 ] && echo yes || arrived lock)"
  is 'a delivery waits ten seconds for a lock' yes "$([ "$(grep -c 'info@lock.example.*status=deferred' /var/log/panel/mail.log)" -ge 1 ] && echo yes)"
fi
is 'and four go on at a time' yes "$([ "$(pgrep -c -u postfix -x lmtp)" -le 5 ] && echo yes || pgrep -c -u postfix -x lmtp)"
send swift
is 'nor does the next one wait' yes "$(eventually has swift 2 && echo yes)"
wait $holding
postqueue -f
is 'without the locks all arrives' yes "$(for _ in $(seq 6); do has lock 16 && break; postqueue -f; eventually has lock 16; done; has lock 16 && echo yes || arrived lock)"
for one in lock swift; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -f /usr/local/lib/lock.py
