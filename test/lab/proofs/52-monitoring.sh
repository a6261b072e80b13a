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

quietly systemctl stop named
touch /run/reboot-required
is 'a stopped name server is told' 0 "$(appears service-down; echo $?)"
is 'by its name and unit' 1 "$(detail service-down | grep -c 'named.service is inactive')"
is 'and that a restart is due' 0 "$(appears reboot-needed; echo $?)"
quietly systemctl start named
rm /run/reboot-required
is 'and no longer once it runs' 0 "$(ends service-down; echo $?)"
is 'nor is a restart due' 0 "$(ends reboot-needed; echo $?)"
received() { python3 -c 'import json, sys; print(*sorted(one["what"] for line in open(sys.argv[1]) for one in json.loads(line)["alerts"]))' "$receiver"; }
for _ in $(seq 240); do [ "$(received)" = 'ended ended opened opened' ] && break; sleep 2; done
is 'each was one message, and one once it was over' 'ended ended opened opened' "$(received)"

# A file system that fills up, of its own.
truncate -s 64M /tmp/52.img
quietly mkfs.ext4 -q -m 0 /tmp/52.img
mkdir -p /srv/full52
quietly mount -o loop /tmp/52.img /srv/full52
head -c 55M /dev/zero > /srv/full52/file 2> /dev/null
is 'a full disk is told' 0 "$(appears disk-filling; echo $?)"
is 'by its path' 1 "$(detail disk-filling | grep -c '/srv/full52 is nearly full')"
umount /srv/full52; rm -rf /srv/full52 /tmp/52.img
is 'and no longer once it is away' 0 "$(ends disk-filling; echo $?)"

quietly panel alerts channels delete monitoring52 --yes
kill "$server"
rm -f "$receiver" /tmp/52.url
