# What was changed by hand is shown, and mended.
. "$(dirname "$0")/../lib.sh"

account drift
is 'nothing differs' '' "$(panel host diff)"
sed -i 's/index index.html/index evil.html/' /etc/panel/nginx/sites/drift.example.conf
is 'a hand-changed virtual host is shown' 1 "$(panel host diff --account drift | grep -c '^-  index evil.html')"
quietly panel host apply --account drift
is 'and mended' '' "$(panel host diff)"
chown daemon /etc/panel/nginx/sites/drift.example.conf; chown daemon /home/drift
is 'owners too are shown' 2 "$(panel host diff --account drift | grep -c 'owner 1:')"
quietly panel host apply --account drift
is 'and mended' 'root drift' "$(stat -c %U /etc/panel/nginx/sites/drift.example.conf) $(stat -c %U /home/drift)"

sed -i 's/^server {/server { #/' /etc/panel/nginx/sites/drift.example.conf
quietly panel host apply --all
is 'all accounts are mended too' '' "$(panel host diff)"

quietly bash -c 'echo Orange-lamp-77 | panel email create info@drift.example --password-stdin'
quietly panel mysql databases create shop -a drift
quietly panel host verify -a drift --output json
log=$(panel jobs logs "$(newest_job host.verify)" 2>&1)
is 'the services answer of the account' '1 1 1 1 1 1' "$(grep -c 'http drift.example: ok' <<< "$log") $(grep -c 'https drift.example: ok' <<< "$log") $(grep -c 'dns drift.example: ok' <<< "$log") $(grep -c 'smtp info@drift.example: ok' <<< "$log") $(grep -c 'imap info@drift.example: ok' <<< "$log") $(grep -c 'sql drift_shop: ok' <<< "$log")"
is 'throw-away log-ins are gone' ' 0' "$(cat /etc/panel/mail/once) $(mariadb -N -e "SELECT count(*) FROM mysql.user WHERE User LIKE 'panel\_probe%'")"
systemctl stop named
refused 'a service that does not answer fails the probes' panel host verify -a drift
is 'and is named' 1 "$(grep -c 'dns drift.example: failed' /tmp/said)"
is 'doctor names it' 1 "$(panel doctor 2>&1 | grep -c 'named.service is inactive')"
systemctl start named
is 'status shows a service and its version' "active $(dpkg-query -W -f '${Version}' nginx-light)" "$(panel host status --select "machine.services[?name=='nginx'] | [0].[state, version] | join(' ', @)")"
is 'and what cannot be enforced, each with its reason' 0 "$(panel host status --select "length(machine.unenforced[?reason==null])")"
