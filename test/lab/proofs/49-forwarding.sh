# Mail that is forwarded: it passes SPF there, bounces come back by the rewritten sender, and it relays nothing else. The
# world is a separate network with the verifiers of Debian's python3-spf and python3-dkim.
. "$(dirname "$0")/../lib.sh"
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
quietly online apt-get install -y -q --no-install-recommends python3-spf python3-dkim python3-aiosmtpd
own=$(ip -4 -o addr show dev eth0 | awk '{ print $4 }' | cut -d/ -f1)
world=$(mktemp -d)
ip netns add world && ip link add world0 type veth peer name world1 && ip link set world1 netns world
ip addr add 203.0.113.1/24 dev world0 && ip link set world0 up
ip route replace 203.0.113.9 dev world0 src "$own"
ip netns exec world ip addr add 203.0.113.9/24 dev world1
for link in lo world1; do ip netns exec world ip link set $link up; done
ip netns exec world ip route add default via 203.0.113.1
sed 's/^server=127\.0\.0\.1$/server=203.0.113.1/' /etc/world.conf > "$world/dns.conf"
ip netns exec world dnsmasq --keep-in-foreground --conf-file="$world/dns.conf" & dns=$!
mkdir -p /etc/netns/world; echo nameserver 127.0.0.53 > /etc/netns/world/resolv.conf
cat > "$world/server.py" <<'PY'
import asyncio, dkim, json, sys, spf
from aiosmtpd.controller import Controller
class World:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith('refuses@'): return '550 5.1.1 No such user'
        envelope.rcpt_tos.append(address)
        return '250 Ok'
    async def handle_DATA(self, server, session, envelope):
        ip, sender = session.peer[0], envelope.mail_from
        result = spf.check2(i=ip, s=sender, h=session.host_name)[0]
        plain = spf.check2(i=ip, s='world@far.example', h=session.host_name)[0]
        arc = dkim.arc_verify(envelope.content)[0].decode()
        with open(sys.argv[1], 'a') as log:
            log.write(json.dumps({'from': sender, 'to': envelope.rcpt_tos, 'spf': result, 'unwritten': plain, 'arc': arc, 'text': envelope.content.decode('latin1')}) + '\n')
        return '250 Ok'
    def exception(self, error): print(error, file=sys.stderr)
controller = Controller(World(), hostname='203.0.113.9', port=25, ident='mail.far.example')
controller.start()
asyncio.new_event_loop().run_forever()
PY
ip netns exec world python3 "$world/server.py" "$world/mail" & server=$!
eventually ip netns exec world bash -c ': > /dev/tcp/203.0.113.9/25'
touch "$world/mail"
# got TO FIELD: of the newest message for an address
got() { python3 - "$world/mail" "$1" "$2" <<'PY'
import json, sys
for line in reversed(open(sys.argv[1]).readlines()):
    one = json.loads(line)
    if sys.argv[2] in one['to']: print(one[sys.argv[3]]); break
PY
}
count() { grep -c "\"to\": \[\"$1\"\]" "$world/mail"; }
has() { [ "$(count "$1")" -ge "$2" ]; }
# send FROM TO [SUBJECT]: from the world; the answer's code
send() {
  printf 'From: %s\r\nTo: x\r\nSubject: %s\r\nMessage-ID: <%s@far.example>\r\nDate: %s\r\n\r\nHello.\r\n.dotted\r\n' "${1:-mailer@far.example}" "${3:-proof}" "$RANDOM$RANDOM" "$(date -R)" > $mail
  ip netns exec world curl -s -o /dev/null -w '%{response_code}' --max-time 60 "smtp://$own:25/mail.far.example" --mail-from "${1:-<>}" --mail-rcpt "$2" -T $mail
}
# rcpt FROM TO: the code of the recipient alone
rcpt() { ip netns exec world python3 - "$own" "$1" "$2" <<'PY'
import smtplib, sys
smtp = smtplib.SMTP(sys.argv[1], 25, 'mail.far.example', timeout=30)
smtp.ehlo(); smtp.docmd('MAIL FROM:<' + sys.argv[2] + '>')
smtp.sock.sendall(('RCPT TO:<' + sys.argv[3] + '>\r\n').encode()); print(smtp.getreply()[0])
smtp.close()
PY
}
account fwd
account fwe
for name in fwd fwe; do quietly bash -c "printf canary-Wheatear-5519 | panel email create info@$name.example --password-stdin"; done
quietly panel email forwarders create away@fwd.example friend@far.example
quietly panel email forwarders create both@fwd.example friend@far.example,info@fwd.example
quietly panel email forwarders create lost@fwd.example refuses@far.example
is 'mail from the world is taken' 250 "$(send world@far.example away@fwd.example)"
is 'and forwarded' yes "$(eventually has friend@far.example 1 && echo yes)"
sender=$(got friend@far.example from)
is 'its sender is of the domain that forwards' yes "$(grep -qE '^SRS0=[A-Z2-7]{8}=[A-Z2-7]{2}=far\.example=world@fwd\.example$' <<< "$sender" && echo yes || echo "$sender")"
is 'it passes SPF, as the true one would not' 'pass fail' "$(got friend@far.example spf) $(got friend@far.example unwritten)"
if systemctl is-active -q rspamd; then
  # It looks for the keys of forwarders from time to time.
  sealed() { [ "$(got friend@far.example arc)" = pass ]; }
  for _ in $(seq 30); do sealed && break; send world@far.example away@fwd.example > /dev/null; sleep 3; done
  is 'it is sealed by the domain that forwards' 'pass d=fwd.example' "$(got friend@far.example arc) $(got friend@far.example text | tr -d '\n' | grep -o 'ARC-Seal:[^b]*' | grep -o 'd=[a-z.]*')"
  first=$(count friend@far.example)
  is 'what stays here is not sealed' 0 "$(send world@far.example info@fwd.example plain > /dev/null; plain() { grep -ls '^Subject: plain' /home/fwd/mail/fwd.example/info/Maildir/new/*; }; eventually plain; grep -c '^ARC' $(plain))"
  is 'no tenant reads the keys' no "$(runuser -u fwe -- cat /etc/panel/mail/dkim/seals /etc/panel/mail/dkim.d/fwd/* > /dev/null 2>&1 || echo no)"
else
  first=1
  echo '# SKIPPED: no rspamd, which seals'
fi
is 'its text is unchanged' 1 "$(got friend@far.example text | grep -c '^\.dotted')"
is 'the trace has one row of it, with the true sender' 'world@far.example away@fwd.example forwarded' \
  "$(shows() { panel email trace -a fwd --address away@ --columns from,to,outcome --no-headers | head -1 | xargs; }; for _ in $(seq 100); do [ "$(shows)" = 'world@far.example away@fwd.example forwarded' ] && break; sleep 0.1; done; shows)"
is 'a bounce is taken' 250 "$(send '' "$sender")"
is 'and comes back to the true sender' yes "$(eventually has world@far.example 1 && echo yes)"
is 'without a sender' '<>' "$(got world@far.example from)"
lower=$(tr 'A-Z' 'a-z' <<< "$sender")
is 'in another case too' 250 "$(rcpt '' "$lower")"
is 'an altered one is refused' 550 "$(rcpt '' "${sender/world@/other@}")"
is 'one of another domain too' 550 "$(rcpt '' "${sender/@fwd/@fwe}")"
is 'and a forged one' 550 "$(rcpt '' SRS0=AAAAAAAA=AA=far.example=world@fwd.example)"
is 'nothing but bounces goes by it' '550 550' "$(rcpt spam@far.example "$sender") $(rcpt info@fwd.example "$sender")"
is 'a line break in it is refused' 501 "$(rcpt '' "\"$(printf 'SRS0=AAAAAAAA=AA=far.example=a\\\nb')\"@fwd.example")"
printf 'Subject: x\n\nx\n' | runuser -u fwe -- /usr/sbin/sendmail -i -f info@fwe.example "$sender"
printf 'Subject: x\n\nx\n' | runuser -u fwe -- /usr/sbin/sendmail -i -f '<>' "$sender"
quietly panel email forwarders create relay@fwe.example "$sender"
send world@far.example relay@fwe.example > /dev/null
is 'what a forwarder sends to it comes back undelivered' yes "$(eventually has world@far.example 2 && got world@far.example text | grep -q '^Subject: Undelivered Mail' && echo yes)"
is 'as does what programs here send to it' 2 "$(count world@far.example)"
send world@far.example lost@fwd.example > /dev/null
is 'what the world refuses comes back to the true sender' yes "$(eventually has world@far.example 3 && echo yes)"
send world@far.example both@fwd.example both > /dev/null
box=/home/fwd/mail/fwd.example/info/Maildir/new
arrived() { grep -ls '^Subject: both' $box/*; }
is 'a copy delivered here has the true sender' 'Return-Path: <world@far.example>' "$(eventually arrived && grep -hi '^Return-Path' $(arrived) | tr -d '\r')"
is 'beside it one is forwarded' yes "$(eventually has friend@far.example $((first + 1)) && echo yes)"
is 'own senders stay as they are' 250 "$(send info@fwe.example away@fwd.example)"
is 'also from outside' info@fwe.example "$(eventually has friend@far.example $((first + 2)) && got friend@far.example from)"
send 'SRS0=abcd=ef=first.test=joe@far.example' away@fwd.example > /dev/null
eventually has friend@far.example $((first + 3))
again=$(got friend@far.example from)
is "another host's rewritten sender is marked as such" yes "$(grep -qE '^SRS1=[A-Z2-7]{8}=far\.example==abcd=ef=first\.test=joe@fwd\.example$' <<< "$again" && echo yes || echo "$again")"
is 'its bounce goes back there' yes "$(send '' "$again" > /dev/null; eventually has SRS0=abcd=ef=first.test=joe@far.example 1 && echo yes)"
# Two accounts that forward to each other.
quietly panel email forwarders create round@fwd.example round@fwe.example
quietly panel email forwarders create round@fwe.example round@fwd.example
before=$(postqueue -j | grep -c .)
send world@far.example round@fwd.example > /dev/null
sleep 3
is 'a loop between two accounts ends' "$before" "$(postqueue -j | grep -c .)"
# Without the agent.
systemctl stop panel-host
is 'without the agent mail to forward is taken' 250 "$(send world@far.example away@fwd.example waits)"
is 'and mail to mailboxes' 250 "$(rcpt world@far.example info@fwd.example)"
is 'but bounces are put off' 450 "$(rcpt '' "$sender")"
sleep 3
is 'nothing leaves' $((first + 3)) "$(count friend@far.example)"
systemctl start panel-host
eventually test -S /var/spool/postfix/private/panel-forward
is 'with it the mail goes' yes "$(for _ in 1 2 3; do postqueue -f; eventually has friend@far.example $((first + 4)) && break; done; has friend@far.example $((first + 4)) && echo yes)"
is 'under a rewritten sender' yes "$(got friend@far.example from | grep -q '^SRS0=.*@fwd.example$' && echo yes)"
is 'programs of accounts reach none of its sockets' no "$(for one in panel-forward panel-bounces panel-bounce-targets panel-return; do runuser -u fwd -- curl -s --unix-socket /var/spool/postfix/private/$one http://x/ > /dev/null 2>&1; [ $? = 7 ] || echo "$one"; done; echo no)"
is 'and only root reads its keys' 600 "$(stat -c %a /var/lib/panel-host/sender-keys.json)"
for _ in $(seq 110); do code=$(rcpt '' "$sender"); [ "$code" = 450 ] && break; done
is 'beyond a hundred an hour bounces are put off' 450 "$code"
kill $server $dns
ip link del world0; ip netns del world; rm -r "$world" /etc/netns/world
for one in fwd fwe; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
