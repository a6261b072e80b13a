# The two commands were run before the proofs: what they made of a bare machine, and that they change nothing again.
. "$(dirname "$0")/../lib.sh"

is 'the services run' 'active active active active' "$(systemctl is-active panel panel-host nginx named | xargs)"
is 'and start with the machine' 'enabled enabled enabled enabled' "$(systemctl is-enabled panel panel-host nginx named | xargs)"
is "Debian's own PHP does not run" inactive "$(systemctl is-active "php$(php_version)-fpm")"
is 'no unit has failed' '' "$(failed_units)"
is 'the server has no capability but to listen on its ports' 0000000000000400 "$(awk '/^CapBnd/ { print $2 }' "/proc/$(systemctl show -P MainPID panel)/status")"
exposure=$(systemd-analyze security panel.service --no-pager | grep -oP 'exposure level for panel.service: \K[0-9.]+')
is 'its exposure is 2.0 at most' yes "$(awk -v is="$exposure" 'BEGIN { print (is != "" && is <= 2.0) ? "yes" : is }')"
status() { panel host status --select "machine.services[?name=='$1'] | [0].[unit, state] | join(' ', @)"; }
is 'status says that no account uses PHP, which is not a fault' 'panel-php-*.socket inactive 0' "$(status php) $(panel doctor 2>&1 | grep -c 'panel-php')"
is 'what setup replaced is kept' '' "$(ls /etc/bind/named.conf.options.panel-orig /etc/bind/named.conf.local.panel-orig 2>&1 > /dev/null)"

before=$(find /etc /usr /var/lib/panel-host -xdev -type f -newer /root/deb.stamp -printf '%p %T@ %s\n' | sort)
quietly panel host setup --yes
is 'run again, it says that nothing had to be changed' 'nothing had to be changed' "$(tail -1 $said)"
quietly panel host setup --dry-run
is 'a dry run says so beforehand' 'nothing would be changed; what accounts lack: panel host diff' "$(tail -1 $said)"
is 'a second agent is refused' 'error: Another host agent already serves /.' "$(panel host agent --socket /tmp/second.sock 2>&1)"
is 'and nothing was' "$before" "$(find /etc /usr /var/lib/panel-host -xdev -type f -newer /root/deb.stamp -printf '%p %T@ %s\n' | sort)"

stopped=$(systemctl stop nginx; panel host setup --yes 2>&1 | grep -c '^nginx: done')
is 'a service that was stopped is started again' '1 active' "$stopped $(systemctl is-active nginx)"
echo '// mine' >> /etc/bind/named.conf.local
echo '// mine' >> /etc/bind/named.conf.options
quietly panel host setup --yes
is "an administrator's own lines stay" 2 "$(cat /etc/bind/named.conf.local /etc/bind/named.conf.options | grep -c '^// mine')"
sed -i '/^\/\/ mine/d' /etc/bind/named.conf.local /etc/bind/named.conf.options
quietly panel host setup --yes

mkdir /usr/local/hestia
refused 'it refuses a machine of another panel' panel host setup --yes
is 'by its name' 'error: This machine already hosts with Hestia: panel needs a machine of its own.' "$(head -1 $said)"
rmdir /usr/local/hestia
# Killed at many points, it goes on; then all is as before.
rm -f /var/lib/panel-host/setup.json
for after in 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5; do
  timeout -s KILL "$after" panel host setup --yes > /dev/null 2>&1
done
quietly panel host setup --yes
quietly panel host setup --yes
is 'killed at any moment and run again, it converges' 'nothing had to be changed' "$(tail -1 $said)"
is 'no half-written file is left' '' "$(find /etc /var/lib/panel-host -name '*.panel-new' -o -name '*.new')"
