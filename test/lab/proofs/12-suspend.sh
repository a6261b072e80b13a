# Suspended: a 503 page and nothing that runs. Unsuspended: all is back. Terminated: nothing is left.
. "$(dirname "$0")/../lib.sh"

account sue --shell /bin/bash
account nell
put sue who.php <<< '<?php echo posix_getuid();'
uid=$(id -u sue)
is 'PHP answers' "$uid" "$(page sue.example who.php)"

mkdir -p /root/sue && echo "require('node:http').createServer((q, a) => a.end('up')).listen(process.env.PORT)" > /root/sue/app.js
tar -C /root/sue -czf /root/sue.tar.gz .
quietly panel domains create sueapp.example -a sue
quietly panel apps create shop -a sue --kind node --start 'node app.js'
quietly panel domains update sueapp.example --handler app --app shop
quietly panel apps deploy shop -a sue --archive /root/sue.tar.gz
is 'an app serves' up "$(page sueapp.example)"
app=$(panel apps show shop -a sue --select id)

put sue stay.php <<< '<?php shell_exec("nohup sh -c \"trap : TERM HUP; while :; do sleep 979; done\" > /dev/null 2>&1 &"); echo "begun";'
is 'a program that PHP has started, and that ignores its end, runs' 'begun 1' "$(page sue.example stay.php) $(eventually pgrep -f '^sleep 97[9]' && echo 1)"
begun=$(date +%s%N)
quietly panel accounts suspend sue --reason unpaid
is 'suspended: it has ended, and was not waited for' ' yes' "$(pgrep -f 'sleep 97[9]') $([ $((($(date +%s%N) - begun) / 1000000)) -lt 30000 ] && echo yes)"
is 'suspended: 503' 503 "$(code sue.example)"
is 'suspended: no PHP, no CGI' '0 inactive' "$(php_active sue) $(systemctl is-active panel-cgi@sue.socket)"
is 'suspended: expired' 1 "$(getent shadow sue | cut -d: -f8)"
is 'suspended: no app' '503 ' "$(code sueapp.example) $(systemctl list-units --plain --no-legend 'panel-app-sue-*')"
quietly panel accounts unsuspend sue
is 'unsuspended: the page is back' "$uid" "$(page sue.example who.php)"
is 'unsuspended: CGI too' active "$(systemctl is-active panel-cgi@sue.socket)"

is_up() { [ "$(page sueapp.example)" = up ]; }
is 'unsuspended: the app is back' yes "$(eventually is_up && echo yes)"

cron=$(panel cron create --account sue -q --schedule '0 4 1 1 *' --command 'sleep 984')
panel cron run "$cron" --account sue --no-wait > /dev/null 2>&1
eventually pgrep -f 'sleep 98[4]'
is 'what its command reads is kept' 1 "$(grep -l '"sue"' /var/lib/panel-host/cron/*.json | wc -l)"
install -o sue -g sue -m 0600 /dev/null /tmp/sue.left; install -d -o sue -g sue /var/tmp/sue.dir; install -o sue -g sue /dev/null /var/tmp/sue.dir/a
for folder in /dev/shm /run/lock /dev/mqueue /var/lib/php/sessions; do install -o sue -g sue /dev/null $folder/sue.left; done
runuser -u sue -- ipcmk -M 64 -Q -S 1 > /dev/null
is 'what it shares outlives its programs' '1 1 1' "$(ipcs -m | grep -c sue) $(ipcs -q | grep -c sue) $(ipcs -s | grep -c sue)"
[ -f /root/sue.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/sue.key
quietly panel ssh add-key laptop --account sue --public-key "$(cat /root/sue.key.pub)"
quietly panel ssh update --account sue --enabled
login() { ssh -q -i /root/sue.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes sue@127.0.0.1 "$@"; }
# The second is left behind by a session that is over.
login 'sleep 983' & session=$!
login 'setsid nohup sleep 983 > /dev/null 2>&1 < /dev/null &'
is 'it is logged in' yes "$(eventually test -e "/run/systemd/users/$uid" && echo yes)"
quietly panel accounts terminate sue --yes --confirm sue
job account.terminate
is 'terminated: no user' '' "$(getent passwd sue)$(getent group sue)"
kill $session 2> /dev/null
is 'terminated: no process' '' "$(pgrep -U "$uid")$(pgrep -f 'sleep 98[4]')"
shared='/home /tmp /var/tmp /dev/shm /dev/mqueue /run /run/lock /var/lib/php/sessions'
is 'terminated: no file of its own but in the trash' '' "$(find / $shared -xdev -path /home/.panel-trash -prune -o -path /var/log/panel/.trash -prune -o \( -uid "$uid" -o -gid "$uid" \) -print 2> /dev/null)"
is 'terminated: no memory, queue or semaphore' '' "$(awk -v uid="$uid" '{ for (n = 1; n <= NF; n++) if ($n == uid) { print FILENAME; next } }' /proc/sysvipc/*)"
no_session() { ! ls /run/systemd/users | grep -qx "$uid" && ! grep -qx "UID=$uid" /run/systemd/sessions/* 2> /dev/null; }
is 'terminated: nothing of its runs' '' "$(grep -rl '"sue"' /var/lib/panel-host/cron)"
is 'terminated: no session' yes "$(eventually no_session && echo yes)"
is 'terminated: the trash is root alone' 'root 700' "$(stat -c '%U %a' /home/.panel-trash)"
is 'terminated: its home is in it' 1 "$(find /home/.panel-trash -name who.php -uid "$uid" | wc -l)"
is 'terminated: no unit' 0 "$(php_active sue)$(systemctl list-units --all --plain --no-legend 'panel-app-sue-*')"
is 'terminated: nothing of its app' '' "$(find /run/panel-apps /etc/panel/apps -name "*$app*")"
named() { find /etc /run -name '*sue*' -not -path '/run/udev/*' 2> /dev/null | grep -v -e issue -e suexec; }
# systemd forgets units that have ended a moment later.
eventually bash -c "$(declare -f named); ! named"
is 'terminated: no file by its name' '' "$(named)"
is 'terminated: its neighbour is untouched' 200 "$(code nell.example)"
