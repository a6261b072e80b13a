# FTP and SFTP have 200 places for everybody: one network takes some of them, however many addresses it has.
. "$(dirname "$0")/../lib.sh"
account taker
password=canary-Sanderling-2204
quietly panel ftp create up@taker.example -a taker --password-stdin <<< $password
ip netns add strangers && ip link add strangers0 type veth peer name strangers1 && ip link set strangers1 netns strangers
ip addr add 2001:db8:51::1/64 dev strangers0 nodad; ip link set strangers0 up
ip netns exec strangers ip link set strangers1 up
for n in $(seq 2 241); do ip netns exec strangers ip addr add "2001:db8:51::$(printf %x "$n")/64" dev strangers1 nodad; done
ip addr add 2001:db8:52::1/64 dev strangers0 nodad
ip netns exec strangers ip addr add 2001:db8:52::2/64 dev strangers1 nodad
at=$(mktemp -d)

# places.py PREFIX FIRST LAST PORT [PASSWORD]: how many of these addresses have a session each; holds them until it is ended.
cat > "$at/places.py" <<'PY'
import socket, sys, time
prefix, first, last, port = sys.argv[1], *map(int, sys.argv[2:5])
held = []
def answer(one):
    text = b''
    while b'\n' not in text:
        more = one.recv(512)
        if not more: raise OSError('closed')
        text += more
    return text
for n in range(first, last + 1):
    one = socket.socket(socket.AF_INET6); one.settimeout(5)
    try:
        one.bind((f'{prefix}::{n:x}', 0)); one.connect((f'{prefix}::1', port))
        text = answer(one)
        if len(sys.argv) > 5:
            one.sendall(b'USER up@taker.example\r\n'); answer(one)
            one.sendall(b'PASS ' + sys.argv[5].encode() + b'\r\n'); text = answer(one)
        if text[:3] in (b'220', b'230', b'SSH'): held.append(one)
        else: one.close()
    except OSError: one.close()
print(len(held), flush=True)
time.sleep(60)
PY
strangers() { exec ip netns exec strangers timeout 110 python3 "$at/places.py" "$@"; }
strangers 2001:db8:51 2 241 21 $password > "$at/logged-in" & holder=$!
for _ in $(seq 900); do [ -s "$at/logged-in" ] && break; sleep 0.1; done
is 'a customer with 240 addresses of one network has 40 sessions' 40 "$(cat "$at/logged-in")"
for port in 21 2222; do
  strangers 2001:db8:52 2 2 $port > "$at/other" & other=$!
  for _ in $(seq 100); do [ -s "$at/other" ] && break; sleep 0.1; done
  is "another network is answered on port $port" 1 "$(cat "$at/other")"
  kill $other; wait $other 2> /dev/null
done
kill $holder; wait $holder 2> /dev/null
ip netns del strangers
rm -rf "$at" /run/panel-ftp/bans; systemctl restart proftpd
quietly panel accounts terminate taker --yes --confirm taker
