# kill -9 of the agent and of the server in the middle of each change, and what a daemon refuses.
. "$(dirname "$0")/../lib.sh"

echo 'broken {' > /etc/panel/nginx/sites/zz.conf
account carol
is "a site that nginx refuses does not hold up another's" 200 "$(code carol.example)"
is 'it is set aside' /etc/panel/nginx/sites/zz.conf.refused "$(ls /etc/panel/nginx/sites/zz.conf*)"
is 'and named' yes "$(journalctl -u panel-host --no-pager | grep -q 'zz.conf was set aside' && echo yes)"
rm /etc/panel/nginx/sites/zz.conf.refused
echo 'broken {' >> /etc/panel/nginx/sites/carol.example.conf
account conrad
is "the same of another account's site" 200 "$(code conrad.example)"
is 'it is shown as missing' 1 "$(panel host diff --account carol | grep -c '^+++ /etc/panel/nginx/sites/carol.example.conf')"
quietly panel host apply --account carol
is 'and mended' '' "$(panel host diff --account carol)"
rm -f /etc/panel/nginx/sites/*.refused

echo 'broken {' > /etc/nginx/conf.d/zz.conf
panel accounts create cecil --domain cecil.example > /dev/null 2>&1
is 'what is refused for a file of the machine is taken back as a whole' '' "$(ls -d /home/cecil 2> /dev/null)$(getent passwd cecil)"
rm /etc/nginx/conf.d/zz.conf

account cloe
runuser -u cloe -- sleep 982 &
systemctl stop nginx
panel accounts suspend cloe --reason unpaid --no-wait > /dev/null 2>&1
is 'a daemon that is down keeps nothing of a suspended account running' yes "$(eventually bash -c '! pgrep -f "^sleep 98[2]"' && echo yes)"
systemctl start nginx
jobs_end
is 'and its site is closed once that is up' 503 "$(code cloe.example)"

# Kills a service so many seconds after a change has begun, and waits until all is done: killed SERVICE AFTER COMMAND...
killed() {
  local service=$1 after=$2; shift 2
  "$@" > /dev/null 2>&1 &
  sleep "$after"
  systemctl kill -s KILL "$service"
  # What was not acknowledged is asked for again.
  wait $! || { eventually panel whoami; "$@" > /dev/null 2>&1; }
  eventually panel whoami
  jobs_end || { echo "FAILED $*: its job does not end"; failed=1; }
}

is_same() { [ -z "$(panel host diff)" ]; }
while read -r n service after <&3; do
  killed $service $after panel accounts create "$n" --domain "$n.example"
  is "created, $service killed after $after s: served" 200 "$(code "$n.example")"
  killed $service $after panel accounts suspend "$n" --reason unpaid
  is "suspended, $service killed after $after s: 503, no PHP" '503 0' "$(code "$n.example") $(php_active "$n")"
  killed $service $after panel accounts unsuspend "$n"
  is "unsuspended, $service killed after $after s: served" 200 "$(code "$n.example")"
  killed $service $after panel accounts update "$n" --username "x$n"
  is "renamed, $service killed after $after s: served" "200 x$n" "$(code "$n.example") $(stat -c %U "/home/x$n")"
  # Apps that ran on were asked whether they are healthy, and those that did not are started.
  eventually is_same
  is 'nothing differs' '' "$(panel host diff)"
  killed $service $after panel accounts terminate "x$n" --yes --confirm "x$n"
  is "terminated, $service killed after $after s: gone" '' "$(getent passwd "$n" "x$n"; ls -d "/home/$n" "/home/x$n" 2> /dev/null; ls /etc/panel/nginx/sites | grep "$n")"
done 3<<< $'killa panel-host 0.15\nkillb panel-host 0.5\nkillc panel 0.3'
is 'no half-written file is left' '' "$(find /etc /var/lib/panel-host /home -xdev -name '*.panel-new' 2> /dev/null)"
is 'no unit has failed' '' "$(failed_units)"

# A process that hangs is ended by systemd, which no longer hears that it lives.
for unit in panel panel-host; do
  install -D -m 0644 /dev/stdin "/run/systemd/system/$unit.service.d/watchdog.conf" <<< $'[Service]\nWatchdogSec=3'
done
systemctl daemon-reload
systemctl restart panel-host panel
hung=$(systemctl show -P MainPID panel panel-host | xargs)
kill -STOP $hung
revived() { [ "$(systemctl show -P NRestarts panel panel-host | xargs)" = '1 1' ] && panel whoami; }
is 'a server and an agent that hang are started again' yes "$(eventually revived && echo yes)"
rm -r /run/systemd/system/panel.service.d /run/systemd/system/panel-host.service.d
systemctl daemon-reload
systemctl restart panel-host panel
