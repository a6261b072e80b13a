#!/bin/bash
# Inside a bare lab: the two commands, and what they installed. They are timed.
set -euo pipefail
# A lab's files need not outlast the machine that it runs on.
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/lab
touch /root/deb.stamp
begun=$(date +%s)
apt-get install -y -q /root/panel.deb > /tmp/apt.said 2>&1 || { tail -5 /tmp/apt.said; exit 1; }
echo "# package: $(($(date +%s) - begun)) s"
panel host setup --yes --hostname "${HOST_NAME:-host.example}"
default_handler=$(panel settings show -o json | grep -o '"default_handler": *"[^"]*"' | cut -d'"' -f4)
[ "$default_handler" = apache ] || { echo "FAILED: new domains have the handler '$default_handler', though Apache is set up"; exit 1; }
# The proofs are about PHP by itself, but where they name another handler.
panel settings update --default-handler php > /dev/null
echo "# setup: $(($(date +%s) - begun)) s"
# The authority of proof 08, and the world's resolver.
apt-get install -y -q --no-install-recommends pebble dnsmasq-base > /tmp/apt.said 2>&1 || { tail -5 /tmp/apt.said; exit 1; }
# Log-ins that one proof has refused would have a newer sshd refuse this address for the next proof.
if /usr/sbin/sshd -T 2> /dev/null | grep -q '^persourcepenalties'; then
  echo 'PerSourcePenaltyExemptList 127.0.0.1' > /etc/ssh/sshd_config.d/lab.conf
  systemctl reload ssh
fi
# By which a proof can still fetch packages.
cp /etc/resolv.conf /root/online-resolver
cat > /etc/world.conf <<'EOF'
listen-address=127.0.0.53
bind-interfaces
user=root
no-resolv
no-hosts
cache-size=0
server=127.0.0.1
addn-hosts=/etc/world.hosts
local=/gmail.com/
local=/world.test/
local=/far.example/
mx-host=gmail.com,mx.world.test,5
mx-host=far.example,mail.far.example,10
txt-record=far.example,"v=spf1 ip4:203.0.113.9 -all"
EOF
printf '203.0.113.25 mx.world.test\n203.0.113.9 mail.far.example\n' > /etc/world.hosts
cat > /etc/systemd/system/world.service <<'EOF'
[Service]
ExecStart=/usr/sbin/dnsmasq --keep-in-foreground --conf-file=/etc/world.conf
[Install]
WantedBy=multi-user.target
EOF
systemctl enable -q --now world
dpkg-query -W panel nginx-light php-fpm bind9 mariadb-server postfix dovecot-core opendkim proftpd-core
