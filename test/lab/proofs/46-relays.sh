# Outgoing mail by relays: the sender's domain, then its account, then the server decides; bounces and forwarded mail leave by
# the server's alone. The relays are Debian's python3-aiosmtpd in a separate network.
. "$(dirname "$0")/../lib.sh"
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
quietly online apt-get install -y -q --no-install-recommends python3-aiosmtpd
own=$(ip -4 -o addr show dev eth0 | awk '{ print $4 }' | cut -d/ -f1)
world=$(mktemp -d)
ip netns add relays && ip link add relays0 type veth peer name relays1 && ip link set relays1 netns relays
ip addr add 203.0.113.2/24 dev relays0 && ip link set relays0 up
for address in 9 60 61; do
  ip route replace 203.0.113.$address dev relays0 src "$own"
  ip netns exec relays ip addr add 203.0.113.$address/24 dev relays1
done
for link in lo relays1; do ip netns exec relays ip link set $link up; done
ip netns exec relays ip route replace default via 203.0.113.2
cp /etc/world.hosts "$world/hosts"
printf '203.0.113.60 one.world.test\n203.0.113.61 two.world.test\n203.0.113.60 wrong.world.test\n' >> /etc/world.hosts
systemctl kill -s HUP world
( cd "$world"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=Relays' -keyout ca.key -out ca.crt
  for name in one two; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr
    openssl x509 -req -in $name.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out $name.crt -extfile <(echo "subjectAltName=DNS:$name.world.test")
  done ) > /dev/null 2>&1
cp "$world/ca.crt" /usr/local/share/ca-certificates/proof-relays.crt
quietly update-ca-certificates
postfix reload > /dev/null 2>&1
cat > "$world/server.py" <<'PY'
import asyncio, json, ssl, sys
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, SMTP
folder = sys.argv[1]
passwords = {b'one': b'canary-Dotterel-1', b'two': b'canary Dotterel:2', b'three': b'canary-Dotterel-3'}
def context(name):
    it = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    it.load_cert_chain(f'{folder}/{name}.crt', f'{folder}/{name}.key')
    return it
def sign_in(server, session, envelope, mechanism, data):
    if passwords.get(data.login) != data.password: return AuthResult(success=False, handled=False)
    session.login_name = data.login.decode()
    return AuthResult(success=True)
class Relay:
    def __init__(self, name): self.name = name
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith('refuses@'): return '550 5.1.1 No such user'
        envelope.rcpt_tos.append(address)
        return '250 Ok'
    async def handle_DATA(self, server, session, envelope):
        subject = [line for line in envelope.content.decode('latin1').splitlines() if line.startswith('Subject: ')][0][9:]
        with open(f'{folder}/mail', 'a') as log:
            log.write(f"{subject}|{self.name}|{getattr(session, 'login_name', '-')}|{envelope.mail_from}|{','.join(envelope.rcpt_tos)}\n")
        return '250 Ok'
    def exception(self, error): print(error, file=sys.stderr)
class Wrapped(Controller):
    def factory(self): return SMTP(self.handler, hostname='two.world.test', authenticator=sign_in, auth_required=True, auth_require_tls=False)
signed = dict(authenticator=sign_in, auth_required=True, require_starttls=True)
all = [Controller(Relay('direct'), hostname='203.0.113.9', port=25),
       Controller(Relay('one'), hostname='203.0.113.60', port=587, tls_context=context('one'), **signed),
       Controller(Relay('one-2525'), hostname='203.0.113.60', port=2525, tls_context=context('one'), **signed),
       Wrapped(Relay('two'), hostname='203.0.113.61', port=465, ssl_context=context('two'))]
for one in all: one.start()
asyncio.new_event_loop().run_forever()
PY
touch "$world/mail"
ip netns exec relays python3 "$world/server.py" "$world" 2> "$world/errors" & server=$!
end() {
  kill $server; ip netns del relays; ip link del relays0 2> /dev/null
  cp "$world/hosts" /etc/world.hosts; systemctl kill -s HUP world
  rm -rf "$world" /usr/local/share/ca-certificates/proof-relays.crt; update-ca-certificates > /dev/null 2>&1
  rm -f "$said" "$mail"
}
trap 'end; exit $failed' EXIT
for port in 9/25 60/587 61/465; do eventually ip netns exec relays bash -c ": > /dev/tcp/203.0.113.$port"; done
# way SUBJECT: which server took it, who signed in, and the sender
way() { eventually grep -q "^$1|" "$world/mail"; grep "^$1|" "$world/mail" | tail -1 | cut -d'|' -f2-4; }
# submit USER SUBJECT: from the user's programs
submit() { printf 'Subject: %s\n\nx\n' "$2" | runuser -u "$1" -- /usr/sbin/sendmail -i -f "info@$1.example" "${3:-me@far.example}"; }
# outside SUBJECT TO: from the world
outside() {
  printf 'From: world@far.example\r\nSubject: %s\r\nMessage-ID: <%s@far.example>\r\nDate: %s\r\n\r\nHello.\r\n' "$1" "$RANDOM$RANDOM" "$(date -R)" > $mail
  ip netns exec relays curl -s --max-time 60 "smtp://$own:25/mail.far.example" --mail-from world@far.example --mail-rcpt "$2" -T $mail
}
account rla
account rlb
quietly bash -c "printf canary-Wheatear-4601 | panel email create info@rla.example --password-stdin"
quietly bash -c "printf canary-Wheatear-4602 | panel email create info@rlb.example --password-stdin"
quietly panel email forwarders create away@rla.example friend@far.example
quietly panel email forwarders create lost@rla.example refuses@far.example
submit rla first
is 'without a relay mail leaves directly' 'direct|-|info@rla.example' "$(way first)"
quietly bash -c "printf canary-Dotterel-1 | panel relays create one --host one.world.test --port 587 --tls starttls --username one --password-stdin --for server"
submit rla server-a; submit rlb server-b
is "all mail leaves by the server's relay" 'one|one|info@rla.example one|one|info@rlb.example' "$(way server-a) $(way server-b)"
quietly bash -c "printf 'canary Dotterel:2' | panel relays create two --host two.world.test --port 465 --tls tls --username two --password-stdin --for-accounts rla"
submit rla account-a; submit rlb account-b
is 'but that of an account by its relay' 'two|two|info@rla.example one|one|info@rlb.example' "$(way account-a) $(way account-b)"
quietly bash -c "printf canary-Dotterel-3 | panel relays create three --host one.world.test --port 2525 --tls starttls --username three --password-stdin --for-domains rla.example"
submit rla domain-a; submit rlb domain-b
is 'and that of a domain by that one' 'one-2525|three|info@rla.example one|one|info@rlb.example' "$(way domain-a) $(way domain-b)"
outside forwarded away@rla.example
is "forwarded mail leaves by the server's" 'one|one|SRS0' "$(way forwarded | sed 's/=.*//')"
outside lost lost@rla.example
is 'and a bounce' 'one|one|<>' "$(way 'Undelivered Mail Returned to Sender' | sed 's/|None$/|<>/; s/|$/|<>/')"
quietly panel relays delete three --yes
quietly panel relays delete one --yes
submit rla again-a; submit rlb again-b; outside again-forwarded away@rla.example
is 'without them the next applies' 'two|two|info@rla.example direct|-|info@rlb.example' "$(way again-a) $(way again-b)"
is 'forwarded mail leaves directly' 'direct|-|SRS0' "$(way again-forwarded | sed 's/=.*//')"
# A wrong password.
quietly bash -c "printf canary-wrong-1 | panel relays update two --password-stdin"
submit rla waits; submit rlb passes
waiting() { panel email queue list -a rla --columns reason --no-headers | grep -q '535'; }
is 'a wrong password leaves mail in the queue, and says so' yes "$(eventually waiting && echo yes || { panel email queue list -a rla; tail -3 /var/log/panel/mail.log; })"
is "another account's mail leaves" 'direct|-|info@rlb.example' "$(way passes)"
quietly bash -c "printf 'canary Dotterel:2' | panel relays update two --password-stdin"
is 'the right one has it sent' 'two|two|info@rla.example' "$(way waits)"
# A certificate of another name.
quietly panel relays update two --host wrong.world.test --port 2525 --tls starttls
submit rla untrusted
untrusted() { panel email queue list -a rla --columns reason --no-headers | grep -qi 'certificate'; }
is 'nothing leaves by a relay with the certificate of another' yes "$(eventually untrusted && echo yes || panel email queue list -a rla)"
is 'what waits moves with the relay' 'two|two|info@rla.example' "$(quietly panel relays update two --host two.world.test --port 465 --tls tls; way untrusted)"
# Its test.
quietly panel relays test two --to me@far.example
is 'its test has sent a message' yes "$(eventually grep -q '^Test of the SMTP relay two|two|two|postmaster@rla.example' "$world/mail" && echo yes)"
panel jobs show "$(newest_job mail.relay.test)" > $said
is 'the log of which has its answers' yes "$(grep -q 'AUTH PLAIN: 235' $said && echo yes || cat $said)"
# The password.
is 'only root can read passwords on the machine' '600 600' "$(stat -c %a /etc/panel/mail/maps/relaypasswords.lmdb /etc/panel/mail/relaypasswords.d/rla | xargs)"
is 'no tenant can' no "$(runuser -u rla -- cat /etc/panel/mail/maps/relaypasswords* /etc/panel/mail/relaypasswords.d/rla > /dev/null 2>&1 || echo no)"
{ panel relays list -o json; panel relays show two -o json; panel jobs list -o json; panel audit list -o json; journalctl -b --no-pager; cat /var/log/panel/mail.log; tr '\0' '\n' < /proc/*/cmdline; } > $said 2> /dev/null
is 'and no answer, log or command line has them' 0 "$(grep -vE 'printf|bash -c' $said | grep -cE 'canary.Dotterel|canary-wrong|Y2FuYXJ5|dHdvAGNhbm')"
quietly panel relays delete two --yes
is 'no relay is left' '' "$(cat /etc/panel/mail/maps/relaytransports /etc/panel/mail/maps/relaypasswords /etc/panel/mail/maps/serverpasswords)"
[ "$failed" = 0 ] || cat "$world/errors"
