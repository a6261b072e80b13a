# Outside of labs, with those of a panel's machine and of another that was set up too: it joins by the printed line, and
# accounts are hosted on it, whatever becomes of its agent, of the panel or of its power: 20-node.sh LAB PANEL NODE
. "$(dirname "$0")/../lib.sh"
lab=$1 names=("$2" "$3")
here() { "$lab" run "${names[0]}" -- "$@"; }
there() { "$lab" run "${names[1]}" -- "$@"; }
panel() { here panel "$@"; }
plugged_in() { quietly "$lab" link "${names[@]}"; }
# From the panel's machine: answer DOMAIN FILE, status DOMAIN
answer() { here curl -s -m 5 --resolve "$1:80:10.78.0.2" "http://$1/$2"; }
status() { here curl -s -m 5 -o /dev/null -w '%{http_code}' --resolve "$1:80:10.78.0.2" "http://$1/"; }
state() { panel nodes show web2 --select state; }
is_state() { [ "$(state)" = "$1" ]; }
services() { there systemctl is-active panel panel-host panel-node | xargs; }

plugged_in
there sh -c 'echo 10.78.0.1 host.example >> /etc/hosts'
line=$(panel nodes create web2 --roles web,db,mail | grep -o 'echo .* --pin [0-9a-f]*')
other=$([ "${line: -1}" = 0 ] && echo 1 || echo 0)
refused 'a wrong pin ends before the secret is sent' there sh -c "${line%?}$other"
is 'and says so' 1 "$(grep -c 'The secret was not sent' $said)"
begun=$(date +%s%N)
is 'the printed line has the machine join' web2 "$(there sh -c "$line" 2> $said)"
is 'it is active' yes "$(eventually is_state active && echo yes)"
echo "# join to active: $(since "$begun")"
refused 'the line works once' there sh -c "$line"
is 'it runs as a node alone' 'inactive inactive active' "$(services)"
is 'and starts as one' 'disabled disabled enabled' "$(there systemctl is-enabled panel panel-host panel-node | xargs)"
is 'its key is root alone' 'root 600' "$(there stat -c '%U %a' /var/lib/panel-host/node/key.pem)"

told() { [ -n "$(panel jobs list --kind server.apply --node web2 --status succeeded -o name)" ]; }
is 'it is told of its own names as it connects' yes "$(eventually told && echo yes)"
begun=$(date +%s%N)
quietly panel accounts create bob --domain bob.example --node web2
quietly panel domains set-verified bob.example true -a bob
is 'a page is served there after creating an account' 200 "$(status bob.example)"
echo "# create to served page on a node: $(since "$begun")"
is "and not on the panel's own machine" '' "$(here getent passwd bob)$(here ls /home | grep -x bob)"
is 'its zone names the node' 10.78.0.2 "$(here dig +short @127.0.0.1 bob.example A)"
quietly panel files write sites/bob.example/public/uid.php --account bob <<< '<?php echo posix_getuid();'
is "PHP runs with the account's own uid" "$(there id -u bob)" "$(answer bob.example uid.php)"
quietly here sh -c 'printf canary-Sandpiper-6631 | panel email create info@bob.example --password-stdin'
quietly panel mysql databases create shop -a bob
quietly panel host verify -a bob
quietly panel backups create --account bob
is 'a backup lies on the node' 1 "$(there sh -c 'ls -d /var/lib/panel-host/backups/*' | grep -c .)"
is 'nothing differs' '' "$(panel host diff)"

# Its agent is started again, killed, and newer.
quietly there systemctl restart panel-node
quietly panel accounts suspend bob --reason unpaid
is 'its agent was started again: what changes is done' 503 "$(status bob.example)"
panel accounts create ann --domain ann.example --node web2 --no-wait > /dev/null 2>&1
there systemctl kill -s KILL panel-node
quietly panel accounts unsuspend bob
jobs_end
is 'its agent was killed while an account was made: both are served' '200 200' "$(status ann.example) $(status bob.example)"
before=$(there systemctl show -P MainPID panel-node)
quietly there apt-get install -y -q --reinstall /root/panel.deb
is 'the package was installed again: its agent is another' 'inactive inactive active yes' "$(services) $([ "$(there systemctl show -P MainPID panel-node)" != "$before" ] && echo yes)"
quietly there panel host setup --yes
quietly there panel host setup --yes
is 'set up again it is a node still, and nothing changes' 'inactive inactive active nothing had to be changed' "$(services) $(tail -1 $said)"

# The panel is away, then the node's power.
quietly here systemctl restart panel
is 'the panel was started again: the node is back' yes "$(eventually is_state active && echo yes)"
quietly "$lab" kill9 "${names[1]}"
is 'without power it is down' yes "$(eventually is_state down && echo yes)"
quietly panel accounts update bob --max-email-per-hour 7 --no-wait
is 'its jobs say what they wait for' 1 "$(panel jobs list --status queued -o json | grep -c 'Node web2 is down')"
quietly "$lab" up "${names[1]}" --net
is 'it serves on when it has power again' "$(there id -u bob)" "$(there curl -s --resolve bob.example:80:127.0.0.1 http://bob.example/uid.php)"
plugged_in
is 'and is found again' yes "$(eventually is_state active && echo yes)"
jobs_end
is 'what waited is done' 1 "$(there grep -c emails_per_hour=7 /etc/panel/limits.d/bob)"
is 'nothing differs' '' "$(panel host diff)"

# It leaves.
refused 'a node with accounts is not deleted' panel nodes delete web2 --yes --confirm web2
for one in ann bob; do quietly panel accounts terminate $one --yes --confirm $one; done
job account.terminate
jobs_end
is 'terminated: nothing of them is there' '' "$(there sh -c 'getent passwd ann bob; ls /etc/panel/nginx/sites; ls /home')"
quietly panel nodes delete web2 --yes --confirm web2
is 'deleted: no port is open for nodes' 0 "$(here ss -Hltn 'sport = 7712' | wc -l)"
# What it was before.
quietly there sh -c 'systemctl disable -q --now panel-node && rm -r /var/lib/panel-host/node && panel host setup --yes'
is 'it has a panel of its own again' 'active active inactive' "$(services)"
there sed -i '/^10.78.0.1 /d' /etc/hosts
is 'no unit has failed' '' "$(here systemctl list-units --failed --plain --no-legend)$(there systemctl list-units --failed --plain --no-legend)"
