# Apps: deployed with no lost request, up again when killed, apart from each other, and ended with their account.
. "$(dirname "$0")/../lib.sh"

node_app() { # node_app VERSION: an archive of a node app
  local at; at=$(mktemp -d)
  cat > "$at/app.js" <<JS
const { execFileSync } = require('node:child_process')
const sh = (words) => { try { return execFileSync('/bin/sh', ['-c', words], { encoding: 'utf8' }).trim() } catch (error) { return 'failed' } }
const server = require('node:http').createServer((request, response) => {
  const url = new URL(request.url, 'http://x')
  if (url.pathname === '/sh') return response.end(sh(url.searchParams.get('c')))
  if (url.pathname === '/pid') return response.end(String(process.pid))
  setTimeout(() => response.end('$1 ' + process.getuid() + ' ' + process.env.WORD), 5)
})
const listen = process.env.PORT.startsWith('/') ? [process.env.PORT] : [Number(process.env.PORT), '0.0.0.0']
server.listen(...listen, () => console.log('listening $1'))
process.on('SIGTERM', () => server.close(() => process.exit(0)))
JS
  echo '{"name": "app", "version": "1.0.0", "scripts": {"start": "node app.js"}}' > "$at/package.json"
  [ "$1" != v1 ] || echo '{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "app", "version": "1.0.0"}}}' > "$at/package-lock.json"
  tar -C "$at" -czf "/root/app-$1.tar.gz" .
}
word() { page "$1" | cut -d' ' -f"${2:-1}"; }
ask() { curl -s -G --resolve "$1:80:127.0.0.1" --data-urlencode "c=$2" "http://$1/sh"; }
status() { panel apps show "$2" -a "$1" --select status; }
has_status() { [ "$(status "$1" "$2")" = "$3" ]; }
serves() { [ "$(word "$1")" = "$2" ]; }
units() { systemctl list-units --plain --no-legend "panel-app-$1-*" | awk '{print $1}'; }
loop() { # loop DOMAIN FILE: asks until /tmp/loop goes
  touch /tmp/loop
  while [ -e /tmp/loop ]; do code "$1"; echo; done > "$2"
}
for v in v1 v2 v3; do node_app $v; done

account appa
account appb
uid=$(id -u appa)
quietly panel apps create shop -a appa --kind node --start 'node app.js' --domain appa.example
quietly panel apps set-env shop -a appa --set WORD=hidden-word-77
quietly panel apps deploy shop -a appa --archive /root/app-v1.tar.gz
is 'a node app serves, as its account' "v1 $uid hidden-word-77" "$(page appa.example)"
is 'its program runs in the slice of its account' yes "$(grep -q 'panel-appa.slice/panel-app-appa-' "/proc/$(page appa.example pid)/cgroup" && echo yes)"
is 'it has no capability' 0000000000000000 "$(ask appa.example 'grep CapEff /proc/self/status | cut -f2')"

loop appa.example /tmp/codes & loop=$!
quietly panel apps deploy shop -a appa --archive /root/app-v2.tar.gz
is 'the next release serves' v2 "$(word appa.example)"
quietly panel apps deploy shop -a appa --archive /root/app-v3.tar.gz
quietly panel apps rollback shop -a appa
is 'a rollback serves the former one' v2 "$(word appa.example)"
quietly panel apps restart shop -a appa
rm /tmp/loop; wait $loop
is 'no request was lost in between' '200' "$(sort -u /tmp/codes | xargs)"
is 'one program is left of it' 1 "$(units appa | wc -l)"

mkdir -p /root/bad && echo 'process.exit(3)' > /root/bad/app.js && tar -C /root/bad -czf /root/app-bad.tar.gz .
refused 'a release that does not come up fails' panel apps deploy shop -a appa --archive /root/app-bad.tar.gz
is 'and the live one serves on' 'v2 1' "$(word appa.example) $(units appa | wc -l)"

echo outside > /tmp/outside; echo outside > /dev/shm/outside; chmod 644 /tmp/outside /dev/shm/outside
is 'it has directories of its own for temporary files, and sees no other home' '' "$(ask appa.example 'ls -A /tmp /var/tmp /dev/shm /home | grep -v : | grep -v "^appa$"; true' | xargs)"
rm /tmp/outside /dev/shm/outside
is 'no mail socket, no agent and no other account is there' '' "$(ask appa.example 'ls /run/dovecot /run/panel /run/opendkim /run/dbus /etc/panel/nginx /var/log/panel 2>/dev/null; ps -e -o user= | grep -vw appa; true')"
is 'a secret stands in no unit and no list of processes' 0 "$({ systemctl show "$(units appa)"; systemctl cat "$(units appa)"; ps -eo args; find /run/systemd -type f -exec cat {} +; } 2> /dev/null | grep -av grep | grep -ac hidden-word-77)"
is 'its log is there' yes "$(panel apps logs shop -a appa | grep -q 'listening v2' && echo yes)"

pid=$(page appa.example pid)
kill -9 "$pid"
up() { [ "$(page appa.example pid)" != "$pid" ] && serves appa.example v2; }
is 'killed, it comes back' yes "$(eventually up && echo yes)"
pid=$(page appa.example pid)
systemctl kill -s KILL panel-host
eventually panel host status
is 'the agent killed: the app serves on' "$pid" "$(page appa.example pid)"
systemctl restart panel-host
eventually panel host status
is 'the agent restarted: the same' "$pid" "$(page appa.example pid)"
quietly panel apps deploy shop -a appa --archive /root/app-v3.tar.gz
is 'and is taken up: the next release takes over' 'v3 1' "$(word appa.example) $(units appa | wc -l)"
pid=$(page appa.example pid)
kill -9 "$pid"
up() { [ "$(page appa.example pid)" != "$pid" ] && serves appa.example v3; }
is 'and comes back when killed' yes "$(eventually up && echo yes)"
is 'nothing differs' '' "$(panel host diff -a appa)"

# A port: on this machine nginx and its own account reach it, from outside nobody does.
quietly panel apps create api -a appb --kind node --listen port --domain appb.example
quietly panel apps deploy api -a appb --archive /root/app-v1.tar.gz
port=$(panel apps show api -a appb --select port)
is 'an app that listens on a port serves' v1 "$(word appb.example)"
reach() { timeout 3 curl -s -o /dev/null -w '%{http_code}' "http://$1:$port/pid"; }
as() { setpriv --reuid "$(id -u "$1")" --regid "$(id -g "$1")" --clear-groups "${@:2}"; }
is 'its own account reaches the port' 200 "$(as appb curl -s -m 3 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/pid")"
is 'another account does not' 000 "$(as appa curl -s -m 3 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/pid")"
is "nor its program" 000 "$(ask appa.example "curl -s -m 3 -o /dev/null -w '%{http_code}' http://127.0.0.1:$port/pid; true")"
is 'root does not' 000 "$(reach 127.0.0.1)"
ip link add veth0 type veth peer name veth1
ip netns add outside && ip link set veth1 netns outside
ip addr add 10.99.0.1/24 dev veth0 && ip link set veth0 up
ip netns exec outside ip addr add 10.99.0.2/24 dev veth1; ip netns exec outside ip link set veth1 up
outside() { ip netns exec outside curl -s -m 3 -o /dev/null -w '%{http_code}' "$@"; }
is 'from outside nginx answers' 200 "$(outside -H 'Host: appb.example' http://10.99.0.1/)"
is 'and the port does not' 000 "$(outside "http://10.99.0.1:$port/pid")"
ip netns exec outside python3 -m http.server --bind 10.99.0.2 25 > /dev/null 2>&1 & elsewhere=$!
eventually curl -s -m 1 http://10.99.0.2:25/
is 'no account reaches port 25 of another machine' '200 000' "$(curl -s -o /dev/null -w '%{http_code}' http://10.99.0.2:25/) $(as appb curl -s -m 3 -o /dev/null -w '%{http_code}' http://10.99.0.2:25/)"
kill $elsewhere
id=$(panel apps show shop -a appa --select id)
socket() { as "$1" curl -s -o /dev/null -w '%{http_code}' --unix-socket "/run/panel-apps/$id/app.sock" http://x/pid; }
is "another account does not reach an app's socket" '200 000' "$(socket appa) $(socket appb)"
# Another account listens where an app is down.
quietly panel apps stop api -a appb
setpriv --reuid appa --regid appa --clear-groups python3 -m http.server --bind 127.0.0.1 "$port" > /dev/null 2>&1 & squatter=$!
eventually bash -c "ss -Hltn | grep -q ':$port '"
is 'who listens there meanwhile gets no connection' '000 000' "$(as appb curl -s -m 2 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/") $(setpriv --reuid www-data --regid www-data --clear-groups curl -s -m 2 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/")"
kill $squatter; wait $squatter 2> /dev/null
quietly panel apps start api -a appb
port=$(panel apps show api -a appb --select port)
is 'the app serves again' yes "$(eventually serves appb.example v1 && echo yes)"
loop appb.example /tmp/codes & loop=$!
quietly panel apps deploy api -a appb --archive /root/app-v2.tar.gz
rm /tmp/loop; wait $loop
is 'the next release takes over on another port' v2 "$(word appb.example)"
is 'and no request was lost' '200' "$(sort -u /tmp/codes | xargs)"
# An account that another proof makes meanwhile brings the table back.
is_shown() { nft delete table inet panel_apps; panel host diff -a appb | grep -q panel_apps; }
is 'a table that is gone is shown' yes "$(eventually is_shown && echo yes)"
quietly panel host apply -a appb
is 'and mended' '' "$(panel host diff -a appb)"
ip link del veth0; ip netns del outside

# Python, and what is served from files.
mkdir -p /root/py && cat > /root/py/app.py <<'PY'
import http.server, os, socket, socketserver
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'python')
    def address_string(self): return 'socket'
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    address_family = socket.AF_UNIX
    def server_bind(self): self.socket.bind(self.server_address); self.server_name = 'x'; self.server_port = 0
Server(os.environ['PORT'], Handler).serve_forever()
PY
: > /root/py/requirements.txt
tar -C /root/py -czf /root/app-py.tar.gz .
account appc
quietly panel apps create site -a appc --kind python --install 'python3 -m venv --without-pip .venv' --start 'python app.py' --domain appc.example
quietly panel apps deploy site -a appc --archive /root/app-py.tar.gz
is 'a python app serves' python "$(page appc.example)"

mkdir -p /root/docs/public && echo files > /root/docs/public/index.html && tar -C /root/docs -czf /root/app-docs.tar.gz .
quietly panel domains create docs.example -a appc
quietly panel apps create docs -a appc --kind static
quietly panel domains update docs.example --handler app --app docs
quietly panel apps deploy docs -a appc --archive /root/app-docs.tar.gz
is 'files are served of a release' files "$(page docs.example)"

# A build is the account's too, and ends with it.
quietly panel apps update docs -a appc --build 'id -u; cat /proc/self/cgroup; sleep 983'
panel apps deploy docs -a appc --archive /root/app-docs.tar.gz --no-wait > /dev/null 2>&1
eventually pgrep -f '^sleep 98[3]'
is 'a build runs as its account, in its slice' "$(id -u appc) yes" "$(ps -o uid= -p "$(pgrep -nf '^sleep 98[3]')" | xargs) $(grep -q 'panel-appc.slice/panel-build-appc-' "/proc/$(pgrep -nf '^sleep 98[3]')/cgroup" && echo yes)"
quietly panel accounts suspend appc --reason unpaid
is 'a suspension ends it' '' "$(pgrep -f 'sleep 98[3]')$(systemctl list-units --plain --no-legend 'panel-build-*')"
quietly panel accounts unsuspend appc
is 'and what was live serves again' 'files python' "$(page docs.example) $(eventually serves appc.example python; page appc.example)"

# With the account.
quietly panel accounts suspend appa --reason unpaid
is 'suspended: the page, and no program' '503 0' "$(code appa.example) $(units appa | wc -l)$(pgrep -u appa -f app.js)"
quietly panel accounts unsuspend appa
is 'unsuspended: it serves again' yes "$(eventually serves appa.example v3 && echo yes)"
quietly panel apps stop shop -a appa
is 'stopped: 503' '503 0' "$(code appa.example) $(units appa | wc -l)"
quietly panel apps start shop -a appa
is 'started: it serves' v3 "$(word appa.example)"
quietly panel accounts update appa --username appx
is 'renamed: it serves' yes "$(eventually serves appa.example v3 && echo yes)"
is 'as the new name' '0 1' "$(units appa | wc -l) $(units appx | wc -l)"
quietly panel accounts terminate appx --yes --confirm appx
job account.terminate
is 'terminated: no unit, no file, no process' '' "$(units appx; ls -d "/run/panel-apps/$id" "/etc/panel/apps/$id.json" /var/log/panel/appx 2> /dev/null; pgrep -U "$uid")"
is 'its neighbour serves on' v2 "$(word appb.example)"
is 'no unit has failed' '' "$(failed_units)"
