# kill -9 of the agent in the middle of its work, and what a daemon refuses.
. "$(dirname "$0")/../lib.sh"

echo 'broken {' > /etc/panel/nginx/sites/zz.conf
panel accounts create carol --domain carol.example > /dev/null 2>&1
is 'what nginx refuses is taken back as a whole' '' "$(ls -d /home/carol 2>/dev/null)$(getent passwd carol)"
rm /etc/panel/nginx/sites/zz.conf

panel accounts create dave --domain dave.example > /dev/null 2>&1 &
sleep 0.5
systemctl kill -s KILL panel-host
wait
is 'kill -9 of the agent while it works: it converges' 200 "$(code dave.example)"
