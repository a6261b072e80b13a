#!/bin/bash
# Inside a lab: what a machine needs that the Debian driver does not do itself (docs/debian.md), and both services.
set -e
export DEBIAN_FRONTEND=noninteractive
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
apt-get update -qq; apt-get install -y -qq --no-install-recommends nginx-light php-fpm php-mysql mariadb-server bind9 bind9-utils bind9-dnsutils procps >/dev/null 2>/tmp/apt.err || { tail -5 /tmp/apt.err; exit 1; }
rm -f /usr/sbin/policy-rc.d
V=$(ls /usr/sbin/php-fpm* | sed 's/.*php-fpm//')
systemctl disable -q --now php$V-fpm || true
rm -f /etc/nginx/sites-enabled/default
echo 'include /etc/panel/nginx/panel.conf;' > /etc/nginx/conf.d/panel.conf
mkdir -p /etc/bind/panel/zones.d /etc/panel/nginx /etc/panel/php; : > /etc/bind/panel/zones.d/_none; touch /etc/panel/nginx/panel.conf /etc/bind/panel/dnssec-policy.conf
cat > /etc/bind/named.conf.options <<X
options { directory "/var/cache/bind"; recursion no; dnssec-validation no; allow-transfer { none; }; minimal-responses yes; version none; listen-on-v6 { any; }; };
X
cat >> /etc/bind/named.conf.local <<X
include "/etc/bind/panel/dnssec-policy.conf";
include "/etc/bind/panel/zones.d/*";
X
cat > /etc/systemd/system/panel-php@.service <<X
[Unit]
Description=PHP of %i
[Service]
Type=notify
ExecStart=/usr/sbin/php-fpm$V --nodaemonize --fpm-config /etc/panel/php/%i.conf
ExecReload=/bin/kill -USR2 \$MAINPID
Slice=panel-%i.slice
Restart=on-failure
OOMPolicy=continue
RuntimeDirectory=panel-php/%i
RuntimeDirectoryPreserve=restart
UMask=0027
PrivateTmp=yes
PrivateDevices=yes
ProtectSystem=full
ProtectHome=tmpfs
BindPaths=/home/%i /var/log/panel/%i
TemporaryFileSystem=/etc/panel:ro /var/lib/panel:ro /var/log/panel:ro
BindReadOnlyPaths=/etc/panel/php/%i.conf -/etc/panel/submit
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_CHOWN CAP_KILL CAP_DAC_OVERRIDE CAP_FOWNER
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
ProtectProc=invisible
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
[Install]
WantedBy=multi-user.target
X
useradd --system --home /var/lib/panel --shell /usr/sbin/nologin --user-group panel || true
cat > /etc/systemd/system/panel-host.service <<X
[Service]
ExecStart=/usr/bin/panel host agent --socket /run/panel/host.sock
RuntimeDirectory=panel
RuntimeDirectoryMode=0755
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
X
cat > /etc/systemd/system/panel.service <<X
[Service]
User=panel
Group=panel
ExecStart=/usr/bin/panel serve --data-dir /var/lib/panel --hostname host.example
StateDirectory=panel
StateDirectoryMode=0700
Restart=always
RestartSec=1
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
[Install]
WantedBy=multi-user.target
X
install -d -o panel -g panel -m 0700 /var/lib/panel; install -o panel -g panel -m 0600 /dev/stdin /var/lib/panel/driver <<< debian
systemctl daemon-reload
systemctl restart nginx named mariadb
systemctl start panel-host panel
for _ in $(seq 100); do panel host status -o json 2>/dev/null | grep -q '"running"' && break; sleep 0.2; done
