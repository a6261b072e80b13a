# The web application firewall checks requests to sites: blocks, watches, or lets alone; what a visitor sends reaches no
# rule of another site, and uploads stay counted.
. "$(dirname "$0")/../lib.sh"
world=$(cat /etc/resolv.conf); cat /root/online-resolver > /etc/resolv.conf
quietly panel host setup --waf --yes
echo "$world" > /etc/resolv.conf
account iris
quietly panel domains create watched.iris.example -a iris --document-root sites/watched
quietly panel domains create apache.iris.example -a iris --document-root sites/apache --handler apache
for name in watched apache; do
  printf '<?php echo $_SERVER["REQUEST_SCHEME"], " ", $_SERVER["REMOTE_ADDR"], " ", strlen(file_get_contents("php://input"));' |
    install -o iris -g iris -m 0644 /dev/stdin "/home/iris/sites/$name/index.php"
done
echo '<?php echo isset($_FILES["f"]) ? $_FILES["f"]["size"] : strlen(file_get_contents("php://input")), " ", $_SERVER["REQUEST_SCHEME"], " ", $_SERVER["REMOTE_ADDR"];' | put iris index.php
quietly panel domains update iris.example --waf-mode block
# waf NAME PATH [OPTION...]: the code that a request is answered with
waf() { local name=$1 path=$2; shift 2; curl -s -o /dev/null -w '%{http_code}' --resolve "$name:80:127.0.0.1" "http://$name$path" "$@"; }
attack='/index.php?q=1%27%20or%201=1--%20-'
eventually_is() { for _ in $(seq 100); do [ "$(waf "${@:2}")" = "$1" ] && return; sleep 0.1; done; }
eventually_is 403 iris.example "$attack"
is 'an attack is blocked, watched, or let alone' '403 200 200' "$(waf iris.example "$attack") $(waf watched.iris.example "$attack") $(waf apache.iris.example "$attack")"
is 'a visitor is not' '200 200 200' "$(waf iris.example '/index.php?q=apples') $(waf watched.iris.example /) $(waf apache.iris.example /)"
is 'the panel itself stays outside' 200 "$(curl -sk -o /dev/null -w '%{http_code}' "https://127.0.0.1:7711/healthz?q=1%27%20or%201=1--%20-")"
is 'in short bodies as well, and at the beginning of those of unknown length' '403 200 403' \
  "$(waf iris.example /index.php -d "q=1' or 1=1-- -") $({ printf "q=1' or 1=1-- -&r="; head -c 50000 /dev/zero | tr '\0' a; } | waf iris.example /index.php --data-binary @-) $({ printf "q=1' or 1=1-- -&r="; head -c 50000 /dev/zero | tr '\0' a; } | waf iris.example /index.php -H 'Transfer-Encoding: chunked' --data-binary @-)"
# Headers of the panel's own, and names in other letters, choose no other rules.
is 'whatever name the visitor sends' '403 403 403' "$(waf iris.example "$attack" -H 'Host: IRIS.example:80') $(waf iris.example "$attack" -H 'X-Panel-Visitor: 192.0.2.1' -H 'X-Panel-Https: on') $(waf www.iris.example "$attack")"

head -c 60000000 /dev/urandom > /tmp/waf.upload
answer_of() { curl -s --resolve "$1:80:127.0.0.1" "http://$1/index.php" "${@:2}"; }
is 'an upload as large as PHP takes arrives, from its visitor' '60000000 http 127.0.0.1' "$(answer_of iris.example -F f=@/tmp/waf.upload -H 'X-Panel-Visitor: 192.0.2.1')"
quietly panel domains update apache.iris.example --waf-mode block
eventually_is 403 apache.iris.example "$attack"
{ printf a=; head -c 29998 /dev/zero | tr '\0' a; } > /tmp/waf.body
is 'through Apache as well' 'http 127.0.0.1 30000' "$(answer_of apache.iris.example --data-binary @/tmp/waf.body)"

hits() { panel waf hits "$1" -o json | tr -d '\n ' | grep -o '"path":"[^"]*","message":"[^"]*","action":"[a-z]*","rule_id":[0-9]*' | sed 's/"message":"[^"]*",//' | head -1; }
has_hits() { [ -n "$(hits "$1")" ]; }
waf watched.iris.example '/a%0Ab%1B?q=%3Cscript%3Ealert(1)%3C/script%3E' > /dev/null
eventually has_hits watched.iris.example
is 'what was found are rows, without what was sent' '"path":"/index.php","action":"blocked","rule_id":942100 "path":"/a%0Ab%1B","action":"watched","rule_id":941160' "$(hits iris.example) $(hits watched.iris.example)"
is 'the log holds nothing of answers' 0 "$(grep -c 'http 127' /var/log/panel/waf.log)"

# An exception lets pass that rule at that place alone.
quietly panel waf allow iris.example 942100 --path /index.php --parameter q
eventually_is 200 iris.example "$attack"
is 'an exception is for its parameter alone' '200 403' "$(waf iris.example "$attack") $(waf iris.example '/index.php?r=1%27%20or%201=1--%20-')"
is 'and for its path' 403 "$(waf iris.example '/other.php?q=1%27%20or%201=1--%20-')"
quietly panel waf delete-exception iris.example "$(panel waf exceptions iris.example -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)"
eventually_is 403 iris.example "$attack"

# What a rule has to read is bounded: nobody waits for it.
begun=$(date +%s%N)
head -c 1000000 /dev/zero | tr '\0' "'" | waf iris.example /index.php --data-binary @- > /dev/null
head -c 8000 /dev/zero | tr '\0' "'" | waf iris.example /index.php --data-binary @- > /dev/null
took=$((($(date +%s%N) - begun) / 1000000))
is 'a hostile megabyte costs no minutes' yes "$([ $took -lt 5000 ] && echo yes)"
echo "# a megabyte, and 8 KB, of quotation marks took $took ms"

# Bodies are counted before they are read: twenty uploads at a time.
slow="import socket, time
def upload():
    one = socket.create_connection(('127.0.0.1', 80)); one.settimeout(3)
    one.sendall(b'POST /index.php HTTP/1.1\r\nHost: iris.example\r\nContent-Type: application/octet-stream\r\nContent-Length: 20000000\r\n\r\n' + b'a' * 100000)
    return one
all = [upload() for _ in range(20)]
time.sleep(1)
print(upload().recv(12).decode())"
is 'the twenty-first upload at a time is refused' 'HTTP/1.1 429' "$(python3 -c "$slow")"

# Requests a second, one after the other on each of four connections.
speed() { # speed MODE
  quietly panel domains update iris.example --waf-mode "$1"
  [ "$1" = block ] && eventually_is 403 iris.example "$attack" || eventually_is 200 iris.example "$attack"
  python3 - <<'PY'
import http.client, threading, time
done, until = [0] * 4, time.time() + 4
def work(n):
    peer = http.client.HTTPConnection('127.0.0.1', 80)
    while time.time() < until:
        peer.request('GET', '/plain.txt?page=2&sort=name', headers={'Host': 'iris.example', 'User-Agent': 'Mozilla/5.0', 'Accept': '*/*'})
        peer.getresponse().read(); done[n] += 1
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for one in threads: one.start()
for one in threads: one.join()
print(sum(done) // 4)
PY
}
echo plain | put iris plain.txt
memory() { for pid in $(pgrep -x nginx); do awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup"; done | awk '{ sum += $1 } END { print sum }'; }
echo "# requests a second, twice: $(for mode in off watch block off watch block; do echo "$mode $(speed $mode)"; done | paste -sd,)"
with=$(memory)

quietly panel host setup --no-waf --yes
is 'without it an attack is let alone' 200 "$(waf iris.example "$attack")"
refused 'and cannot be refused' panel domains update iris.example --waf-mode block
echo "# nginx has $with kB with it, $(memory) kB without"
rm -f /tmp/waf.upload /tmp/waf.body
