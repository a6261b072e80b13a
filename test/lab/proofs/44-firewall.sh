# The firewall closes what no service needs; a change that nobody confirms is undone by the machine itself.
# Who connects is a network of its own.
. "$(dirname "$0")/../lib.sh"
own=$(ip -4 -o addr show dev eth0 | awk '{ print $4 }' | cut -d/ -f1)
ip netns add outside && ip link add outside0 type veth peer name outside1 && ip link set outside1 netns outside
ip addr add 198.51.100.1/24 dev outside0 && ip -6 addr add 2001:db8:9:2::1/64 dev outside0 nodad && ip link set outside0 up
for link in lo outside1; do ip netns exec outside ip link set $link up; done
ip netns exec outside ip addr add 198.51.100.9/24 dev outside1
ip netns exec outside ip -6 addr add 2001:db8:9:2::9/64 dev outside1 nodad
ip netns exec outside ip route add default via 198.51.100.1
# reach PORT [ADDRESS]: open or closed, seen from outside
reach() { ip netns exec outside timeout 2 bash -c "exec 3<> /dev/tcp/${2:-$own}/$1" 2> /dev/null && echo open || echo closed; }
reached() { [ "$(reach "$1")" = "$2" ]; }
rule() { panel firewall show -o json | tr -d '\n' | grep -o '"id": *"[^"]*"' | cut -d'"' -f4 | head -1; }
python3 -m http.server 9123 > /dev/null 2>&1 & stray=$!
python3 -m http.server 9124 --bind :: > /dev/null 2>&1 & stray6=$!
eventually reached 9123 open
is 'without a firewall a stray program is reached' 'open open' "$(reach 9123) $(reach 9124 2001:db8:9:2::1)"

# Another firewall is refused, whatever made it.
nft add table inet other; nft 'add chain inet other input { type filter hook input priority 5; policy drop; }'
panel host setup --firewall --yes > /tmp/firewall.refused 2>&1
is 'setup refuses beside a chain that drops' '1 yes' "$? $(grep -q 'The chain inet other input of nftables drops packets already' /tmp/firewall.refused && echo yes)"
nft delete table inet other
nft add table inet fence; nft 'add chain inet fence input { type filter hook input priority 5; policy accept; }'; nft add rule inet fence input ip saddr 192.0.2.66 drop
quietly panel host setup --firewall --yes
is 'beside one with conditions it does not, and lists it' yes "$(panel firewall show | grep -q 'inet fence input' && echo yes)"
nft delete table inet fence
panel host setup --yes > /tmp/firewall.again 2>&1
is 'again, nothing is to do' yes "$(grep -q 'nothing had to be changed' /tmp/firewall.again && echo yes)"
is 'services are reached, what none needs is not, over IPv6 as well' 'open open open open closed closed' \
  "$(reach 22) $(reach 443) $(reach 25) $(reach 7711) $(reach 9123) $(reach 9124 2001:db8:9:2::1)"
is 'and is listed' '9123 tcp python3 false' "$(panel firewall show -o json | tr -d '\n ' | grep -o '{"port":9123[^}]*}' | sed 's/.*"port":\([0-9]*\),"proto":"\([a-z]*\)".*"program":"\([^"]*\)","open":\([a-z]*\)}/\1 \2 \3 \4/')"

# The dead man's switch: server and agent are dead, and it is undone all the same.
quietly panel firewall deny 22
is 'a denied port is closed at once' closed "$(reach 22)"
panel firewall deny 25 > /tmp/firewall.busy 2>&1
is 'a second change waits for the first' 5 "$?"
agent=$(systemctl show -P MainPID panel-host) server=$(systemctl show -P MainPID panel)
begun=$SECONDS
systemctl kill -s KILL panel panel-host; systemctl mask -q --runtime panel panel-host; systemctl stop panel panel-host 2> /dev/null
is 'neither server nor agent runs' '' "$(ls -d "/proc/$agent" "/proc/$server" 2> /dev/null)"
until reached 22 open || [ $((SECONDS - begun)) -gt 75 ]; do sleep 1; done
echo "# open again after $((SECONDS - begun)) s"
is 'the port is open again after a minute' yes "$([ $((SECONDS - begun)) -ge 50 ] && [ $((SECONDS - begun)) -le 65 ] && echo yes)"
systemctl unmask -q --runtime panel panel-host; quietly systemctl start panel-host panel
eventually panel firewall show > /dev/null
is 'no rule is left' '' "$(rule)"
panel firewall confirm > /dev/null 2>&1
is 'and nothing is to be confirmed' 3 "$?"

# Confirmed on a new connection, it stays: over a reload of Debian's own rules, and a reboot.
secret=$(panel tokens create fire --scopes server:write -o json | grep -o '"secret": *"[^"]*"' | cut -d'"' -f4)
api() { ip netns exec outside curl -sk -H "Authorization: Bearer $secret" -H 'Content-Type: application/json' -o /dev/null -w '%{http_code}' "$@"; }
is 'a rule over the API' 202 "$(api -d '{"action":"deny","port":25,"comment":"} flush ruleset"}' "https://$own:7711/api/v1/firewall/rules")"
eventually reached 25 closed
is 'is confirmed on a new connection' 204 "$(api -X POST "https://$own:7711/api/v1/firewall/confirm")"
is 'an old one is refused' '202 400' "$(api -d '{"action":"deny","port":110}' "https://$own:7711/api/v1/firewall/rules" --next -sk -H "Authorization: Bearer $secret" -o /dev/null -w ' %{http_code}' -X POST "https://$own:7711/api/v1/firewall/confirm")"
quietly panel firewall confirm
systemctl reload nftables 2> /dev/null || systemctl restart nftables
eventually reached 25 closed
is 'a reload of nftables.service keeps the rules' 'closed closed open' "$(reach 25) $(reach 110) $(reach 143)"
quietly panel firewall deny 143
is 'another change waits' closed "$(reach 143)"
systemctl restart nftables
eventually reached 25 closed
is 'and undoes what was not confirmed' open "$(reach 143)"
panel firewall deny 7711 > /dev/null 2>&1
is 'the last way to the panel stays' '1 open' "$? $(reach 7711)"
quietly panel firewall allow 9123 --from 198.51.100.0/24 --confirm
is 'a rule for a network lets that in' open "$(reach 9123)"
quietly panel firewall deny 9123 --from 198.51.100.9 --confirm
is 'a smaller one comes first' closed "$(reach 9123)"

# What is open stays open.
echo_server='import socket
server = socket.create_server(("0.0.0.0", 9125))
peer = server.accept()[0]
while data := peer.recv(9): peer.sendall(data)'
client="import socket, time, os
peer = socket.create_connection(('$own', 9125), 5)
for word in (b'before', b'after'):
    while word == b'after' and not os.path.exists('/tmp/firewall.go'): time.sleep(0.1)
    peer.sendall(word); peer.settimeout(5); print(peer.recv(9).decode(), flush=True)"
quietly panel firewall allow 9125 --confirm
python3 -c "$echo_server" & echoing=$!
sleep 1
ip netns exec outside python3 -c "$client" > /tmp/firewall.open 2>&1 & long=$!
eventually grep -q before /tmp/firewall.open
quietly panel firewall deny 9125 --confirm
touch /tmp/firewall.go; wait $long; rm /tmp/firewall.go
is 'what was open stays open, a new connection is refused' 'before after closed' "$(tr '\n' ' ' < /tmp/firewall.open)$(reach 9125)"
kill $echoing 2> /dev/null
kill $stray $stray6
quietly panel host setup --no-firewall --yes
is 'without it all is as before' 'open no' "$(reach 25) $(nft list table inet panel_firewall > /dev/null 2>&1 && echo yes || echo no)"
for id in $(panel tokens list -o json | tr -d '\n' | grep -o '"id": *"[^"]*", *"name": *"fire"' | cut -d'"' -f4); do panel tokens delete "$id" > /dev/null 2>&1; done
ip netns del outside
