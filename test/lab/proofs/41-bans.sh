# Addresses that guess passwords are banned at whatever service they guess; what tenants write and type bans no one else.
# The guessers are a network of its own.
. "$(dirname "$0")/../lib.sh"
# A machine of the lab has its own boot id bound over /proc. In Debian 12 a unit with a new /proc does not see it, and
# journalctl follows the entries of that boot alone. On real machines both are the same.
units=/run/systemd/system/panel-host.service.d
mkdir -p $units
if [ "$(. /etc/os-release; echo "$VERSION_ID")" = 12 ]; then
  cp /proc/sys/kernel/random/boot_id /run/proof-boot-id
  printf '[Service]\nBindReadOnlyPaths=/run/proof-boot-id:/proc/sys/kernel/random/boot_id\n' > $units/proof.conf
  systemctl daemon-reload && systemctl restart panel-host && quietly panel host status
fi
account gale
echo 'correct horse battery 9' > /root/gale.password
quietly panel email create info@gale.example --password-file /root/gale.password --quota-mb 10
quietly panel ftp create deploy@gale.example --password-file /root/gale.password --directory sites
own=$(ip -4 -o addr show dev eth0 | awk '{ print $4 }' | cut -d/ -f1)
ip netns add guess && ip link add guess0 type veth peer name guess1 && ip link set guess1 netns guess
ip addr add 198.51.100.1/24 dev guess0 && ip -6 addr add 2001:db8:9:1::1/64 dev guess0 nodad && ip link set guess0 up
for link in lo guess1; do ip netns exec guess ip link set $link up; done
for last in $(seq 10 30); do ip netns exec guess ip addr add 198.51.100.$last/24 dev guess1; done
ip netns exec guess ip -6 addr add 2001:db8:9:1::7/64 dev guess1 nodad
# Not the server's own network, which is never banned.
ip netns exec guess ip -6 addr add 2001:db8:9:7::7/128 dev lo
ip -6 route add 2001:db8:9:7::/64 via 2001:db8:9:1::7
ip netns exec guess ip route add default via 198.51.100.1
inside() { ip netns exec guess timeout 60 "$@"; }
# field ADDRESS NAME: of its ban
field() { panel bans list --address "$1" -o json | grep -o "\"$2\": *[^,}]*" | head -1 | sed 's/^[^:]*: *//; s/^"//; s/"$//'; }
is_banned() { [ -n "$(field "$1" id)" ]; }
printf '#!/bin/sh\necho wrong\n' > /root/wrong-password; chmod 700 /root/wrong-password
# Five wrong passwords in each of two connections: guess_ssh ADDRESS NAME TARGET
guess_ssh() { wrong_ssh "$@" & wrong_ssh "$@" & wait; }
wrong_ssh() {
  ip netns exec guess timeout 20 env SSH_ASKPASS=/root/wrong-password SSH_ASKPASS_REQUIRE=force ssh -q -b "$1" -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o PubkeyAuthentication=no -o NumberOfPasswordPrompts=5 -o ConnectTimeout=5 \
    "${2:-root}@${3:-$own}" true > /dev/null 2>&1
}
guess() { inside curl -sk -m 10 -o /dev/null --interface "$2" "$1://$own" -u "${3:-info@gale.example}:wrong"; }
guess_smtp() { inside curl -sk -m 10 -o /dev/null --interface "$1" "smtps://$own" -u 'info@gale.example:wrong' --mail-from a@b.example --mail-rcpt info@gale.example -T /etc/hostname; }
guess_panel() { inside curl -sk -m 10 -o /dev/null --interface "$1" "${@:2}" -H 'Content-Type: application/json' -d '{"username":"gale","password":"wrong"}' "https://$own:7711/api/v1/user/auth/login"; }
reaches() { inside curl -sk -o /dev/null --connect-timeout 3 --interface "$1" -w '%{http_code}' "https://$own:7711/healthz"; }
reached() { [ "$(reaches "$1")" = "$2" ]; }
# One a minute is forgotten. At once, as Dovecot answers each later than the one before; the panel counts one at a time.
tries() { for _ in $(seq 13); do "$@" & done; wait; }
tries_slowly() { for _ in $(seq 13); do "$@"; done; }
# Guesses at each service, from an address each.
guess_ssh 198.51.100.10 & guess_ssh 2001:db8:9:7::7 root 2001:db8:9:1::1 &
tries guess imaps 198.51.100.11 & tries guess pop3s 198.51.100.12 & tries guess_smtp 198.51.100.13 &
tries_slowly guess_panel 198.51.100.16 & tries guess ftp 198.51.100.14 deploy@gale.example &
wait
service() { eventually is_banned "$2"; is "who guesses by $1 is banned" "$1 system" "$(field "$2" service) $(field "$2" by)"; }
service ssh 198.51.100.10; service imap 198.51.100.11; service pop3 198.51.100.12
service smtp 198.51.100.13; service ftp 198.51.100.14; service panel 198.51.100.16
is 'its failures are told with the login that they were at' 'imap: info@gale.example' "$(panel bans show 198.51.100.11 -o json | grep -o 'imap: [^ "]*')"
eventually reached 198.51.100.11 000
is 'its packets are dropped at all ports, those of others are not' '000 200' "$(reaches 198.51.100.11) $(reaches 198.51.100.29)"
quietly panel bans delete 198.51.100.11
is 'until the ban is lifted' yes "$(eventually reached 198.51.100.11 200 && echo yes)"
eventually is_banned 2001:db8:9:7::7
is 'of IPv6 the whole network' '2001:db8:9:7::/64' "$(field 2001:db8:9:7::ffff address)"

# Never: networks that root allows, the server itself, where root has signed in.
quietly panel settings update --ban-allow 198.51.100.20/31
[ -f /root/guess.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/guess.key
mkdir -p -m 700 /root/.ssh; cat /root/guess.key.pub >> /root/.ssh/authorized_keys
quietly inside ssh -q -i /root/guess.key -b 198.51.100.22 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "root@$own" true
for address in 198.51.100.20 198.51.100.22; do guess_ssh $address & guess_ssh $address & done

# What tenants write, and strangers type, names the address of somebody else.
victim=198.51.100.29
wrong="Failed password for root from $victim port 22 ssh2"
lost="imap-login: Login aborted: Connection closed (auth failed, 10 attempts in 2 secs) (auth_failed): user=<root>, method=PLAIN, rip=$victim, lip=10.0.0.1, TLS, session=<AAAA>"
for _ in $(seq 12); do
  runuser -u gale -- logger -t sshd-session -- "$wrong"; runuser -u gale -- systemd-cat -t sshd echo "$wrong"
  runuser -u gale -- logger -t dovecot -- "$lost"
  runuser -u gale -- logger -p mail.warning -t postfix/smtpd "warning: unknown[$victim]: SASL PLAIN authentication failed: x"
  runuser -u gale -- python3 -c "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'<38>sshd[1]: ' + b'$wrong', '/dev/log')"
  runuser -u gale -- /usr/sbin/postlog -t postfix/smtps/smtpd "warning: unknown[$victim]: SASL PLAIN authentication failed: x" 2> /dev/null
done
guess_ssh 198.51.100.23 "x from $victim port 22 ssh2" & guess_ssh 198.51.100.24 "x $victim port 22 [preauth]" &
tries guess imaps 198.51.100.27 "a>, method=PLAIN, rip=$victim, lip=1.1.1.1, TLS, session=<AAAA>" &
tries_slowly guess_panel 198.51.100.25 -H "X-Forwarded-For: $victim" & tries guess ftp 198.51.100.26 "x ($victim[$victim]) - USER root" &
wait
for last in 23 25 26; do eventually is_banned 198.51.100.$last; done
is 'who typed another address is banned itself' '198.51.100.23 198.51.100.25 198.51.100.26' "$(echo $(for last in 23 25 26; do field 198.51.100.$last address; done))"
is 'no one else is' '' "$(for address in $victim 198.51.100.20 198.51.100.22 "$own" 127.0.0.1 1.1.1.1; do field $address address; done)"
is 'and they still get in' '200 200' "$(reaches $victim) $(reaches 198.51.100.22)"

# What is left of a ban stays when the agent dies, and when Debian's own rules are loaded.
left() { nft list set inet panel_bans banned4 2> /dev/null | grep -c "198\.51\.100\.$1 timeout"; }
remaining() { nft list set inet panel_bans banned4 2> /dev/null | tr ',' '\n' | sed -n "s/.*198\.51\.100\.$1 timeout .* expires \([0-9ms]*\)s.*/\1/p" | head -1; }
stays() { [ "$(left 10)" = 1 ]; }
before=$(remaining 10)
kill -9 "$(systemctl show -P MainPID panel-host)"
is 'kill -9 of the agent lifts none' 1 "$(left 10)"
eventually systemctl is-active panel-host
systemctl restart nftables 2> /dev/null
is 'nor do the rules of nftables.service' yes "$(eventually stays && echo yes)"
nft delete table inet panel_bans
quietly systemctl restart panel-bans
is 'what the unit loads at boot is what remains' 1 "$(left 10)"
echo "# of a ban of ten minutes, $before were left before, and $(remaining 10) after"
nft delete table inet panel_bans
quietly panel bans add 198.51.100.28 --for 1h
all_stay() { [ "$(left 10)$(left 28)" = 11 ]; }
is 'who deletes the table has them back with the next ban' yes "$(eventually all_stay && echo yes)"
systemctl restart nftables

# Ten thousand: how long until they hold, and what they cost the packets of others.
# Megabytes a second, from one network to the other.
throughput() {
  python3 -c '
import socket, time
server = socket.create_server(("198.51.100.1", 9126)); peer = server.accept()[0]; begun = time.time(); got = 0
while data := peer.recv(1 << 20): got += len(data)
print(int(got / 1e6 / (time.time() - begun)))' & local measuring=$!
  sleep 0.5
  inside python3 -c 'import socket; peer = socket.create_connection(("198.51.100.1", 9126), 5, ("198.51.100.30", 0)); [peer.sendall(bytes(1 << 20)) for _ in range(2000)]'
  wait $measuring
}
without=$(throughput)
until=$(($(date +%s) + 3600))
for third in $(seq 0 39); do for last in $(seq 1 250); do echo "10.9.$third.$last $until"; done; done >> /var/lib/panel-host/bans
begun=$(date +%s%N); /etc/panel/bans-load
echo "# 10,000 bans are loaded after $(since "$begun")"
is 'ten thousand are banned' yes "$([ "$(nft list set inet panel_bans banned4 | grep -o 'timeout' | wc -l)" -ge 10000 ] && echo yes)"
echo "# others send $without MB a second without them, $(throughput) with them"
sed -i '/^10\.9\./d' /var/lib/panel-host/bans; /etc/panel/bans-load
for id in $(panel bans list -o json | grep -o '"id": *"[^"]*"' | cut -d'"' -f4); do quietly panel bans delete "$id"; done
quietly panel settings update --data '{"ban_allow":[]}'
ip netns del guess; rm -f /root/guess.key* /root/wrong-password; sed -i '/root@/d' /root/.ssh/authorized_keys
rm -r $units; systemctl daemon-reload && systemctl restart panel-host
