# Last, since it ends the panel: the package is removed and comes back, then it is purged.
. "$(dirname "$0")/../lib.sh"

account stays
put stays who.php <<< '<?php echo posix_getuid();'
uid=$(id -u stays)
quietly apt-get remove -y -q panel
is 'removed: neither service runs' 'inactive inactive' "$(systemctl is-active panel panel-host | xargs)"
is 'removed: the site is served on' "$uid" "$(page stays.example who.php)"
quietly systemctl daemon-reload
quietly systemctl restart $(php_master stays) nginx
is 'also after its services were restarted' "$uid" "$(page stays.example who.php)"
is 'removed: the data stays' panel "$(stat -c %U /var/lib/panel/panel.db)"
quietly apt-get install -y -q /root/panel.deb
quietly panel host setup --yes
is 'installed again: the account is there' stays "$(panel accounts list -o name | grep -x stays)"
is 'and nothing differs' '' "$(panel host diff)"

quietly panel backups create --account stays
refused 'backups stay while the agent keeps them' panel host purge --backups --yes
systemctl stop panel panel-host
refused 'what setup made stays while an account is hosted' panel host purge --setup --yes
cp /var/lib/panel-host/setup.json /root/setup.json
quietly apt-get purge -y -q panel
is 'purged: the data is gone' '' "$(find /var/lib/panel /etc/default/panel 2> /dev/null | xargs)"
is 'purged: only backups stay' backups "$(ls /var/lib/panel-host)"
is 'purged: so do homes' "$uid" "$(stat -c %u /home/stays)"
is 'purged: the site is served on' "$uid" "$(page stays.example who.php)"
is 'purged: no file of the package is left' '' "$(ls -d /usr/lib/panel /usr/bin/panel /usr/lib/systemd/system/panel*.service 2> /dev/null)"
quietly apt-get install -y -q /root/panel.deb
quietly panel host purge --backups --yes
is 'backups go when that is asked for' '' "$(ls -d /var/lib/panel-host/backups 2> /dev/null)"

# Setup is taken back, with what it had noted.
cp /root/setup.json /var/lib/panel-host/setup.json
echo '# mine' >> /etc/postfix/panel-last-headers
quietly panel host purge --setup --yes
is 'taken back: what was changed by hand stays, and is named' 1 "$(grep -c '^/etc/postfix/panel-last-headers: was changed by hand, stays' $said)"
is 'taken back: the packages that may go are named' 1 "$(grep '^packages that setup installed: apt-get purge .*nginx-light' $said | grep -vc openssh-server)"
# The resolver of the lab itself, on 127.0.0.53, is not panel's.
is 'taken back: only sshd listens' '' "$(ss -Hltun | awk '$5 !~ /^127\.0\.0\.53:/ { sub(/.*:/, "", $5); print $5 }' | grep -xE '21|25|53|80|443|465|587|993|2222|3306|7711' | sort -un | xargs)"
is 'taken back: sshd goes on' 'active active' "$(systemctl is-active ssh dbus | xargs)"
is "taken back: Debian's files are as they were" '' "$(dpkg -V bind9 nginx-light openssh-server openssh-sftp-server proftpd-core opendkim libpam-modules mariadb-server | grep -v mine)"
rm /etc/postfix/panel-last-headers
of_accounts=(-name 'panel-php-*-?*.s*' -o -name 'panel-*@?*.socket' -o -name 'panel-site-http*-?*.s*' -o -name 'panel-apache-?*.service' -o -path '*.slice.d*')
is 'taken back: no file of panel is left, but of the accounts that were there' '' "$(find /etc /var/lib/roundcube -name '*panel*' -not \( "${of_accounts[@]}" \) 2> /dev/null | xargs)"
is 'taken back: no user, group or table of panel' '' "$(getent passwd panel-pma panel-webmail; getent group panel-ssh; nft list tables | grep panel)"
quietly panel host purge --setup --yes
is 'taken back: nothing is left to take back' 'nothing was set up' "$(tail -1 $said)"
quietly apt-get purge -y -q panel
