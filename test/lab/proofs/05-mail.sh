# Mail: log-in, delivery, forwarders, catch-alls, autoresponders, quota, rates, and who may send and sign as whom.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631
box() { quietly bash -c "printf %s '$password' | panel email create $1 --password-stdin ${*:2}"; }
message() { # message FROM TO [SIZE]
  printf 'From: %s\r\nTo: %s\r\nSubject: proof\r\n\r\nmarker\r\n' "$1" "$2"
  head -c "${3:-1}" /dev/zero | tr '\0' x | fold -w 900; printf '\r\n'
}
said() { curl -s -o /dev/null -w '%{response_code}' --max-time 60 "$@"; }
# What the server answers to who has logged in: send LOGIN SENDER TO [AUTHOR]
send() {
  message "${4:-$2}" "$3" > $mail
  said --insecure --ssl-reqd smtp://127.0.0.1:587/out.example -u "$1:$password" --mail-from "$2" --mail-rcpt "$3" -T $mail
}
# What it answers to somebody from outside: deliver SENDER TO [SIZE]
deliver() {
  message "$1" "$2" "${3:-1}" > $mail
  said smtp://127.0.0.1:25/out.example --mail-from "$1" --mail-rcpt "$2" -T $mail
}
imap() { curl -s --insecure --max-time 20 "imaps://127.0.0.1/$2" -u "$1:$password"; }
mails() { find "/home/$1/mail/$1.example/$2/Maildir/new" "/home/$1/mail/$1.example/$2/Maildir/cur" -type f -printf '%T@ %p\n' 2> /dev/null | sort -n | cut -d' ' -f2; }
count() { mails "$1" "$2" | wc -l; }
has() { # has USER BOX NUMBER: how many mails it has, once it has so many
  for _ in $(seq 150); do [ "$(count "$1" "$2")" = "$3" ] && break; sleep 0.1; done
  count "$1" "$2"
}
signed() { mails "$1" "$2" | tail -1 | xargs grep -o 'd=[a-z.]*' | head -1; }

account mia
account max
quietly panel accounts update mia --max-email-per-hour 20
box info@mia.example
box small@mia.example --quota-mb 1
box away@mia.example
box slow@mia.example --max-per-hour 3
box info@max.example

is 'submission is taken' 250 "$(send info@mia.example info@mia.example info@max.example)"
is 'it is delivered' 1 "$(has max info 1)"
is 'and read by IMAP' 1 "$(imap info@max.example 'INBOX;MAILINDEX=1' | grep -c marker)"
is 'a wrong password is refused' 535 "$(password=wrong-Sandpiper-1 send info@mia.example info@mia.example info@max.example)"
is "no password is asked for without TLS" 0 "$(curl -sv smtp://127.0.0.1:587/out.example 2>&1 | grep -c "^< 250.AUTH")"

is 'the sender of another account is refused' 553 "$(send info@mia.example info@max.example info@max.example)"
is 'relaying is refused' 554 "$(deliver someone@out.example other@elsewhere.example)"
is 'an unknown mailbox is refused' 550 "$(deliver someone@out.example none@mia.example)"


jobs_end
for _ in $(seq 120); do grep -q 'max.example' /etc/panel/mail/dkim/keys && grep -q mia.example /etc/panel/mail/dkim/keys && break; sleep 1; done
is 'submission as itself is taken' 250 "$(send info@mia.example info@mia.example info@max.example)"
has max info 2 > /dev/null
is 'mail is signed by its own domain' d=mia.example "$(signed max info)"
is 'and the signature verifies' 0 "$(mails max info | tail -1 | xargs cat | opendkim-testmsg > /dev/null 2>&1; echo $?)"
is 'changed, it does not' 70 "$(mails max info | tail -1 | xargs sed 's/marker/forged/' | opendkim-testmsg > /dev/null 2>&1; echo $?)"
is "another's name as the author is sent" 250 "$(send info@mia.example info@mia.example info@max.example boss@max.example)"
has max info 3 > /dev/null
is 'but not signed' '' "$(signed max info)"
is "and says nothing of the panel's own" '' "$(mails max info | xargs grep -li 'x-panel')"

put mia mail.php <<< '<?php echo mail($_GET["to"], "proof", "marker", "From: ".$_GET["from"], $_GET["as"] ? "-f".$_GET["as"] : "") ? "yes" : "no";'
is 'PHP sends' yes "$(page mia.example 'mail.php?to=info@max.example&from=info@mia.example')"
is 'it arrives' 4 "$(has max info 4)"
is 'signed by its own domain' d=mia.example "$(signed max info)"
is "PHP sends with another's name as the author" yes "$(page mia.example 'mail.php?to=info@max.example&from=boss@max.example')"
is 'it arrives too' 5 "$(has max info 5)"
is 'but not signed' '' "$(signed max info)"
page mia.example 'mail.php?to=info@max.example&from=x@max.example&as=boss@max.example' > /dev/null
is "another account's envelope is not sent" 5 "$(sleep 2; count max info)"
is 'PHP is told so' no "$(page mia.example 'mail.php?to=someone@elsewhere.example&from=x@max.example&as=info@max.example')"
message info@max.example someone@elsewhere.example > $mail
mailed() { runuser -u mia -- /usr/sbin/sendmail "$@" < $mail; }
refused 'sendmail says so at once' mailed -f info@max.example someone@elsewhere.example
is 'by the address' 1 "$(grep -c info@max.example $said)"
is "and nothing comes back to who never sent it" '5 0' "$(sleep 1; count max info) $(postqueue -j | grep -c max.example)"
quietly mailed -f info@mia.example info@max.example
is "under an address of the account's own it sends" 6 "$(has max info 6)"
quietly mailed info@mia.example
is 'and under its bare name' 1 "$(has mia info 1)"
quietly mailed -f info@mia.example none@max.example
is 'what cannot be delivered comes back' 2 "$(has mia info 2)"
is "and says nothing of the panel's own either" '' "$(mails mia info | xargs grep -li 'x-panel')"
find /home/mia/mail/mia.example/info/Maildir/new -type f -delete
is 'no program of an account reaches port 25 here' '7 7' "$(runuser -u mia -- curl -s smtp://127.0.0.1:25/; echo $?) $(runuser -u mia -- curl -s "smtp://[::1]:25/"; echo $?)"
is 'but the ports on which it logs in' 0 "$(runuser -u mia -- curl -s --insecure --ssl-reqd smtp://127.0.0.1:587/ -u "info@mia.example:$password" -X NOOP > /dev/null; echo $?)"

quietly panel email forwarders create sales@mia.example info@max.example
quietly panel email forwarders create out@mia.example someone@elsewhere.example
quietly panel email domains set-catch-all mia.example forward info@mia.example
before=$(count max info)
is 'a forwarder takes mail' 250 "$(deliver someone@out.example sales@mia.example)"
is 'and passes it on' $((before + 1)) "$(has max info $((before + 1)))"
is 'what leads outside is sent there' 250 "$(deliver someone@out.example out@mia.example)"
is 'a catch-all takes what no mailbox does' 250 "$(deliver someone@out.example whatever@mia.example)"
is 'and its mailbox gets it' 1 "$(has mia info 1)"
is 'it does not take what a mailbox does' '250 1' "$(deliver someone@out.example away@mia.example) $(has mia away 1)"
quietly panel email domains set-catch-all mia.example reject
is 'without it nothing else is taken' 550 "$(deliver someone@out.example whatever@mia.example)"

quietly panel email autoresponder set away@mia.example --subject 'Out "of" office' --body 'Back soon.'
before=$(count max info)
is 'an autoresponder takes mail' 250 "$(deliver info@max.example away@mia.example)"
is 'and answers' $((before + 1)) "$(has max info $((before + 1)))"
is 'in its own words' 1 "$(mails max info | tail -1 | xargs grep -c '^Subject: Out "of" office')"
is 'its script was compiled where it lies' "root:mia 640" "$(stat -c '%U:%G %a' /etc/panel/mail/sieve.d/mia/*.svbin | sort -u)"
is 'nothing complains of scripts' '' "$(journalctl -t dovecot --no-pager | grep -i 'sieve.*\(error\|failed\)')"

is 'a mailbox takes what it has room for' 250 "$(deliver someone@out.example small@mia.example 600000)"
has mia small 1 > /dev/null
is 'and refuses what it has not' 552 "$(deliver someone@out.example small@mia.example 600000)"
is 'a small mail is still taken' 250 "$(deliver someone@out.example small@mia.example)"
# Senders need not announce a size, and their names may be forged: no message goes back.
cat > /tmp/unannounced.py <<'PY'
import smtplib, sys
server = smtplib.SMTP('127.0.0.1', 25, timeout=60)
server.ehlo('out.example')
server.mail('someone@out.example')
for to in sys.argv[1:]: server.rcpt(to)
print(server.data(b'From: someone@out.example\r\nSubject: proof\r\n\r\n' + (b'x' * 900 + b'\r\n') * 665)[0])
PY
unannounced() { python3 /tmp/unannounced.py "$@"; }
bounces() { grep -c 'status=bounced\|sender non-delivery notification' /var/log/panel/mail.log; }
quietly panel email forwarders create full@mia.example small@mia.example
before=$(bounces)
# Dovecot 2.3 answers only for a recipient: there the message is delivered.
case $(dovecot --version) in 2.3*) answer='250 3' ;; *) answer='552 2' ;; esac
is 'nor is what was not announced' "$answer" "$(unannounced small@mia.example) $(has mia small "${answer#* }")"
[ "$answer" = '552 2' ] || mails mia small | tail -1 | xargs rm
number=$(($(count mia small) + 1))
is 'for several at once it is delivered' "250 $number" "$(unannounced small@mia.example info@mia.example) $(has mia small $number)"
is 'full, it is closed, and for submission too' '552 552' "$(deliver someone@out.example small@mia.example) $(send info@max.example info@max.example small@mia.example)"
is 'what was accepted for a forwarder is delivered' "250 $((number + 1))" "$(unannounced full@mia.example) $(has mia small $((number + 1)))"
quietly mailed -f info@mia.example small@mia.example
is 'and what a program sends' $((number + 2)) "$(has mia small $((number + 2)))"
is 'nothing came back to anybody' 0 "$(($(bounces) - before))"
find /home/mia/mail/mia.example/info/Maildir -type f -path '*/new/*' -delete
old() { openssl s_client -connect "127.0.0.1:$1" "${@:2}" -cipher ALL:@SECLEVEL=0 < /dev/null 2> /dev/null | grep -c '^New, TLSv1\(\.1\)\?,'; }
is 'no password travels by an old TLS' '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' "$(for version in -tls1 -tls1_1; do
  for port in 465 993 995 443 7711; do old $port $version; done; old 587 $version -starttls smtp; old 143 $version -starttls imap; old 110 $version -starttls pop3; old 21 $version -starttls ftp; echo 0
done | xargs)"
is 'but by today'"'"'s' '1 1' "$(for port in 465 993; do openssl s_client -connect 127.0.0.1:$port -tls1_2 < /dev/null 2> /dev/null | grep -c '^New, TLSv1.2'; done | xargs)"

for n in 1 2 3; do send slow@mia.example slow@mia.example info@max.example; done > /tmp/sent
is 'a mailbox sends as many as it may' 250250250 "$(cat /tmp/sent)"
is 'and no more' 450 "$(send slow@mia.example slow@mia.example info@max.example)"
is 'others of the account do' 250 "$(send info@mia.example info@mia.example info@max.example)"
quietly panel accounts update mia --max-email-per-hour 1
is 'an account sends no more than it may' 450 "$(send info@mia.example info@mia.example info@max.example)"
is 'nor does its PHP' no "$(eventually grep -q mia /etc/panel/submit/over; page mia.example 'mail.php?to=info@max.example&from=info@mia.example')"
is 'others do' 250 "$(send info@max.example info@max.example info@mia.example)"
systemctl kill -s KILL panel-host; eventually panel host status
is 'what was sent is remembered' 450 "$(sleep 2; send info@mia.example info@mia.example info@max.example)"
quietly panel accounts update mia --max-email-per-hour 100
is 'when it may send more, it does' '250 yes' "$(send info@mia.example info@mia.example info@max.example) $(eventually bash -c '! grep -q mia /etc/panel/submit/over'; page mia.example 'mail.php?to=info@max.example&from=info@mia.example')"

host=$(postconf -h myhostname)
quietly panel settings update --server-contact-email info@mia.example
job server.apply
before=$(count mia info)
is "the server's own name takes mail for postmaster" '250 250 250' "$(deliver someone@out.example "postmaster@$host") $(deliver someone@out.example postmaster) $(deliver someone@out.example "abuse@$host")"
is 'and an unknown recipient is refused' 550 "$(deliver someone@out.example "none@$host")"
echo x | sendmail root
is 'what is sent to root arrives' $((before + 4)) "$(has mia info $((before + 4)))"
is 'and nothing is returned twice' 0 "$(grep -c double-bounce /var/log/panel/mail.log)"
is 'nothing of the server differs' '' "$(panel host diff)"
quietly panel settings update --server-contact-email none
{ sleep 1; printf 'a LOGIN info@mia.example %s\r\nb SELECT INBOX\r\nc IDLE\r\n' "$password"; sleep 60; } | timeout 60 openssl s_client -quiet -connect 127.0.0.1:993 > /tmp/idle 2> /dev/null &
session=$!
eventually grep -q 'b OK' /tmp/idle
quietly panel accounts suspend mia --reason unpaid
is 'suspended: open sessions end' yes "$(for _ in $(seq 100); do grep -q BYE /tmp/idle && echo yes && break; sleep 0.1; done)"
kill $session 2> /dev/null
is 'suspended: no IMAP' 67 "$(curl -s --insecure --max-time 20 imaps://127.0.0.1/INBOX -u "info@mia.example:$password" > /dev/null; echo $?)"
# What was refused would have Dovecot let the next one wait.
systemctl restart dovecot
is 'suspended: no submission' 535 "$(send info@mia.example info@mia.example info@max.example)"
is 'suspended: no program submits' 1 "$(runuser -u mia -- /usr/sbin/sendmail info@max.example <<< marker 2>&1 | grep -c 'not allowed to submit')"
is 'suspended: mail still arrives' 250 "$(deliver someone@out.example info@mia.example)"
quietly panel accounts unsuspend mia
systemctl restart dovecot
is 'unsuspended: it sends again' 250 "$(send info@mia.example info@mia.example info@max.example)"

is "a tenant sees no other's domain and no queue" '' "$(runuser -u mia -- sh -c 'grep -rls max.example /etc/panel /etc/postfix /etc/dovecot /var/lib/panel-host; mailq' 2> /dev/null)"
is 'and reaches no mail socket' '' "$(runuser -u mia -- sh -c 'find /run/dovecot /run/opendkim /var/spool/postfix -type s -writable' 2> /dev/null)"
is 'nothing differs' '' "$(panel host diff --account mia)"
sed -i '/mia.example/d' /etc/panel/mail/maps/aliases
is 'a changed map is shown' 1 "$(panel host diff --account mia | grep -c 'the rows of mia')"
quietly panel host apply --account mia
is 'and mended' '250 ' "$(deliver someone@out.example sales@mia.example) $(panel host diff --account mia)"

quietly panel accounts terminate mia --yes --confirm mia
job account.terminate
is 'terminated: no mail is taken' 554 "$(deliver someone@out.example info@mia.example)"
is "terminated: nothing names it" "" "$(grep -rlsI mia.example /etc/panel /etc/postfix /etc/dovecot; ls -d /etc/panel/mail/*.d/mia 2> /dev/null)"
is 'its neighbour has its mail' 250 "$(deliver someone@out.example info@max.example)"

# The panel's own mail: root hands it to Postfix, with an empty sender.
quietly panel accounts update max --contact-email info@max.example
n=$(count max info)
is 'mail is offered' true "$(panel api getPasswordReset --select available)"
quietly panel api requestPasswordReset --field username=max.example
is 'a link for a forgotten password arrives' $((n + 1)) "$(has max info $((n + 1)))"
link=$(mails max info | tail -1)
is 'with an empty sender' 'Return-Path: <>' "$(grep -m1 -i '^Return-Path' "$link" | tr -d '\r')"
token=$(tr -d '\r' < "$link" | sed -e ':a' -e '/=$/{N;s/=\n//;ba' -e '}' | sed -n 's/.*reset-password?token=3D\([A-Za-z0-9_-]*\).*/\1/p' | head -1)
is 'and sets a new password' 0 "$(printf '{"token":"%s","new_password":"fresh-Sandpiper-1"}' "$token" | panel api completePasswordReset --data - > /dev/null 2>&1; echo $?)"
is 'once' 1 "$(printf '{"token":"%s","new_password":"fresh-Sandpiper-2"}' "$token" | panel api completePasswordReset --data - > /dev/null 2>&1; [ $? != 0 ] && echo 1)"

# A script of the mailbox's own: compiled, it would be read by a process that began as root, whoever made it.
n=$(count max info)
box=/home/max/mail/max.example/info
runuser -u max -- sh -c "cd $box && echo 'discard;' > .dovecot.sieve && sievec .dovecot.sieve && echo 'keep;' > .dovecot.sieve && touch -d '+1 hour' .dovecot.svbin"
is 'a compiled script from a home is never read' "250 $((n + 1))" "$(deliver someone@out.example info@max.example) $(has max info $((n + 1)))"
runuser -u max -- rm -f $box/.dovecot.sieve $box/.dovecot.svbin
