# How long accounts take, on a machine that does nothing else: figures, and only the pages are judged.
. "$(dirname "$0")/../lib.sh"
count=${ACCOUNTS:-100}

now() { date +%s%N; }
# CPU time of the whole machine so far, in nanoseconds.
cpu() { cat /sys/fs/cgroup/cpuacct/cpuacct.usage 2> /dev/null || awk '/^usage_usec/ { print $2 * 1000 }' /sys/fs/cgroup/cpu.stat; }
# mean FILE FIRST LAST COLUMN: of lines of milliseconds
mean() { sed -n "$2,$3p" "$1" | awk -v c="$4" '{ sum += $c } END { printf "%.0f", sum / NR }'; }
load() { cut -d' ' -f1-3 /proc/loadavg; }

# One with time to rest before it, as a person makes them.
: > /tmp/ones
for n in 1 2 3 4 5; do
  sleep 5
  begun=$(now); used=$(cpu)
  account "one$n"
  created=$(now)
  is "one$n: its page is served" 200 "$(code "one$n.example")"
  echo "$((($(now) - begun) / 1000000)) $(((created - begun) / 1000000)) $((($(cpu) - used) / 1000000))" >> /tmp/ones
done
echo "# create to served page: $(awk '{ printf "%s ", $1 }' /tmp/ones)ms; CPU $(awk '{ printf "%s ", $3 }' /tmp/ones)ms; load $(load)"

: > /tmp/all
for n in $(seq "$count"); do
  begun=$(now); used=$(cpu)
  account "many$n"
  echo "$((($(now) - begun) / 1000000)) $((($(cpu) - used) / 1000000))" >> /tmp/all
done
is 'the last page is served' 200 "$(code "many$count.example")"
first="$(mean /tmp/all 1 10 1) ms, CPU $(mean /tmp/all 1 10 2) ms"
last="$(mean /tmp/all $((count - 9)) "$count" 1) ms, CPU $(mean /tmp/all $((count - 9)) "$count" 2) ms"
echo "# $count accounts, one after the other: the first ten $first each; the last ten $last each; load $(load)"
