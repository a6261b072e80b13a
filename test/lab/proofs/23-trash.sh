# What a deleted mailbox leaves is its account's: nothing of it becomes root's, it counts, and the address starts empty.
. "$(dirname "$0")/../lib.sh"
as() { runuser -u "$1" -- sh -c "cd; $2"; }
box() { quietly bash -c "printf %s canary-Turnstone-5512 | panel email create $1 --password-stdin"; }
delete() { quietly panel email delete "$1" --yes; job email.account.delete; }
mail=/home/thea/mail/thea.example/info
measured() { quietly panel accounts update thea --max-email-per-hour "$1"; job account.update; panel accounts show thea --select disk_used_mb; }

account thea; account tilo
install -o tilo -g tilo -m 0644 /dev/stdin /home/tilo/apps/secret.txt <<< neighbour
box info@thea.example
# Second names outside of what is deleted: the owner of the inode would own them.
as thea "cd mail/thea.example/info; ln -s /home x; ln -P x ~/sites/thea.example/public/x; head -c 6000000 /dev/urandom > letter; ln letter ~/letter; chmod 666 letter"
before=$(code thea.example x/tilo/apps/secret.txt)
refused 'a link into another home is not followed' [ "$before" = 200 ]
delete info@thea.example
is 'the deletion has succeeded' 'succeeded' "$(panel jobs list --kind email.account.delete -o json | grep -o '"status": *"[a-z]*"' | head -1 | cut -d'"' -f4)"
is 'the mail is in the trash of its account' 'mail/thea.example/info' "$(panel trash list --account thea -o json | grep -o '"path": *"[^"]*"' | cut -d'"' -f4)"
is 'nothing of it became root'"'"'s' '' "$(find /home/thea -uid 0)"
is 'the link is still not followed' "$before" "$(code thea.example x/tilo/apps/secret.txt)"
is 'and is of its owner' thea "$(stat -c %U /home/thea/sites/thea.example/public/x)"
is 'nginx cannot enter the trash' '700 thea' "$(stat -c '%a %U' /home/thea/.trash)"
box info@thea.example
is 'the same address starts empty' '' "$(ls -A $mail)"
rm /home/thea/letter
is 'what is in the trash counts' yes "$([ "$(measured 21)" -ge 6 ] && echo yes)"
as thea "head -c 6000000 /dev/urandom > mail/thea.example/info/letter"
delete info@thea.example
is 'round by round' yes "$([ "$(measured 22)" -ge 12 ] && echo yes)"
quietly panel trash empty --account thea --yes
job files.empty_trash
is 'until its owner empties it' yes "$([ "$(measured 23)" -lt 6 ] && [ -z "$(ls -A /home/thea/.trash)" ] && echo yes)"

# What an earlier version made root's under its second name in a home is given back, once, by its owner's own copy.
chown -h root:root /home/thea/sites/thea.example/public/x
as thea 'echo shared > a; chmod 666 a; ln a b'; chown root:root /home/thea/a
install -m 0644 /dev/null /home/thea/of-root
is 'a link of root is followed' 200 "$(code thea.example x/tilo/apps/secret.txt)"
rm -f /var/lib/panel-host/reclaimed; systemctl restart panel-host
is 'the next agent gives it back' yes "$(eventually bash -c 'for _ in $(seq 60); do test -e /var/lib/panel-host/reclaimed && exit; sleep 1; done; exit 1' && test -e /var/lib/panel-host/reclaimed && echo yes)"
is 'a link of root is its account'"'"'s, and not followed' "thea $before" "$(stat -c %U /home/thea/sites/thea.example/public/x) $(code thea.example x/tilo/apps/secret.txt)"
is 'so are files with two names, and what root put there stays' 'thea shared thea shared root' \
  "$(stat -c %U /home/thea/a) $(cat /home/thea/a) $(stat -c %U /home/thea/b) $(cat /home/thea/b) $(stat -c %U /home/thea/of-root)"
rm -f /home/thea/of-root

# A home so full that nothing can be moved in it: the address stays reserved until there is room.
if [ "$(stat -f -c %T /home)" = btrfs ]; then
  box info@thea.example
  as thea 'echo letter > mail/thea.example/info/letter'
  btrfs qgroup limit 20M /home/thea
  as thea 'head -c 40000000 /dev/urandom > big' 2> /dev/null; sync
  panel email delete info@thea.example --yes > /dev/null 2>&1; job email.account.delete
  panel email create info@thea.example --password-stdin <<< canary-Turnstone-5512 > /dev/null 2>&1
  is 'what could not be moved is not handed on' yes "$({ [ -s $mail/letter ] && panel email list --account thea | grep -q deleting; } || [ -z "$(ls -A $mail)" ] && echo yes)"
  rm -f /home/thea/big; sync
  panel email delete info@thea.example --yes > /dev/null 2>&1; job email.account.delete
  box info@thea.example
  is 'and with room again the address starts empty' '' "$(ls -A $mail)"
fi
quietly panel accounts terminate thea --yes --confirm thea
job account.terminate
is 'a home in the trash keeps its owner, and root alone gets there' '700 0' "$(stat -c %a /home/.panel-trash) $(find /home/.panel-trash/thea-* -uid 0 | wc -l)"
