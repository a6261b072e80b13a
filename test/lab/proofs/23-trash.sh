# What a deleted mailbox leaves is its account's: nothing of it becomes root's, it counts, and the address starts empty.
. "$(dirname "$0")/../lib.sh"
as() { runuser -u "$1" -- sh -c "cd; $2"; }
box() { quietly bash -c "printf %s canary-Turnstone-5512 | panel email create $1 --password-stdin"; }
delete() { quietly panel email delete "$1" --yes; job email.account.delete; }
mail=/home/tess/mail/tess.example/info
measured() { quietly panel accounts update tess --max-email-per-hour "$1"; job account.update; panel accounts show tess --select disk_used_mb; }

account tess; account tilda
install -o tilda -g tilda -m 0644 /dev/stdin /home/tilda/apps/secret.txt <<< neighbour
box info@tess.example
# Second names outside of what is deleted: whoever owns the inode would own them.
as tess "cd mail/tess.example/info; ln -s /home x; ln -P x ~/sites/tess.example/public/x; head -c 6000000 /dev/urandom > letter; ln letter ~/letter; chmod 666 letter"
before=$(code tess.example x/tilda/apps/secret.txt)
refused 'a link into another home is not followed' [ "$before" = 200 ]
delete info@tess.example
is 'the deletion has succeeded' 'succeeded' "$(panel jobs list --kind email.account.delete -o json | grep -o '"status": *"[a-z]*"' | head -1 | cut -d'"' -f4)"
is 'the mail is in the trash of its account' 'mail/tess.example/info' "$(panel trash list --account tess -o json | grep -o '"path": *"[^"]*"' | cut -d'"' -f4)"
is 'nothing of it became root'"'"'s' '' "$(find /home/tess -uid 0)"
is 'the link is still not followed' "$before" "$(code tess.example x/tilda/apps/secret.txt)"
is 'and is of its owner' tess "$(stat -c %U /home/tess/sites/tess.example/public/x)"
is 'nginx cannot enter the trash' '700 tess' "$(stat -c '%a %U' /home/tess/.trash)"
box info@tess.example
is 'the same address starts empty' '' "$(ls -A $mail)"
rm /home/tess/letter
is 'what is in the trash counts' yes "$([ "$(measured 21)" -ge 6 ] && echo yes)"
as tess "head -c 6000000 /dev/urandom > mail/tess.example/info/letter"
delete info@tess.example
is 'round by round' yes "$([ "$(measured 22)" -ge 12 ] && echo yes)"
quietly panel trash empty --account tess --yes
job files.empty_trash
is 'until its owner empties it' yes "$([ "$(measured 23)" -lt 6 ] && [ -z "$(ls -A /home/tess/.trash)" ] && echo yes)"

# What an earlier version made root's under its second name in a home is given back, once, by its owner's own copy.
chown -h root:root /home/tess/sites/tess.example/public/x
as tess 'echo shared > a; chmod 666 a; ln a b'; chown root:root /home/tess/a
install -m 0644 /dev/null /home/tess/of-root
is 'a link of root is followed' 200 "$(code tess.example x/tilda/apps/secret.txt)"
rm -f /var/lib/panel-host/reclaimed; systemctl restart panel-host
is 'the next agent gives it back' yes "$(eventually bash -c 'for _ in $(seq 60); do test -e /var/lib/panel-host/reclaimed && exit; sleep 1; done; exit 1' && test -e /var/lib/panel-host/reclaimed && echo yes)"
is 'a link of root is its account'"'"'s, and not followed' "tess $before" "$(stat -c %U /home/tess/sites/tess.example/public/x) $(code tess.example x/tilda/apps/secret.txt)"
is 'so are files with two names, and what root put there stays' 'tess shared tess shared root' \
  "$(stat -c %U /home/tess/a) $(cat /home/tess/a) $(stat -c %U /home/tess/b) $(cat /home/tess/b) $(stat -c %U /home/tess/of-root)"
rm -f /home/tess/of-root

# A home so full that nothing can be moved in it: the address stays reserved until there is room.
if [ "$(stat -f -c %T /home)" = btrfs ]; then
  box info@tess.example
  as tess 'echo letter > mail/tess.example/info/letter'
  btrfs qgroup limit 20M /home/tess
  as tess 'head -c 40000000 /dev/urandom > big' 2> /dev/null; sync
  panel email delete info@tess.example --yes > /dev/null 2>&1; job email.account.delete
  panel email create info@tess.example --password-stdin <<< canary-Turnstone-5512 > /dev/null 2>&1
  is 'what could not be moved is not handed on' yes "$({ [ -s $mail/letter ] && panel email list --account tess | grep -q deleting; } || [ -z "$(ls -A $mail)" ] && echo yes)"
  rm -f /home/tess/big; sync
  panel email delete info@tess.example --yes > /dev/null 2>&1; job email.account.delete
  box info@tess.example
  is 'and with room again the address starts empty' '' "$(ls -A $mail)"
fi
quietly panel accounts terminate tess --yes --confirm tess
job account.terminate
is 'a home in the trash keeps its owner, and root alone gets there' '700 0' "$(stat -c %a /home/.panel-trash) $(find /home/.panel-trash/tess-* -uid 0 | wc -l)"
