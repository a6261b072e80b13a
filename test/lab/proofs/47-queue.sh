# The mail queue by account: hold, release, retry and delete, by filter with 100 messages, and never a neighbour's.
. "$(dirname "$0")/../lib.sh"
account queue
account nearby
for name in queue nearby; do quietly bash -c "printf canary-Wheatear-5519 | panel email create info@$name.example --password-stdin"; done
submit() { # submit USER NUMBER: programs of an account write messages that cannot be delivered
  runuser -u "$1" -- bash -c "for n in \$(seq $2); do printf 'Subject: proof\n\nx\n' | /usr/sbin/sendmail -i -f info@$1.example far@unreachable.invalid.; done"
}
# queued COLUMNS OPTION...: a line for each message
queued() { local columns=$1; shift; panel email queue list "$@" --columns "$columns" --no-headers --all; }
waiting() { queued id -a "$1" | grep -c .; }
has() { [ "$(waiting "$1")" -ge "$2" ]; }
postconf -e 'defer_transports = smtp'; postfix reload
is 'queue ids are long' yes "$(postconf -h enable_long_queue_ids)"
submit queue 3
submit nearby 2
is 'each account sees its own' yes "$(eventually has queue 3 && eventually has nearby 2 && echo yes)"
is 'and no more' '3 2' "$(waiting queue) $(waiting nearby)"
first=$(queued id -a queue | head -1)
other=$(queued id -a nearby | head -1)
quietly panel email queue hold "$first"
is 'a message is held' "$first" "$(queued id --held)"
quietly panel email queue release "$first"
is 'and released' '' "$(queued id --held)"
before=$(grep -c "$first: to=" /var/log/panel/mail.log)
postconf -X defer_transports; postfix reload
quietly panel email queue retry "$first"
is 'a retry is an attempt at once' yes "$(eventually bash -c "[ \$(grep -c '$first: to=' /var/log/panel/mail.log) -gt $before ]" && echo yes)"
postconf -e 'defer_transports = smtp'; postfix reload
quietly panel email queue delete "$other" -a queue --yes
is 'a neighbour deletes nothing' 2 "$(waiting nearby)"
begun=$(date +%s%N)
submit queue 100
is 'a hundred messages wait' yes "$(eventually has queue 100 && echo yes)"
echo "# submitted in $(since "$begun")"
begun=$(date +%s%N)
quietly panel email queue delete --sender info@queue.example -a queue --yes
is 'are deleted by a filter' 0 "$(waiting queue)"
echo "# deleted in $(since "$begun")"
is 'and leave a neighbour its own' 2 "$(waiting nearby)"
systemctl restart panel-host
is 'after a restart of the agent it is known whose they are' 2 "$(waiting nearby)"
quietly panel email queue delete --sender info@nearby.example --yes
postconf -X defer_transports; postfix reload
for one in queue nearby; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
