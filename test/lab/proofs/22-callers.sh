# Who calls is said by the kernel, by user: loopback is everybody's.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631
account carl
account cleo
for box in info@carl.example info@cleo.example; do quietly bash -c "printf %s '$password' | panel email create $box --password-stdin"; done

# One customer's programs cannot take all sessions.
cat > /tmp/hold.sh <<'SH'
for n in $(seq 40); do { sleep 0.3; printf 'a LOGIN info@carl.example %s\r\nb IDLE\r\n' "$1"; sleep 60; } | timeout 65 curl -sN --interface "127.0.0.$((n % 4 + 1))" telnet://127.0.0.1:143 > /dev/null 2>&1 & sleep 0.2; done; wait
SH
chmod 755 /tmp/hold.sh
runuser -u carl -- bash /tmp/hold.sh $password & holding=$!
# Dovecot looks before it counts: of those that come at once a few more get in.
sessions() { doveadm who -1 2> /dev/null | grep -c '^info@carl.example'; }
for _ in $(seq 150); do [ "$(sessions)" -lt 10 ] || break; sleep 0.2; done
sleep 10
now=$(sessions)
is 'a mailbox has about its ten sessions from the machine, whatever address its programs choose' 'from 10 to 15' "$([ "$now" -ge 10 ] && [ "$now" -le 15 ] && echo from 10 to 15 || echo "$now")"
is 'its neighbour reads mail' 0 "$(runuser -u cleo -- curl -s --insecure --max-time 20 imaps://127.0.0.1/INBOX -u "info@cleo.example:$password" > /dev/null; echo $?)"
pkill -u carl 'curl|sleep|timeout'
wait $holding
runuser -u carl -- bash -c 'for n in $(seq 120); do { sleep 15; } | timeout 16 curl -sN telnet://127.0.0.1:587 > /dev/null 2>&1 & done; wait' & holding=$!
most=0
for _ in $(seq 40); do
  now=$(ss -Htn state established '( dport = :587 )' | wc -l)
  [ "$now" -le "$most" ] || most=$now
  sleep 0.2
done
wait $holding
is 'nor all connections for submission' 50 "$most"

# What Dovecot notes of a caller that claims an address: noted USER [OPTION...]
noted() {
  local claimed="203.0.113.$((RANDOM % 250))"
  runuser -u "$1" -- bash -c "{ sleep 0.5; printf 'a ID (\"x-originating-ip\" \"$claimed\")\r\nb LOGIN info@cleo.example wrong-Sandpiper-1\r\n'; sleep 4; } | timeout 8 curl -sN $2 telnet://127.0.0.1:143" > /dev/null 2>&1
  journalctl -t dovecot --no-pager --since -15s | grep -c "rip=$claimed"
}
is "a tenant's program names no address of its own choice" '0 0' "$(noted carl) $(noted carl '--interface 127.0.0.2')"
# Whether a user connects from the address of webmail: curl's exit code.
connects() { runuser -u "$1" -- curl -s --max-time 5 --interface 127.0.0.2 "imap://${2:-127.0.0.1}/" -X NOOP > /dev/null; }
refused "it has no address that webmail has" connects carl
is 'nor has another service' 7 "$(connects www-data; echo $?)"
is 'webmail itself connects from it' 0 "$(connects panel-webmail; echo $?)"
webmail() { curl -s --insecure --max-time 20 --resolve webmail.host.example:443:10.77.0.100 -c /tmp/carl.jar -b /tmp/carl.jar "$@"; }
rm -f /tmp/carl.jar
token=$(webmail https://webmail.host.example/ | grep -o 'name="_token" value="[^"]*"' | cut -d'"' -f4)
is 'its sign-in works' 302 "$(webmail -o /dev/null -w '%{http_code}' "https://webmail.host.example/?_task=login" --data-urlencode "_token=$token" -d '_task=login&_action=login' --data-urlencode _user=info@cleo.example --data-urlencode "_pass=$password")"
is 'and names who asks' 1 "$(journalctl -t dovecot --no-pager --since -30s | grep -c '\(Login\|Logged in\): user=<info@cleo.example>.*rip=10.77.0.100')"

# Services that do not trust a caller for being local.
is 'Postfix trusts no network and no proxy' '  ' "$(postconf -h mynetworks) $(postconf -h smtpd_authorized_xclient_hosts) $(postconf -h smtpd_authorized_xforward_hosts)"
open_to() { runuser -u carl -- timeout 5 bash -c "< /dev/tcp/127.0.0.1/$1" 2> /dev/null && echo open || echo closed; }
is 'no control or metrics of a daemon answers on loopback' 'closed closed closed closed closed' "$(for port in 11332 11333 11334 6379 9000; do open_to $port; done | xargs)"
refused 'BIND obeys no tenant' runuser -u carl -- /usr/sbin/rndc -s 127.0.0.1 status
refused 'MariaDB takes no tenant for root' runuser -u carl -- mariadb -u root -e 'select 1'
refused 'nor by TCP' runuser -u carl -- mariadb -h 127.0.0.1 -u root -e 'select 1'
is 'the panel takes no address that a caller on loopback claims' 401 "$(runuser -u carl -- curl -s --insecure -o /dev/null -w '%{http_code}' -H 'X-Forwarded-For: 127.0.0.1' -H 'X-Real-IP: 127.0.0.1' https://127.0.0.1:7711/api/v1/accounts)"
for one in carl cleo; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -f /tmp/hold.sh /tmp/carl.jar
