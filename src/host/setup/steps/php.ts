import { needsSocket } from '../../debian/db/sockets.ts'
import { databaseSocket, hiddenPlaces, ownPlaces } from '../../debian/sandbox.ts'
import { phpFpm } from '../../debian/suite.ts'
import type { Facts, Step } from '../step.ts'
import { phpSandbox } from './php-sandbox.ts'

const extensions = ['bcmath', 'curl', 'gd', 'intl', 'mbstring', 'mysql', 'opcache', 'sqlite3', 'xml', 'zip']

/** One master per account. The unit is the machine's, not the package's: sites stay up when the package is removed. */
const unit = ({
  suite,
}: Facts): string => `# Written by \`panel host setup\`. Make changes with \`systemctl edit panel-php@\`.
[Unit]
Description=PHP of %i
After=network.target
Wants=panel-cgi@%i.socket
${needsSocket('%i').join('\n')}

[Service]
Type=notify
ExecStart=${phpFpm(suite)} --nodaemonize --fpm-config /etc/panel/php/%i.conf
ExecReload=/bin/kill -USR2 $MAINPID
Slice=panel-%i.slice
Restart=always
# What a script has started may ignore that it is to end.
KillMode=mixed
TimeoutStopSec=10
# A request that the memory limit ends must not end the others.
OOMPolicy=continue
RuntimeDirectory=panel-php/%i
RuntimeDirectoryPreserve=restart
UMask=0027
# mail() hands its message to a program with rights of its own, so NoNewPrivileges stays off.
LimitCORE=0
PrivateDevices=yes
PrivateIPC=yes
ProtectSystem=full
ProtectHome=tmpfs
BindPaths=/home/%i /var/log/panel/%i
TemporaryFileSystem=/etc/panel:ro /var/lib/panel:ro /var/log/panel:ro ${ownPlaces}
BindReadOnlyPaths=/etc/panel/php/%i.conf -/etc/panel/submit ${databaseSocket('%i')}
InaccessiblePaths=${hiddenPlaces}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
${phpSandbox}

[Install]
WantedBy=multi-user.target
`

const folder = `# Written by \`panel host setup\`.
d /run/panel-php 0711 root root
`

export const php: Step = {
  name: 'php',
  packages: ({ php }) => ['php-fpm', ...extensions.map((name) => `php${php}-${name}`)],
  // Not listable: its entries are named after accounts.
  dirs: [{ path: '/run/panel-php', mode: 0o711 }],
  files: (facts) => [
    { path: '/etc/systemd/system/panel-php@.service', content: unit(facts), mode: 0o644 },
    { path: '/etc/tmpfiles.d/panel-php.conf', content: folder, mode: 0o644 },
  ],
  // Debian's own master would run every account's PHP as one user.
  units: ({ php }) => [
    { name: `php${php}-fpm.service`, run: false },
    { name: 'phpsessionclean.timer', run: false },
    { name: 'panel-php@*.service', run: 'as-it-is' },
  ],
}
