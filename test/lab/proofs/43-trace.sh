# What became of messages, by account, from the log of the machine's own Postfix, also over a kill of the agent.
. "$(dirname "$0")/../lib.sh"
account trace
account beside
for name in trace beside; do quietly bash -c "printf canary-Wheatear-5519 | panel email create info@$name.example --password-stdin"; done
quietly panel email forwarders create away@trace.example far@unreachable.invalid
quietly panel email forwarders create drop@trace.example discard
quietly panel email spam set-filter true --score 5 -a trace
quietly panel email spam set-box true -a trace
deliver() { # deliver TO [FROM [SUBJECT]]: a message from outside
  printf 'From: me@out.example\r\nTo: x\r\nSubject: %s\r\nMessage-ID: <%s@out.example>\r\nDate: %s\r\n\r\nHello there.\r\n' "${3:-proof}" "$RANDOM$RANDOM" "$(date -R)" > $mail
  curl -s -o /dev/null -w '%{response_code}' --max-time 60 smtp://127.0.0.1:25/out.example --mail-from "${2:-me@out.example}" --mail-rcpt "$1" -T $mail
}
# traced ACCOUNT WORD...: outcomes, the newest first
traced() { panel email trace -a "$1" --columns outcome --no-headers "${@:2}" | xargs; }
shows() { [ "$(traced "${@:2}")" = "$1" ]; }
is 'mail from outside is taken' 250 "$(deliver info@trace.example)"
begun=$(date +%s%N)
is 'a delivered message is found' yes "$(eventually shows delivered trace me@out.example && echo yes)"
echo "# found after $(since "$begun")"
is 'with its mailbox' info@trace.example "$(panel email trace -a trace --columns mailbox --no-headers)"
deliver nobody@trace.example > /dev/null
is 'a rejected one too' yes "$(eventually shows rejected trace --address nobody@ && echo yes)"
deliver drop@trace.example > /dev/null
is 'a discarded one too' yes "$(eventually shows discarded trace --address drop@ && echo yes)"
postconf -e 'defer_transports = smtp'; postfix reload
deliver away@trace.example > /dev/null
is 'a deferred one too' yes "$(eventually shows deferred trace --address away@ && echo yes)"
id=$(panel email trace -a trace --address away@ --columns queue_id --no-headers)
is 'the queue says how often it was tried' 1 "$(panel email queue list -a trace --columns attempts --no-headers | head -1)"
quietly panel email queue delete "$id" -a trace --yes
is 'deleted from the queue it is discarded' yes "$(eventually shows discarded trace --address away@ && echo yes)"
postconf -X defer_transports; postfix reload
runuser -u trace -- bash -c "printf 'Subject: proof\n\nx\n' | /usr/sbin/sendmail -i -f info@trace.example far@unreachable.invalid"
is 'one that has not gone out too' yes "$(eventually shows deferred trace --direction out && echo yes)"
runuser -u trace -- bash -c "printf 'Subject: proof\n\nx\n' | /usr/sbin/sendmail -i -f info@trace.example info@beside.example"
is 'each side sees a message between two' 'yes out in' "$(eventually shows delivered beside --direction in && echo yes) $(panel email trace info@beside -a trace --columns direction --no-headers) $(panel email trace info@trace -a beside --columns direction --no-headers)"
if systemctl is-active -q rspamd; then
  echo '"PROOF_TEN" { re = '"'Subject=/proof-ten/H'"'; score = 20.0; }' > /etc/rspamd/local.d/regexp.conf
  quietly systemctl restart rspamd
  eventually test -S /run/rspamd/milter.sock
  deliver info@trace.example spam@out.example proof-ten > /dev/null
  is 'spam in Junk is called so, with its score' yes "$(eventually shows spam trace spam@out && [ "$(panel email trace spam@out -a trace --columns spam_score --no-headers | cut -d. -f1)" -ge 10 ] && echo yes)"
  rm /etc/rspamd/local.d/regexp.conf; systemctl restart rspamd
else
  echo '# SKIPPED: no rspamd, which needs 2 GB of memory'
fi
# An address, a greeting and an envelope that look like lines about the neighbour.
before=$(panel email trace -a beside --columns at --no-headers | grep -c .)
talk() { (trap '' PIPE; exec 3<> /dev/tcp/127.0.0.1/25; sleep 0.5; for line; do printf '%s\r\n' "$line" >&3; sleep 0.3; done; timeout 1 cat <&3) > /dev/null 2>&1 || true; }
talk 'EHLO x; from=<a@b.c> to=<info@beside.example> proto=ESMTP helo=<y' 'MAIL FROM:<me@out.example>' 'RCPT TO:<no@trace.example>' QUIT
talk 'EHLO x' 'MAIL FROM:<"a> to=<info@beside.example"@out.example>' 'RCPT TO:<">: ; from=<a@b.c> to=<info@beside.example> proto=ESMTP helo=<y"@trace.example>' QUIT
talk 'EHLO x' 'MAIL FROM:<me@out.example>' 'RCPT TO:<"a\nNov 28 06:00:00 host postfix/lmtp[1]: 4jc1FB5mBkz2S5Z3: to=<info@beside.example>"@trace.example>' QUIT
is 'two of them were refused' yes "$(eventually bash -c '[ "$(panel email trace -a trace --direction in --columns outcome --no-headers | grep -c rejected)" -ge 3 ]' && echo yes)"
is 'and none is a row of the neighbour' "$before" "$(panel email trace -a beside --columns at --no-headers | grep -c .)"
# A kill in the middle of a hundred.
rows() { panel email trace -a trace --address info@ --with many@ --limit 500 --columns at --no-headers | grep -c .; }
for n in $(seq 100); do deliver info@trace.example many@out.example > /dev/null; [ "$n" = 50 ] && systemctl kill -s KILL panel-host; done
has_all() { [ "$(rows)" = 100 ]; }
is 'kill -9 of the agent loses and repeats no row' 100 "$(eventually has_all; rows)"
is 'only root reads the file' 600 "$(stat -c %a /var/lib/panel-host/mail-trace.db)"
is 'programs of accounts write no log' no "$(runuser -u trace -- /usr/sbin/postlog -t postfix/smtp 'x' > /dev/null 2>&1; grep -q 'postfix/smtp: x' /var/log/panel/mail.log || echo no)"
for one in trace beside; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
