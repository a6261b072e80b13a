# What root hears of the machine by its real causes, as notices and as one message each.
. "$(dirname "$0")/../lib.sh"

kinds() { panel notices list -o json | python3 -c 'import json, sys; print(*[one["kind"] for one in json.load(sys.stdin) if one["object"] == "server"])'; }
# Waits until a kind is there, or is not: appears KIND, ends KIND
appears() { for _ in $(seq 90); do kinds | grep -qw "$1" && return 0; sleep 2; done; return 1; }
ends() { for _ in $(seq 90); do kinds | grep -qw "$1" || return 0; sleep 2; done; return 1; }
detail() { panel notices list -o json | python3 -c 'import json, sys; print(*[one["detail"] for one in json.load(sys.stdin) if one["kind"] == sys.argv[1]])' "$1"; }

receiver=$(mktemp)
python3 -c 'import http.server, sys
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        open(sys.argv[1], "a").write(self.rfile.read(int(self.headers["content-length"])).decode() + "\n")
        self.send_response(200); self.end_headers()
    def log_message(self, *words): pass
http.server.HTTPServer(("127.0.0.1", 9552), Receiver).serve_forever()' "$receiver" &
server=$!
echo http://127.0.0.1:9552/ > /tmp/52.url
quietly panel alerts channels create monitoring52 --type webhook --shape json --url-file /tmp/52.url --kinds 'service-down,reboot-needed'

touch /run/reboot-required
quietly systemctl stop named
for kind in reboot-needed service-down; do is "$kind is told" 0 "$(appears $kind; echo $?)"; done
is 'the service by its name and unit' 1 "$(detail service-down | grep -c 'bind (named.service is inactive)')"
received() { python3 -c 'import json, sys; print(*sorted(one["what"] for line in open(sys.argv[1]) for one in json.loads(line)["alerts"]))' "$receiver"; }
for _ in $(seq 60); do [ "$(received)" = 'opened opened' ] && break; sleep 2; done
is 'each that the channel hears of is one message' 'opened opened' "$(received)"

quietly systemctl start named
rm /run/reboot-required
for kind in reboot-needed service-down; do is "$kind is over" 0 "$(ends $kind; echo $?)"; done

quietly panel alerts channels delete monitoring52 --yes
kill "$server"
rm -f "$receiver" /tmp/52.url
