# Cron runs as the tenant and not while suspended; a key opens a session, and nothing else does.
. "$(dirname "$0")/../lib.sh"

account cora
uid=$(id -u cora)
cron() { panel cron create --account cora -q --schedule '0 4 1 1 *' --command "$@"; }
value() { grep -o "\"$1\": *[^,}]*" | head -1 | sed 's/^[^:]*: *//; s/^"//; s/"$//'; }
outcome() { panel cron runs "$1" --account cora -o json | value outcome; }
output() { # of the newest run
  local run; run=$(panel cron runs "$1" --account cora -o json | value id)
  panel cron output "$1" "$run" --account cora -o json | value output
}

who=$(cron 'id -u; pwd; id -g; echo 100%')
quietly panel cron run "$who" --account cora
is 'a command runs as the tenant, in its home' "$uid\\n/home/cora\\n$uid\\n100%\\n" "$(output "$who")"
fails=$(cron 'exit 3')
panel cron run "$fails" --account cora > /dev/null 2>&1
is 'its exit code is told' '3' "$(panel cron runs "$fails" --account cora -o json | value exit_code)"
slice=$(cron 'cat /proc/self/cgroup')
quietly panel cron run "$slice" --account cora
is "in the slice of its account" 1 "$(output "$slice" | grep -c 'panel-cora.slice/panel-cron-cora-')"
echo outside > /tmp/outside; echo outside > /dev/shm/outside; chmod 644 /tmp/outside /dev/shm/outside
account nina
tmp=$(cron 'ls -A /tmp /dev/shm /var/tmp; ls /home/nina /home 2>&1; ls /etc/panel; test -S /run/panel/host.sock && echo agent; true')
quietly panel cron run "$tmp" --account cora
is 'with directories of its own for temporary files, and no other home' 0 "$(output "$tmp" | grep -c 'outside\|sites\|agent\|nginx')"
rm /tmp/outside /dev/shm/outside
long=$(cron 'setsid sleep 987 & sleep 987' --timeout-s 1)
panel cron run "$long" --account cora > /dev/null 2>&1
is 'a command over its time is told' timeout "$(outcome "$long")"
is 'and ended with all that it started' '' "$(pgrep -f 'sleep 98[7]')"
goes=$(cron 'sleep 986')
panel cron run "$goes" --account cora --no-wait > /dev/null 2>&1
eventually pgrep -f 'sleep 98[6]'
quietly panel accounts suspend cora --reason unpaid
is 'a suspension ends what runs' '' "$(pgrep -f 'sleep 98[6]')"
refused 'and nothing runs while it lasts' panel cron run "$who" --account cora
quietly panel accounts unsuspend cora

login() { ssh -q -i /root/cora.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes "cora@127.0.0.1" "$@"; }
[ -f /root/cora.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/cora.key
quietly panel accounts update cora --shell /bin/bash
quietly panel ssh add-key laptop --account cora --public-key "$(cat /root/cora.key.pub)"
refused 'a key opens nothing while access is off' login true
quietly panel ssh update --account cora --enabled
is 'a key opens a session as the tenant' "$uid" "$(login id -u)"
is 'in a slice of its user' 1 "$(login cat /proc/self/cgroup | grep -c -m1 "user-$uid.slice")"
echo outside > /tmp/outside; echo outside > /dev/shm/outside
is 'with directories of its own for temporary files' '' "$(login ls /tmp /dev/shm | grep outside)"
rm /tmp/outside /dev/shm/outside
mkdir -p /home/cora/.ssh; ssh-keygen -q -t ed25519 -N '' -f /root/own.key <<< y > /dev/null
install -o cora -g cora -m 0600 /root/own.key.pub /home/cora/.ssh/authorized_keys; chown cora:cora /home/cora/.ssh
refused "a key in the home opens nothing" ssh -q -i /root/own.key -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes cora@127.0.0.1 true
refused 'tenants have no crontab(1)' login crontab -l
# The linker of a program of root's that had these variables would write files of root's.
variables() { install -o cora -g cora -m 0644 /dev/stdin /home/cora/.pam_environment; }
variables <<< $'CHOSEN DEFAULT=yes\nLD_DEBUG DEFAULT=files\nLD_DEBUG_OUTPUT DEFAULT=/home/cora/linker'
is 'variables of ~/.pam_environment are not read' '' "$(login 'echo $CHOSEN')"
is 'and no program of root has them' '' "$(find /home/cora -maxdepth 1 -name 'linker*')"
rm -f /home/cora/.pam_environment /home/cora/linker*
runuser -u cora -- mkfifo /home/cora/.pam_environment
is 'root waits for no pipe there' yes "$(timeout 10 ssh -n -q -i /root/cora.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes cora@127.0.0.1 echo yes)"
rm /home/cora/.pam_environment
login sleep 985 &
eventually pgrep -u cora -f 'sleep 98[5]'
quietly panel ssh update --account cora --no-enabled
is 'off ends what is open' '' "$(pgrep -u cora -f 'sleep 98[5]')"
refused 'and opens nothing' login true
rm -f /root/own.key*
