# A newer package is installed while the panel works: it answers on, and nothing is lost.
. "$(dirname "$0")/../lib.sh"

account before
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
eventually test -d /home/during/sites
is 'what was there is served' 200 "$(code before.example)"
is 'what was under way is done' 200 "$(eventually_code during.example)"
is 'and what came after' 200 "$(code after.example)"
quietly panel host setup --yes
is 'setup has nothing to change' 'nothing had to be changed' "$(tail -1 /tmp/said)"
