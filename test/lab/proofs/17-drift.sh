# What was changed by hand is shown, and mended.
. "$(dirname "$0")/../lib.sh"

account drift
is 'nothing differs' '' "$(panel host diff)"
php() { panel host status --select "machine.services[?name=='php'] | [0].[unit, state] | join(' ', @)"; }
is 'PHP of all accounts runs' 'panel-php-*.socket active' "$(php)"
sed -i 's/index index.php/index evil.php/' /etc/panel/nginx/sites/drift.example.conf
is 'a hand-changed virtual host is shown' 1 "$(panel host diff --account drift | grep -c '^-  index evil.php')"
quietly panel host apply --account drift
is 'and mended' '' "$(panel host diff)"
chown daemon /etc/panel/nginx/sites/drift.example.conf; chown daemon /home/drift
is 'owners too are shown' 2 "$(panel host diff --account drift | grep -c 'owner 1:')"
quietly panel host apply --account drift
is 'and mended' 'root drift' "$(stat -c %U /etc/panel/nginx/sites/drift.example.conf) $(stat -c %U /home/drift)"
# A link in place of a file is one more difference: it is replaced, not followed, and holds up nothing.
cp /etc/hosts /root/victim
ln -sf /root/victim /etc/panel/nginx/sites/drift.example.conf; systemctl stop $(php_socket drift) $(php_master drift)
is 'a link in place of a virtual host is shown beside all else' "/etc/panel/nginx/sites/drift.example.conf $(php_socket drift)" \
  "$(panel host diff --account drift | sed -n 's/^# \([^ ]*\): \(changed\|missing\),.*/\1/p' | sort | xargs)"
quietly panel host apply --account drift
is 'and replaced' ' regular file active yes' "$(panel host diff) $(stat -c %F /etc/panel/nginx/sites/drift.example.conf) $(systemctl is-active "$(php_socket drift)") $(cmp -s /etc/hosts /root/victim && echo yes)"

# What is more than it should be, or stopped.
usermod -aG sudo drift
systemctl stop $(php_socket drift) $(php_master drift)
is 'status names the PHP that does not run, and so does doctor' "$(php_socket drift) inactive 1" "$(php) $(panel doctor 2>&1 | grep -c "$(php_socket drift) is inactive")"
is 'a foreign group and PHP that was stopped are shown' "sudo $(php_socket drift)" \
  "$(panel host diff --account drift | sed -n 's/.*is in the group \(.*\)/\1/p; s/^# \(panel-php-[^:]*\): missing.*/\1/p' | xargs)"
quietly panel host apply --account drift
is 'and mended' ' active panel-ssh' "$(panel host diff --account drift) $(systemctl is-active "$(php_socket drift)") $(id -Gn drift | cut -d' ' -f2-)"
is 'apply has named them' 2 "$(panel jobs logs "$(newest_job host.apply)" 2>&1 | grep -c "group sudo\|$(php_socket drift): missing")"
systemctl stop panel-cgi@drift.socket
is 'the socket of its CGI that was stopped is shown' '# panel-cgi@drift.socket: missing, is inactive' "$(panel host diff --account drift)"
quietly panel host apply --account drift
is 'and mended' ' active' "$(panel host diff --account drift) $(systemctl is-active panel-cgi@drift.socket)"
# The user of the account, in every way that root could have changed it.
usermod -G '' -s /bin/sh -p '$y$j9T$x' drift
usermod -g daemon drift 2> /dev/null
echo 'drift:100000:65536' >> /etc/subuid
is 'what was changed of its user is shown' 5 "$(panel host diff --account drift | grep -cE ', drift (has (a password|the group 1,|the ids 100000-165535|the shell /bin/sh,)|is not in the group panel-ssh)')"
# usermod takes no ids from a user whose programs run.
nothing_runs() { pkill -KILL -u drift; ! pgrep -u drift; }
eventually nothing_runs
quietly panel host apply --account drift
is 'and mended' ' drift panel-ssh /usr/sbin/nologin !' "$(panel host diff --account drift) $(id -Gn drift) $(getent passwd drift | cut -d: -f7) $(getent shadow drift | cut -d: -f2 | cut -c1)$(grep drift /etc/subuid)"
useradd -o -u "$(id -u drift)" -M toor
is 'another name for it is named' 1 "$(panel host diff --account drift | grep -c 'toor has the uid of drift')"
userdel -f toor > /dev/null 2>&1
is 'accounts have no ids for others' '' "$(grep -h drift /etc/subuid /etc/subgid)"
chmod 755 /home/drift /home /etc/panel/nginx/sites
is 'so are modes of homes and folders' '/etc/panel/nginx/sites/ /home/ /home/drift/' "$(panel host diff | sed -n 's/^# \([^ ]*\): mode.*/\1/p' | sort | xargs)"
quietly panel host apply --all
is 'and mended' '710 711 700' "$(stat -c %a /home/drift /home /etc/panel/nginx/sites | xargs)"
# What would be taken for an account's, and what claims an account's name, is named and stays.
echo 'evil@drift.example:x:0:0::/:/bin/sh' > /etc/panel/ftp/passwd.d/eve
echo 'ssh-ed25519 AAAA' > /etc/panel/ssh/keys/root
echo 'server { listen 80; server_name x.example drift.example; return 204; }' > /etc/nginx/conf.d/a.conf
is 'foreign files are named' '/etc/nginx/conf.d/a.conf /etc/panel/ftp/passwd.d/eve /etc/panel/ssh/keys/root' "$(panel host diff | sed -n 's/^# \([^ ]*\): surplus.*/\1/p' | sort | xargs)"
rm /etc/panel/ftp/passwd.d/eve /etc/panel/ssh/keys/root /etc/nginx/conf.d/a.conf
echo 'server { listen 80; server_name foreign.example; return 204; }' > /etc/panel/nginx/sites/foreign.conf
echo "evil@drift.example:x:0:0::/:/bin/sh" >> /etc/panel/ftp/passwd; chmod 644 /etc/panel/ftp/passwd
chown daemon /etc/panel/ftp/sftp-passwd
echo 'foreign.example x' >> /etc/panel/mail/maps/domains
nft delete table inet panel_smtp
is 'so is what belongs to no account' '/etc/panel/ftp/passwd /etc/panel/ftp/sftp-passwd /etc/panel/mail/maps/domains /etc/panel/nginx/sites/foreign.conf nftables:panel_smtp' \
  "$(panel host diff | sed -n 's/^# \([^ ]*\): \(changed\|surplus\|missing\),.*/\1/p' | sort | xargs)"
quietly panel host apply --all
is 'and mended' '' "$(panel host diff)"
is 'each is named' 5 "$(panel jobs logs "$(newest_job host.apply)" 2>&1 | grep -c 'foreign.conf: surplus\|ftp/passwd: changed\|ftp/sftp-passwd: changed\|maps/domains: changed\|panel_smtp: missing')"
is 'a foreign site is set aside' 1 "$(find /etc/panel/nginx/sites/foreign.conf.refused | wc -l)"
mv /etc/panel/nginx/sites/foreign.conf.refused /etc/panel/nginx/sites/foreign.conf
quietly panel settings update --webmail-hostname mail.host.example
jobs_end
is 'what the server does by itself takes no site away' /etc/panel/nginx/sites/foreign.conf "$(ls /etc/panel/nginx/sites/foreign.conf*)"
rm /etc/panel/nginx/sites/foreign.conf
quietly panel settings update --webmail-hostname none
jobs_end
cp /etc/postfix/main.cf /root/main.cf
echo 'mynetworks = 0.0.0.0/0' >> /etc/postfix/main.cf
systemctl stop proftpd
is 'what setup has written is shown as a diff, and what it started as stopped' '1 1' \
  "$(panel host diff | grep -c '^-mynetworks = 0.0.0.0/0') $(panel host diff | grep -c 'proftpd.service: missing, is inactive, for panel host setup')"
quietly panel host setup --yes
is 'setup leaves it, and says so' 1 "$(grep -c 'main.cf was changed by hand and stays' $said)"
cp /root/main.cf /etc/postfix/main.cf
quietly panel host setup --yes
is 'nothing differs any more' '' "$(panel host diff)"

sed -i 's/^server {/server { #/' /etc/panel/nginx/sites/drift.example.conf
quietly panel host apply --all
is 'all accounts are mended too' '' "$(panel host diff)"

quietly bash -c 'echo Orange-lamp-77 | panel email create info@drift.example --password-stdin'
quietly panel mysql databases create shop -a drift
quietly bash -c 'echo Orange-lamp-77 | panel ftp create web@drift.example --password-stdin'
quietly panel host verify -a drift --output json
log=$(panel jobs logs "$(newest_job host.verify)" 2>&1)
is 'the services answer of the account' 'dns drift.example ftp drift http drift.example https drift.example imap info@drift.example smtp info@drift.example sql drift_shop' \
  "$(grep -oE '\b(https?|dns|smtp|imap|sql|ftp) [^ :]+: ok' <<< "$log" | sed 's/: ok//' | sort | xargs)"
is 'throw-away log-ins are gone' ' 0' "$(cat /etc/panel/mail/once) $(mariadb -N -e "SELECT count(*) FROM mysql.user WHERE User LIKE 'panel\_probe%'")"
systemctl stop named
refused 'a service that does not answer fails the probes' panel host verify -a drift
is 'and is named' 1 "$(grep -c 'dns drift.example: failed' $said)"
is 'doctor names it' 1 "$(panel doctor 2>&1 | grep -c 'named.service is inactive')"
systemctl start named
is 'status shows a service and its version' "active $(dpkg-query -W -f '${Version}' nginx-light)" "$(panel host status --select "machine.services[?name=='nginx'] | [0].[state, version] | join(' ', @)")"
is 'and what cannot be enforced, each with its reason' 0 "$(panel host status --select "length(machine.unenforced[?reason==null])")"

# Doctor asks the daemons' own checkers: what they refuse would keep them down after the next boot.
is 'doctor finds no configuration refused' 0 "$(panel doctor 2>&1 | grep -c 'would not start with its configuration')"
broken() { # broken FILE TEXT WHAT-DOCTOR-NAMES
  [ -e "$1" ] && cp -p "$1" /root/kept; echo "$2" >> "$1"
  sleep 1; panel doctor > $said 2>&1; local code=$?
  for _ in 1 2 3 4 5 6 7 8; do grep -q "$3" $said && break; sleep 2; panel doctor > $said 2>&1; code=$?; done
  if [ -e /root/kept ]; then mv /root/kept "$1"; else rm "$1"; fi
  echo "$code $(grep -c "$3" $said)"
}
is 'a broken file of nginx is named, with its line' '1 1' "$(broken /etc/nginx/conf.d/zz.conf 'nonsense on;' '/etc/nginx/conf.d/zz.conf:1')"
is 'one of Postfix' '1 1' "$(broken /etc/postfix/main.cf 'nonsense' '/etc/postfix/main.cf, line')"
is 'one of Dovecot' '1 1' "$(broken /etc/dovecot/dovecot.conf 'nonsense = yes' '/etc/dovecot/dovecot.conf')"
is 'one of BIND' '1 1' "$(broken /etc/bind/named.conf 'nonsense;' '/etc/bind/named.conf:')"
is 'one of ProFTPD' '1 1' "$(broken /etc/proftpd/proftpd.conf 'Nonsense on' '/etc/proftpd/proftpd.conf')"
is 'one of PHP-FPM' '1 1' "$(broken "$(ls /etc/panel/php/*-drift.conf | head -1)" 'nonsense = on' '/etc/panel/php/.*drift.conf:')"
is 'corrected, none is named' 0 "$(sleep 3; panel doctor > /dev/null 2>&1; sleep 3; panel doctor 2>&1 | grep -c 'would not start with its configuration')"
