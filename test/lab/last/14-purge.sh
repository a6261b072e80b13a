# Last, since it ends the panel: the package is removed and comes back, then it is purged.
. "$(dirname "$0")/../lib.sh"

account stays
put stays who.php <<< '<?php echo posix_getuid();'
uid=$(id -u stays)
quietly apt-get remove -y -q panel
is 'removed: neither service runs' 'inactive inactive' "$(systemctl is-active panel panel-host | xargs)"
is 'removed: the site is served on' "$uid" "$(page stays.example who.php)"
quietly systemctl daemon-reload
quietly systemctl restart panel-php@stays nginx
is 'also after its services were restarted' "$uid" "$(page stays.example who.php)"
is 'removed: the data stays' panel "$(stat -c %U /var/lib/panel/panel.db)"
quietly apt-get install -y -q /root/panel.deb
quietly panel host setup --yes
is 'installed again: the account is there' stays "$(panel accounts list -o name | grep -x stays)"
is 'and nothing differs' '' "$(panel host diff)"

quietly panel backups create --account stays
refused 'backups stay while the agent keeps them' panel host purge --backups --yes
systemctl stop panel panel-host
quietly apt-get purge -y -q panel
is 'purged: the data is gone' '' "$(ls -d /var/lib/panel /etc/default/panel 2> /dev/null)"
is 'purged: only backups stay' backups "$(ls /var/lib/panel-host)"
is 'purged: so do homes' "$uid" "$(stat -c %u /home/stays)"
is 'purged: the site is served on' "$uid" "$(page stays.example who.php)"
is 'purged: no file of the package is left' '' "$(ls -d /usr/lib/panel /usr/bin/panel /usr/lib/systemd/system/panel*.service 2> /dev/null)"
quietly apt-get install -y -q /root/panel.deb
quietly panel host purge --backups --yes
is 'backups go when that is asked for' '' "$(ls -d /var/lib/panel-host/backups 2> /dev/null)"
