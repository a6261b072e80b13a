# A banned address reaches nothing here, and loses the connections that it has; what this machine asks of it is answered, or
# a node that reports mail servers and name servers would cut all others off from them.
. "$(dirname "$0")/../lib.sh"
ip netns add banned56
ip link add ban56 type veth peer name ban56 netns banned56
ip address add 10.56.0.1/24 dev ban56
ip -n banned56 address add 10.56.0.2/24 dev ban56
for one in 'link set ban56 up' '-n banned56 link set ban56 up' '-n banned56 link set lo up'; do ip $one; done
cat > /tmp/56.py <<'PY'
# serve: echoes over TCP and UDP. ask ADDRESS: whether both do. keep ADDRESS: the same over one connection, before and after.
import socket, sys, threading, time
def echo(link):
    while True:
        text = link.recv(9)
        if not text: return
        link.sendall(text)
def datagrams():
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(('', 5600))
    while True: link.sendto(*link.recvfrom(9))
def answer(link):
    try:
        link.sendall(b'x')
        return 'yes' if link.recv(9) else 'closed'
    except OSError: return 'no'
def linked(kind):
    link = socket.socket(socket.AF_INET, kind)
    link.settimeout(3)
    try: link.connect((sys.argv[2], 5600))
    except OSError: pass
    return link
if sys.argv[1] == 'serve':
    threading.Thread(target=datagrams, daemon=True).start()
    listener = socket.create_server(('', 5600))
    while True: threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()
if sys.argv[1] == 'ask': print(*[answer(linked(kind)) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)])
if sys.argv[1] == 'keep':
    link = linked(socket.SOCK_STREAM)
    before = answer(link)
    print(before, flush=True)
    time.sleep(6)
    print(answer(link))
PY
there() { ip netns exec banned56 python3 /tmp/56.py "$@"; }
python3 /tmp/56.py serve & here=$!
there serve & elsewhere=$!
asks() { for _ in $(seq 20); do [ "$(python3 /tmp/56.py ask 10.56.0.2)" = 'yes yes' ] && break; sleep 0.5; done; }
asks
is 'before, it reaches this machine' 'yes yes' "$(there ask 10.56.0.1)"
there keep 10.56.0.1 > /tmp/56.kept & keeping=$!
for _ in $(seq 20); do [ -s /tmp/56.kept ] && break; sleep 0.1; done
quietly panel bans add 10.56.0.2 --for 10m
for _ in $(seq 30); do nft list set inet panel_bans banned4 | grep -q 10.56.0.2 && break; sleep 0.1; done
is 'banned, it reaches nothing' 'no no' "$(there ask 10.56.0.1)"
wait $keeping
is 'and loses the connection that it had' 'yes no' "$(xargs < /tmp/56.kept)"
is 'what this machine asks of it is answered' 'yes yes' "$(python3 /tmp/56.py ask 10.56.0.2)"
quietly panel bans delete 10.56.0.2
for _ in $(seq 30); do nft list set inet panel_bans banned4 | grep -q 10.56.0.2 || break; sleep 0.1; done
is 'afterwards it reaches this machine again' 'yes yes' "$(there ask 10.56.0.1)"
kill $here $elsewhere
ip link delete ban56
ip netns delete banned56
rm -f /tmp/56.py /tmp/56.kept
