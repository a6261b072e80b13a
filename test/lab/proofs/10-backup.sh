# Files by their owner alone; backed up, terminated and restored as a new account, the page is back.
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

quietly panel backups create --account back
backup=$(panel backups list --account back -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
where=$(find /var/lib/panel-host/backups -name files.tar.*)
is 'a backup is kept where only root reads' 'root 600' "$(stat -c '%U %a' "$where")"
quietly bash -c "echo changed | panel files write $site/kept.txt --account back"
quietly panel backups restore "$backup" --account back --yes
is 'restored: the page is as it was' kept "$(page back.example kept.txt)"
is "restored: it is its owner's" '' "$(find /home/back -not -uid "$uid")"

quietly panel accounts terminate back --yes --confirm back
job account.terminate
quietly panel backups restore-as "$backup" --username again --domain back.example
job backup.restore
is 'restored as a new account: the page is back' kept "$(page back.example kept.txt)"
is "and it is the new owner's" again "$(stat -c %U /home/again/$site/kept.txt)"
