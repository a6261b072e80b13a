# Unverified names receive and send no mail; then the public DNS verifies them.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631
box() { quietly bash -c "printf %s '$password' | panel email create $1 --password-stdin"; }
said() { curl -s -o /dev/null -w '%{response_code}' --max-time 60 "$@"; }
message() { printf 'From: %s\r\nTo: %s\r\nSubject: proof\r\n\r\nmarker\r\n' "$1" "$2"; }
send() {
  message "$1" "$2" > $mail
  said --insecure --ssl-reqd smtp://127.0.0.1:587/out.example -u "$1:$password" --mail-from "$1" --mail-rcpt "$2" -T $mail
}
deliver() {
  message someone@out.example "$1" > $mail
  said smtp://127.0.0.1:25/out.example --mail-from someone@out.example --mail-rcpt "$1" -T $mail
}
maildir() { find "/home/$1/mail/$2/Maildir/new" "/home/$1/mail/$2/Maildir/cur" -type f 2> /dev/null | wc -l; }
arrived() { eventually bash -c "[ -n \"\$(find /home/$1/mail/$2/Maildir/new -type f)\" ]"; maildir "$1" "$2"; }
field() { panel domains show "$1" -o json --select "$2" | tr -d '"'; }

account ann
account ben
box info@ben.example

is 'what a creation answers says nothing of verification' 1 "$(panel domains create gmail.com -a ann > /dev/null 2>&1; field gmail.com verified | grep -c false)"
box all@gmail.com
quietly panel email domains set-catch-all gmail.com forward all@gmail.com
is 'its mail is for the world to route' remote "$(panel email domains show gmail.com -o json --select effective_routing | tr -d '"')"
# The world's mail server of gmail.com, which the neighbour's mail must reach.
ip addr add 203.0.113.25/32 dev lo
put ben mail.php <<< '<?php echo mail($_GET["to"], "proof", "marker") ? "yes" : "no";'
is "a neighbour's program sends there" yes "$(page ben.example 'mail.php?to=customer@gmail.com')"
is "it leaves for the world's mail server, and waits where that is this one" yes "$(eventually grep -q 'to=<customer@gmail.com>.*status=deferred.*loops back' /var/log/panel/mail.log && echo yes)"
is 'never to the account that added the name' 0 "$(maildir ann gmail.com/all)"
ip addr del 203.0.113.25/32 dev lo

quietly panel domains create far.example -a ann
box info@far.example
jobs_end
is 'mail to its address is deferred' 450 "$(deliver info@far.example)"
is 'to no address refused' 550 "$(deliver none@far.example)"
is 'submission under its name too' 553 "$(send info@far.example info@ben.example)"
is 'its mailbox is open' 0 "$(curl -s --insecure --max-time 20 imaps://127.0.0.1/INBOX -u "info@far.example:$password" > /dev/null; echo $?)"
is 'its zone is served' 1 "$(dig +short @127.0.0.1 far.example SOA | wc -l)"
is 'nothing signs for it' 0 "$(grep -c far.example /etc/panel/mail/dkimsign.d/ann 2> /dev/null)"
refused 'looking finds nothing' panel domains verify far.example
is 'and says what would' _panel-challenge.far.example "$(field far.example verification.record.name)"

sed -i "s/^203.0.113.9 mail.far.example/$(hostname -I | cut -d' ' -f1) mail.far.example/" /etc/world.hosts
systemctl kill -s HUP world
first=$(deliver info@far.example) tries=1
for _ in $(seq 75); do [ "$(deliver info@far.example)" = 250 ] && break; tries=$((tries + 1)); sleep 1; done
is 'when its mail server is this one, the first try is deferred' 450 "$first"
is 'a try of the next minute is taken' 1 "$(arrived ann far.example/info)"
echo "# taken after $tries seconds"
is 'its mail server verified it' mx "$(field far.example verified_by)"
is 'submission is taken without a restart' 250 "$(send info@far.example info@ben.example)"
is 'and arrives' 1 "$(arrived ben ben.example/info)"

put ann mail.php <<< '<?php echo mail($_GET["to"], "proof", "marker") ? "yes" : "no";'
quietly panel domains set-verified ann.example false
is "programs send under the account's system name" yes "$(page ann.example 'mail.php?to=info@ben.example')"
is 'which the envelope shows' 1 "$(eventually grep -rqs 'Return-Path: <ann@host.example>' /home/ben/mail/ben.example/info/Maildir/new; grep -rls 'Return-Path: <ann@host.example>' /home/ben/mail/ben.example/info/Maildir/new | wc -l)"
quietly panel domains set-verified ann.example true
is 'nothing differs' '' "$(panel host diff --account ann)"

# In a mount namespace: others' proofs go on asking the world.
echo 'nameserver 127.0.0.1' > /tmp/own-resolver
alone() { unshare -m bash -c 'mount --bind /tmp/own-resolver /etc/resolv.conf && "$@"' -- "$@"; }
refused 'setup refuses a machine that asks its own name server' alone panel host setup --yes --dry-run
is 'by its address' 1 "$(grep -c "127.0.0.1, this machine's own name server" $said)"
# Another proof may end the agent meanwhile.
says_so() { alone panel doctor 2> /dev/null | grep -q 'resolv.conf leads to 127.0.0.1'; }
is 'and doctor says so' yes "$(eventually says_so && echo yes)"
