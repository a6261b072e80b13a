# Limits bind: CPU, memory, processes and, where the file system can, disk.
. "$(dirname "$0")/../lib.sh"

quietly panel packages create tight --isolation-cpu-pct 20 --isolation-mem-mb 100 --isolation-nproc 25 --disk-quota-mb 20
account lima --package tight
cron() { panel cron create --account lima -q --schedule '0 4 1 1 *' --timeout-s 20 --command "$@"; }
output() {
  local run; run=$(panel cron runs "$1" --account lima -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
  panel cron output "$1" "$run" --account lima -o json | grep -o '"output": *"[^"]*"' | cut -d'"' -f4
}
result() { local id; id=$(cron "$1"); panel cron run "$id" --account lima > /dev/null 2>&1; output "$id"; }

used=$(result 'timeout 3 sh -c "while :; do :; done"; times > tmp/used; tail -1 tmp/used' | grep -o '^[0-9]*m[0-9]*' | sed 's/.*m//')
is 'three seconds of a loop take one of CPU at most' yes "$([ "${used:-9}" -le 1 ] && echo yes)"
is 'the slice has its limit of CPU' '200ms' "$(systemctl show --value --property=CPUQuotaPerSecUSec panel-lima.slice)"
is 'and of memory' '104857600' "$(systemctl show --value --property=MemoryMax panel-lima.slice)"
forks=$(result 'i=0; while [ $i -lt 60 ]; do sleep 2 & i=$((i+1)); done 2>/dev/null; echo done')
is 'processes beyond the limit are not made' 0 "$(echo "$forks" | grep -c done)"
put lima eat.php <<< '<?php ini_set("memory_limit", -1); $a = str_repeat("x", 200000000); echo "eaten";'
put lima ok.php <<< '<?php echo "fine";'
is 'a request that takes too much memory ends' '' "$(page lima.example eat.php | grep eaten)"
is 'and the next one is answered' fine "$(page lima.example ok.php)"
is 'sessions have the same limits' 25 "$(systemctl show --value --property=TasksMax "user-$(id -u lima).slice")"
if [ "$(stat -f -c %T /home)" = btrfs ]; then
  result 'head -c 40000000 /dev/urandom > big' > /dev/null
  is 'the file ends at the quota' yes "$([ "$(stat -c %s /home/lima/big)" -le 21000000 ] && echo yes)"
fi
quietly panel packages update tight --isolation-nproc 40
job package.apply
is 'a change of the package binds at once' 40 "$(systemctl show --value --property=TasksMax panel-lima.slice)"
jobs_end
used=$(panel logs usage --account lima -o json)
is 'what it used of CPU and memory is told' 'yes yes' "$(echo "$used" | grep -q '"cpu_s": *[0-9]' && echo yes) $(echo "$used" | grep -q '"memory_mb": *[1-9]' && echo yes)"
quietly panel accounts terminate lima --yes --confirm lima
job account.terminate
is 'terminated: no limits are left' '' "$(find /etc/systemd /run/systemd -name '*lima*' -o -name '50-panel.conf')"
quietly panel packages delete tight --yes
