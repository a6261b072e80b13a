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
uid=$(id -u lima)
quietly panel accounts terminate lima --yes --confirm lima
job account.terminate
is 'terminated: no limits are left' '' "$(find /etc/systemd /run/systemd -name '*lima*' -o -path "*user-$uid.slice*")"
quietly panel packages delete tight --yes

# A package that names no limits still leaves the machine to the others.
account wild --shell /bin/bash
account calm
put calm ok.php <<< '<?php echo "fine";'
[ -f /root/wild.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/wild.key
quietly panel ssh add-key laptop -a wild --public-key "$(cat /root/wild.key.pub)"
quietly panel ssh update -a wild --enabled
login() { ssh -q -i /root/wild.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes wild@127.0.0.1 "$@"; }
is 'its slices have finite limits' '1s 1s 200 200' "$(for of in CPUQuotaPerSecUSec TasksMax; do for slice in panel-wild "user-$(id -u wild)"; do
  systemctl show --value --property=$of $slice.slice; done; done | xargs)"
is 'of memory, a quarter of the machine' 25 "$(($(systemctl show --value --property=MemoryMax panel-wild.slice) / 1024 * 100 / $(awk '/MemTotal/ {print $2 - 100}' /proc/meminfo)))"
put wild busy.php <<< '<?php $a = str_repeat("x", 40 << 20); usleep(300000); echo "fine";'
is 'PHP of a usual size fits, twenty at a time' 20 "$(for _ in $(seq 20); do page wild.example busy.php & done | grep -o fine | wc -l)"
# Makes as many processes as it can, all of them busy: bomb.py SECONDS
cat > /usr/local/lib/bomb.py <<'PY'
import os, sys, time
end, made = time.time() + float(sys.argv[1]), 0
while time.time() < end:
    try:
        if os.fork() == 0: made = -1
        elif made >= 0: made += 1
    except OSError: pass
if made > 0: print(made)
PY
put wild bomb.php <<< '<?php set_time_limit(0); shell_exec("python3 /usr/local/lib/bomb.py 20");'
begun=$SECONDS
login timeout -s KILL 25 python3 /usr/local/lib/bomb.py 20 > /tmp/bomb & bombing=$!
page wild.example bomb.php > /dev/null & in_php=$!
sleep 3
slowest_ms=0 requests=0 answered=0
while [ $((SECONDS - begun)) -lt 15 ]; do
  requests=$((requests + 1)) at=$(date +%s%N)
  [ "$(page calm.example ok.php)" = fine ] && answered=$((answered + 1))
  took=$((($(date +%s%N) - at) / 1000000)); [ $took -le $slowest_ms ] || slowest_ms=$took
  sleep 0.2
done
tasks=$(cat /proc/loadavg | cut -d/ -f2 | cut -d' ' -f1)
is "a neighbour's site answers each time while it forks without end" $requests "$answered"
echo "# the slowest answer took $slowest_ms ms; the machine has $tasks threads"
is 'root and the agent do, too' 0 "$(timeout 60 panel host diff --account calm > /dev/null 2>&1; echo $?)"
wait $bombing $in_php
# Takes all memory: hog.py
cat > /usr/local/lib/hog.py <<'PY'
parts = []
while True: parts.append(bytearray(1 << 26))
PY
login timeout 60 python3 /usr/local/lib/hog.py > /dev/null 2>&1; ended=$?
is 'a program that takes all memory is ended' yes "$([ $ended != 0 ] && [ $ended != 124 ] && echo yes || echo $ended)"
is 'and nothing of the machine with it' 'active active active fine' "$(systemctl is-active panel panel-host nginx | xargs) $(page calm.example ok.php)"
put wild hog.php <<< '<?php ini_set("memory_limit", -1); shell_exec("python3 /usr/local/lib/hog.py"); echo "over";'
page wild.example hog.php > /dev/null
put wild ok.php <<< '<?php echo "fine";'
is 'its own site answers again' fine "$(for _ in 1 2 3; do page wild.example ok.php; done | grep -o fine | head -1)"
is 'and the machine is as it was' 'active active active fine' "$(systemctl is-active panel panel-host nginx | xargs) $(page calm.example ok.php)"
for one in wild calm; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
rm -f /usr/local/lib/bomb.py /usr/local/lib/hog.py /root/wild.key*
