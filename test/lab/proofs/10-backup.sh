# Files by their owner alone; backed up, terminated and restored as a new account: page, mail and rows are back.
. "$(dirname "$0")/../lib.sh"

account back
uid=$(id -u back)
site=sites/back.example/public
quietly bash -c "echo kept | panel files write $site/kept.txt --account back"
is 'a file is written as its owner' "$uid $uid 644 kept" "$(stat -c '%u %g %a' /home/back/$site/kept.txt) $(page back.example kept.txt)"
is 'and read' kept "$(panel files read $site/kept.txt --account back)"
echo secret > /root/secret; ln -s /root/secret /home/back/$site/secret; ln -s /root /home/back/$site/dir
chown -h back:back /home/back/$site/secret /home/back/$site/dir
refused 'a link is not read' panel files read $site/secret --account back
refused 'nor gone through' panel files read $site/dir/secret --account back
rm /home/back/$site/dir
quietly panel files delete $site/secret --account back
is 'what is deleted is in the trash of its owner' "$uid" "$(stat -c %u /home/back/.trash)"
is 'a log is read' 200 "$(eventually test -s /var/log/panel/back/back.example.access.log; panel logs tail back.example --account back | grep -o ' 200 ' | head -1 | tr -d ' ')"


export MYSQL_PWD=canary-Sandpiper-6631
sql() { mariadb --no-defaults --batch --skip-column-names -u "$1" "$2" -e "$3" 2>&1; }
imap() { curl -s --insecure --max-time 20 "imaps://127.0.0.1/$2" -u "$1:$MYSQL_PWD"; }
mails() { imap info@back.example 'INBOX;MAILINDEX=1' | grep -c marker; }
quietly bash -c "printf %s '$MYSQL_PWD' | panel email create info@back.example --password-stdin"
printf 'From: me@out.example\r\nTo: info@back.example\r\nSubject: proof\r\n\r\nmarker\r\n' > $mail
quietly curl -s smtp://127.0.0.1:25/out.example --mail-from me@out.example --mail-rcpt info@back.example -T $mail
is 'a mail is read' 1 "$(eventually bash -c "find /home/back/mail -type f -path '*/new/*' | grep -q ." && mails)"
quietly panel mysql databases create shop -a back
quietly bash -c "printf %s '$MYSQL_PWD' | panel mysql users create app -a back --password-stdin"
quietly panel mysql grant back_shop back_app
is 'rows are written' '' "$(sql back_app back_shop 'CREATE TABLE t (a int, b blob); INSERT INTO t VALUES (1, 0x00FF); CREATE VIEW v AS SELECT a FROM t; CREATE PROCEDURE p() SELECT CURRENT_USER(); CREATE TABLE log (a text); CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (CURRENT_USER())')"
rows() { sql "$1" "$2" 'SELECT a, HEX(b) FROM t; SELECT a FROM v; CALL p()' | xargs; }

quietly panel backups create --account back
backup=$(panel backups list --account back -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
where=$(find /var/lib/panel-host/backups -path "*/$backup/files.tar.*")
is 'a backup is kept where only root reads' 'root 600' "$(stat -c '%U %a' "$where")"
is 'with a dump of the database' 1 "$(find "$(dirname "$where")/db" -name 'back_shop.sql.*' -user root -perm 600 | wc -l)"
quietly bash -c "echo changed | panel files write $site/kept.txt --account back"
sql back_app back_shop 'DELETE FROM t; DROP VIEW v; CREATE TABLE since (a int)'
quietly panel backups restore "$backup" --account back --yes
is 'restored: the page is as it was' kept "$(page back.example kept.txt)"
is "restored: it is its owner's" '' "$(find /home/back -not -uid "$uid")"
is 'restored: the rows are as they were, and what runs is as its user' '1 00FF 1 back_app@localhost' "$(rows back_app back_shop)"
is 'restored: a trigger acts as its user' back_app@localhost "$(sql back_app back_shop 'INSERT INTO t VALUES (2, NULL); SELECT a FROM log')"
is 'restored: what came since is gone' 0 "$(sql back_app back_shop 'SHOW TABLES' | grep -c since)"
is 'nothing is left of the restore' '' "$(mariadb -BNe "SHOW DATABASES LIKE 'panel%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'panel\_restore%'")$(find /var/lib/panel-host/restores -name '*.sql*')"

# Trials are due three hours after backups; the server looks each minute.
hour=$(date -u +%-H)
quietly panel backups create --account back
newest=$(panel backups list --account back -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
panel settings update --backup-hour $(((hour + 21) % 24)) > /dev/null 2>&1
# How many trials have restored the account's dump.
tried() {
  panel jobs list --kind backup.trial --columns id --no-headers --all | while read -r id; do
    panel jobs logs "$id" 2>&1 | grep -c 'restored for trial:.*db/back_shop'
  done | grep -c 1
}
for _ in $(seq 60); do [ "$(tried)" = 3 ] && break; sleep 1; done
jobs_end
panel settings update --backup-hour 2 > /dev/null 2>&1
is 'a trial at night restores what was saved' 'complete complete' "$(for one in $newest $backup; do panel backups show "$one" --account back -o json | grep -o '"status": *"complete"' | head -1 | cut -d'"' -f4; done | xargs)"
is 'all were tried, the safety backup too, with their dumps' 3 "$(tried)"
is 'and nothing is left of it' '' "$(ls -A /var/lib/panel-host/trials 2>/dev/null)$(mariadb -BNe "SHOW DATABASES LIKE 'panel%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'panel\_restore%'")"

quietly panel accounts terminate back --yes --confirm back
job account.terminate
is 'terminated: no database and no user' '' "$(mariadb -BNe "SHOW DATABASES LIKE 'back%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'back%'")"
quietly panel backups restore-as "$backup" --username again --domain back.example
job backup.restore
is 'restored as a new account: the page is back' kept "$(page back.example kept.txt)"
is "and it is the new owner's" again "$(stat -c %U /home/again/$site/kept.txt)"
is 'the mail is read with the password of before' 1 "$(mails)"
is 'the rows are read with the password of before, by the names of the new account' '1 00FF 1 again_app@localhost' "$(rows again_app again_shop)"

# An account over half of its quota: until what is replaced is removed its home has both, and the quota is raised so long.
if [ "$(stat -f -c %T /home)" = btrfs ]; then
  as() { runuser -u "$1" -- sh -c "cd; $2"; }
  quietly panel packages create tight --disk-quota-mb 60
  account full --package tight
  as full 'head -c 40000000 /dev/urandom > sites/big; mkdir -p mail/box; echo letter > mail/box/letter'; sync
  before=$(sha256sum < /home/full/sites/big)
  quietly panel backups create --account full
  backup=$(panel backups list --account full -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
  as full 'head -c 40000000 /dev/urandom > sites/big; echo lost > mail/box/letter'; sync
  quietly panel backups restore "$backup" --account full --yes --no-safety
  is 'over half of its quota, an account restores its own backup in place' "$before letter" "$(sha256sum < /home/full/sites/big) $(cat /home/full/mail/box/letter)"
  is 'nothing of it is left, and the quota is as before' "$((60 * 1024 * 1024))" "$(ls -d /home/full/restore-* /var/lib/panel-host/raised-quotas/* 2> /dev/null)$(btrfs qgroup show -rf --raw /home/full | awk '/^0\// { print $4 }')"
  as full 'head -c 40000000 /dev/urandom > more' 2> /dev/null
  is 'which still ends what it writes' yes "$([ "$(stat -c %s /home/full/more)" -lt 24000000 ] && echo yes)"
  rm -f /home/full/more; sync
  refused 'beside what is there it does not fit' panel backups restore "$backup" --account full --yes --no-safety --paths sites --to again
  is 'and leaves nothing' "$before" "$(ls -d /home/full/restore-* /home/full/again 2> /dev/null)$(sha256sum < /home/full/sites/big)"
  quietly panel accounts terminate full --yes --confirm full
  job account.terminate
  quietly panel packages delete tight --yes
fi
