# What all share and one could take: connections of nginx, the kernel's table of connections, disk space of requests.
. "$(dirname "$0")/../lib.sh"
account many
account next
put next ok.php <<< '<?php echo "fine";'
put many ok.php <<< '<?php echo "fine";'
as() { runuser -u many -- timeout 60 python3 "$@"; }

# Requests whose headers never end.
cat > /usr/local/lib/many.py <<'PY'
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
open_ones, end = [], time.time() + 8
while time.time() < end:
    while len(open_ones) < 1900:
        one = socket.socket(); one.settimeout(1)
        try: one.connect(('127.0.0.1', 80)); one.send(b'GET / HTTP/1.1\r\nHost: many.example\r\nX: '); one.setblocking(False); open_ones.append(one)
        except OSError: one.close(); break
    time.sleep(0.05)
print(len(open_ones))
PY
as /usr/local/lib/many.py > /tmp/many & running=$!
sleep 4
is 'a site answers while another account opens all connections to nginx that it gets' fine "$(page next.example ok.php)"
wait $running
is 'which are 80' 80 "$(cat /tmp/many)"
# From elsewhere nothing counts them, but their number: root's are not counted either.
begun=$(date +%s)
{ printf 'GET / HTTP/1.1\r\nHost: many.example\r\nX: '; sleep 40; } | timeout 45 curl -sN telnet://127.0.0.1:80 > /dev/null 2>&1 &
half=$!
sleep 17
is 'a request that is not complete after 15 s is ended' 0 "$(ss -Htn state established '( sport = :80 )' | wc -l)"
kill $half 2> /dev/null
is 'a worker of nginx has many connections, and files for them' '16384 32768' "$(grep -oP '(worker_connections|worker_rlimit_nofile) \K\d+' /etc/nginx/nginx.conf | sort -n | xargs)"

# Each datagram from another of loopback's addresses is an entry in the kernel's table.
cat > /usr/local/lib/many.py <<'PY'
import socket, struct
def bound(port):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.bind(('0.0.0.0', port)); one.setblocking(False); return one
a, b = bound(15001), bound(15002)
def send(one, source, target, port):
    try: one.sendmsg([b'x'], [(socket.IPPROTO_IP, 8, struct.pack('I4s4s', 0, source, b'\0\0\0\0'))], 0, (target, port)); return 1
    except OSError: return 0
sent = 0
for n in range(20000):
    other = struct.pack('>I', 0x7f100000 + n)
    sent += send(a, other, '127.0.0.9', 15002)
    send(b, socket.inet_aton('127.0.0.9'), socket.inet_ntoa(other), 15001)
print(sent)
PY
is 'datagrams within the machine arrive' 20000 "$(as /usr/local/lib/many.py)"
entries=$(cat /proc/sys/net/netfilter/nf_conntrack_count)
is 'and the kernel remembers none' yes "$([ "$entries" -lt 2000 ] && echo yes || echo "$entries")"
cat > /usr/local/lib/many.py <<'PY'
import socket
one, sent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0
for n in range(6000):
    try: one.sendto(b'x', ('10.77.0.%d' % (3 + n % 90), 20000 + n)); sent += 1
    except OSError: pass
print(sent)
PY
outside=$(as /usr/local/lib/many.py)
entries=$(cat /proc/sys/net/netfilter/nf_conntrack_count)
is 'nor more than 2000 exchanges of an account with others' yes "$([ "$outside" -lt 6000 ] && [ "$entries" -lt 3500 ] && echo yes || echo "$outside sent, $entries entries")"
is 'a neighbour exchanges with others meanwhile' 1 "$(runuser -u next -- python3 -c 'import socket; print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.77.0.2", 9)))')"

# Responses that nobody reads, and bodies that never end.
put many big.php <<< '<?php set_time_limit(60); $part = str_repeat("x", 1 << 20); for ($n = 0; $n < 300; $n++) { echo $part; flush(); }'
cat > /usr/local/lib/many.py <<'PY'
import socket, sys, time
def request(text, size=2048):
    one = socket.socket(); one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size); one.connect(('127.0.0.1', 80)); one.sendall(text.encode()); return one
if sys.argv[1] == 'responses':
    all_ones = [request('GET /big.php HTTP/1.1\r\nHost: many.example\r\n\r\n') for _ in range(3)]
    time.sleep(8)
else:
    all_ones = [request('POST /ok.php HTTP/1.1\r\nHost: many.example\r\nContent-Length: 9000000\r\n\r\n' + 'x' * 2000000, 65536) for _ in range(40)]
    time.sleep(3)
    refused = 0
    for one in all_ones:
        one.setblocking(False)
        try: refused += b' 429 ' in one.recv(100)
        except OSError: pass
    print(refused, flush=True)
    time.sleep(6)
PY
of_nginx() { du -sm /var/lib/nginx | cut -f1; }
as /usr/local/lib/many.py responses & running=$!
sleep 6
is 'what nobody reads of a response is in no file' yes "$(now=$(of_nginx); [ "$now" -lt 20 ] && echo yes || echo "$now MB")"
wait $running
as /usr/local/lib/many.py bodies > /tmp/many 2>&1 & running=$!
sleep 6
is 'an account has twenty large uploads at a time' 20 "$(cat /tmp/many)"
is 'which are all that it keeps on the disk' yes "$(now=$(of_nginx); [ "$now" -lt 80 ] && echo yes || echo "$now MB")"
is 'its neighbour uploads' fine "$(head -c 60000000 /dev/zero | curl -s --resolve next.example:80:127.0.0.1 --data-binary @- http://next.example/ok.php)"
is 'and small requests of its own are answered' fine "$(curl -s --resolve many.example:80:127.0.0.1 -d a=b http://many.example/ok.php)"
wait $running
is 'a large file is uploaded' fine "$(head -c 60000000 /dev/zero | curl -s --resolve many.example:80:127.0.0.1 --data-binary @- http://many.example/ok.php)"
for one in many next; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -f /usr/local/lib/many.py /tmp/many
