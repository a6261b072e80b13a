#!/bin/bash
# Inside a lab that base.sh has set up: what the Debian driver does, seen from outside. One line a proof.
failed=0
is() { # is WHAT WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAILED $1: wanted '$2', got '$3'"; failed=1; fi
}
quietly() { "$@" > /tmp/said 2>&1 || { echo "FAILED $*: $(tail -2 /tmp/said)"; failed=1; }; }
code() { curl -s -o /dev/null -w '%{http_code}' --resolve "$1:80:127.0.0.1" "http://$1/${2:-}"; }
page() { curl -s --resolve "$1:80:127.0.0.1" "http://$1/$2"; }
php() { install -o "$1" -g "$1" -m 0644 /dev/stdin "/home/$1/sites/$1.example/public/$2"; }

begun=$(date +%s%N)
quietly panel accounts create alice --domain alice.example
is 'a page is served after creating the account' 200 "$(code alice.example)"
echo "# create to served page: $((($(date +%s%N) - begun) / 1000000)) ms"
quietly panel accounts create bob --domain bob.example
php alice who.php <<< '<?php echo posix_getuid(), @file_get_contents("/home/bob/sites/bob.example/public/index.html") === false ? "" : " reads bob";'
is "PHP runs with the account's own uid and reads no other home" "$(id -u alice)" "$(page alice.example who.php)"
is 'an unknown name gets nothing' 000 "$(code nobody.example)"
is 'https answers by name' 200 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve alice.example:443:127.0.0.1 https://alice.example/)"
is 'an unknown name has no certificate' 000 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve nobody.example:443:127.0.0.1 https://nobody.example/)"
ln -s /home/bob/sites/bob.example/public/index.html /home/alice/sites/alice.example/public/link.html
chown -h alice:alice /home/alice/sites/alice.example/public/link.html
is "a link to another's file is not served" 404 "$(code alice.example link.html)"
is 'BIND answers for the zone' host.example. "$(dig +short @127.0.0.1 alice.example NS)"
is 'a home belongs to its owner' 'alice:www-data 710' "$(stat -c '%U:%G %a' /home/alice)"
is 'what lies in it too' 'alice:alice' "$(stat -c '%U:%G' /home/alice/sites/alice.example/public/index.html)"
is 'nothing differs' '' "$(panel host diff)"

sed -i 's/index index.html/index evil.html/' /etc/panel/nginx/sites/alice.example.conf
is 'a hand-changed virtual host is shown' 1 "$(panel host diff --account alice | grep -c '^-  index evil.html')"
quietly panel host apply --account alice
is 'and mended' '' "$(panel host diff)"

quietly panel accounts suspend alice --reason unpaid
is 'suspended: 503' 503 "$(code alice.example)"
is 'suspended: no PHP' inactive "$(systemctl is-active panel-php@alice)"
is 'suspended: expired' 1 "$(getent shadow alice | cut -d: -f8)"
quietly panel accounts unsuspend alice
is 'unsuspended: the page is back' 200 "$(code alice.example who.php)"

echo 'broken {' > /etc/panel/nginx/sites/zz.conf
panel accounts create carol --domain carol.example > /dev/null 2>&1
is 'what nginx refuses is taken back as a whole' '' "$(ls -d /home/carol 2>/dev/null)$(getent passwd carol)"
rm /etc/panel/nginx/sites/zz.conf

panel accounts create dave --domain dave.example > /dev/null 2>&1 &
sleep 0.5
systemctl kill -s KILL panel-host
wait
is 'kill -9 of the agent while it works: it converges' 200 "$(code dave.example)"

quietly panel accounts update bob --username robert
is 'renamed: the page is served' 200 "$(code bob.example)"
is 'renamed: the user has its uid' robert "$(stat -c %U /home/robert)"

uid=$(id -u alice)
quietly panel accounts terminate alice --yes --confirm alice
panel jobs wait "$(panel jobs list --kind account.terminate -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)" > /dev/null 2>&1
is 'terminated: no user' '' "$(getent passwd alice)"
is 'terminated: no file outside the trash' '' "$(find / -xdev -uid "$uid" -not -path '/trash/*' 2> /dev/null)"
is 'terminated: no unit' inactive "$(systemctl is-active panel-php@alice)"
is 'terminated: no zone' '' "$(dig +short @127.0.0.1 alice.example SOA)"
is 'terminated: its neighbour is untouched' 200 "$(code bob.example)"
exit $failed
