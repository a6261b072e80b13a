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

# Where the file system has quotas, a full one does not keep a mailbox.
if [ "$(stat -f -c %T /home)" = btrfs ]; then
  box info@tess.example
  as tess 'echo letter > mail/tess.example/info/letter; mkdir -p -m 0700 .trash'
  btrfs qgroup limit 20M /home/tess
  as tess 'head -c 40000000 /dev/urandom > big' 2> /dev/null; sync
  refused 'the home is full' as tess 'head -c 1000000 /dev/urandom > more && sync more'
  delete info@tess.example
  is 'a full home keeps no mailbox' 'succeeded' "$(panel jobs list --kind email.account.delete -o json | grep -o '"status": *"[a-z]*"' | head -1 | cut -d'"' -f4)"
  rm -f /home/tess/big /home/tess/more; sync
  box info@tess.example
  is 'and the same address starts empty' '' "$(ls -A $mail)"
fi
quietly panel accounts terminate tess --yes --confirm tess
job account.terminate
is 'a home in the trash keeps its owner, and root alone gets there' '700 0' "$(stat -c %a /home/.panel-trash) $(find /home/.panel-trash/tess-* -uid 0 | wc -l)"
