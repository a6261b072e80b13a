# A newer package is installed while the panel works: it answers on, and nothing is lost.
. "$(dirname "$0")/../lib.sh"

account before
quietly panel settings update --front
# A command of cron that ends when it is told to.
cron=$(panel cron create --account before -q --schedule '0 4 1 1 *' --command 'echo begun; until [ -e tmp/go ]; do sleep 0.1; done; echo done')
run() { panel cron runs "$cron" --account before -o json | grep -o "\"$1\": *\"[^\"]*\"" | head -1 | cut -d'"' -f4; }
panel cron run "$cron" --account before --no-wait > /dev/null 2>&1
eventually bash -c 'systemctl list-units --plain --no-legend "panel-cron-before-*" | grep -q running'
deb=/root/panel-newer.deb
dpkg-deb -R /root/panel.deb /tmp/newer
sed -i 's/^Version: .*/&+1/' /tmp/newer/DEBIAN/control
dpkg-deb -Znone -b /tmp/newer "$deb" > /dev/null
rm -r /tmp/newer

# Every answer is a line with its moment, in milliseconds.
while :; do
  curl -sk -m 1 -o /dev/null https://127.0.0.1:7711/healthz && date +%s%3N >> /tmp/answered
  sleep 0.02
done &
asking=$!
panel accounts create during --domain during.example --no-wait > /dev/null 2>&1
quietly apt-get install -y -q "$deb"
quietly panel accounts create after --domain after.example
kill $asking
wait $asking 2> /dev/null
longest=$(awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print most }' /tmp/answered)
echo "# longest silence during the upgrade: $longest ms, of 2,000"
# A busy machine may take longer; what hangs takes more than this.
is 'the panel is back' yes "$([ "$longest" -le 15000 ] && echo yes)"
is 'the newer package is installed' 1 "$(dpkg-query -W -f '${Version}' panel | grep -c '+1$')"
is 'both services run' 'active active' "$(systemctl is-active panel panel-host | xargs)"
is 'a command of cron runs on' 'running 1' "$(run outcome) $(systemctl list-units --plain --no-legend 'panel-cron-before-*' | grep -c running)"
install -o before -g before /dev/null /home/before/tmp/go
is_over() { [ "$(run outcome)" != running ]; }
eventually is_over
is 'and how it ended is told' 'succeeded begun\ndone\n' "$(run outcome) $(panel cron output "$cron" "$(run id)" --account before -o json | grep -o '"output": *"[^"]*"' | cut -d'"' -f4)"
jobs_end
is 'what was there is served' 200 "$(code before.example)"
is 'what was under way is done' 200 "$(eventually_code during.example)"
is 'and what came after' 200 "$(code after.example)"
is 'and the panel at the name of the server' 200 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve host.example:443:127.0.0.1 https://host.example/healthz)"
quietly panel host setup --yes
is 'setup has nothing to change' 'nothing had to be changed' "$(tail -1 $said)"
is 'and nothing differs' '' "$(panel host diff)"
