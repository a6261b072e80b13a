# The places of Dovecot's log-ins and sessions are everybody's: one mailbox, and one network, take some of them.
. "$(dirname "$0")/../lib.sh"
account crowd
account quiet
password=canary-Whimbrel-9917
for one in crowd quiet; do quietly panel email create info@$one.example --password-stdin <<< $password; done
ip netns add crowds && ip link add crowds0 type veth peer name crowds1 && ip link set crowds1 netns crowds
for net in 61 62; do ip addr add 2001:db8:$net::1/64 dev crowds0 nodad; done
ip link set crowds0 up; ip netns exec crowds ip link set crowds1 up
for n in $(seq 2 151); do ip netns exec crowds ip addr add "2001:db8:61::$(printf %x "$n")/64" dev crowds1 nodad; done
ip netns exec crowds ip addr add 2001:db8:62::2/64 dev crowds1 nodad
at=$(mktemp -d)

# sessions.py PROTOCOL NET ADDRESSES EACH [MAILBOX PASSWORD]: how many connections are greeted, or logged in; holds them.
cat > "$at/sessions.py" <<'PY'
import resource, socket, ssl, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
protocol, net, addresses, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
port = {'imap': 993, 'pop3': 995, 'smtp': 465}[protocol]
context = ssl._create_unverified_context()
held = []
for n in range(2, 2 + addresses):
    for _ in range(each):
        one = socket.socket(socket.AF_INET6); one.settimeout(6)
        try:
            one.bind((f'2001:db8:{net}::{n:x}', 0)); one.connect((f'2001:db8:{net}::1', port))
            tls = context.wrap_socket(one)
            text = tls.recv(500)
            if len(sys.argv) > 5 and text:
                user, password = sys.argv[5:7]
                tls.sendall(f'a LOGIN {user} {password}\r\n'.encode() if protocol == 'imap' else f'USER {user}\r\n'.encode())
                text = tls.recv(500)
                if protocol == 'pop3': tls.sendall(f'PASS {password}\r\n'.encode()); text = tls.recv(500)
            if text[:1] in (b'*', b'a', b'+', b'2') and b' NO ' not in text and b'BYE' not in text: held.append(tls)
        except OSError: one.close()
print(len(held), flush=True)
time.sleep(100)
PY
sessions() { exec ip netns exec crowds timeout 200 python3 "$at/sessions.py" "$@"; }
counted() { for _ in $(seq 1500); do [ -s "$1" ] && break; sleep 0.1; done; cat "$1"; }
for protocol in imap pop3; do
  sessions $protocol 61 150 1 info@crowd.example $password > "$at/taken" & holder=$!
  is "one mailbox has a session at each of 150 addresses ($protocol)" 150 "$(counted "$at/taken")"
  sessions $protocol 62 1 1 info@quiet.example $password > "$at/other" & other=$!
  is "another customer logs in by $protocol" 1 "$(counted "$at/other")"
  kill $holder $other; wait $holder $other 2> /dev/null; rm "$at/taken" "$at/other"
  sessions $protocol 61 150 2 > "$at/taken" & holder=$!
  is "one network has 250 connections ($protocol)" 250 "$(counted "$at/taken")"
  sessions $protocol 62 1 1 info@quiet.example $password > "$at/other" & other=$!
  is "another customer logs in by $protocol beside those of a stranger" 1 "$(counted "$at/other")"
  kill $holder $other; wait $holder $other 2> /dev/null; rm "$at/taken" "$at/other"
done
ip netns del crowds
rm -rf "$at"
for one in crowd quiet; do quietly panel accounts terminate $one --yes --confirm $one; done
