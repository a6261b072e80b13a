import { existsSync } from 'node:fs'
import { needsSocket } from '../../debian/db/sockets.ts'
import { phpCommand, phpFolder, profile } from '../../debian/php/command.ts'
import { sandboxFile } from '../../debian/php/masters.ts'
import { installedVersions } from '../../debian/php/versions.ts'
import { databaseSocket, hiddenPlaces, ownPlaces } from '../../debian/sandbox.ts'
import { needsTerminals, ownTerminals } from '../../debian/terminals.ts'
import type { Do, SetupStep } from '../step.ts'
import { systemctl } from '../units.ts'
import { phpSandbox } from './php-sandbox.ts'

const needed = ['bcmath', 'curl', 'gd', 'intl', 'mbstring', 'mysql', 'soap', 'sqlite3', 'xml', 'zip']
/** Those of every version that apt has them for. */
export const extensions = [...needed, 'apcu', 'gmp', 'imagick', 'opcache', 'redis']

/**
 * What all masters share: the units themselves are written with each account. `%j` is the account: the end of the unit's
 * name. They are the machine's, not the package's: sites stay up when the package is removed.
 */
const master = `# Written by \`panel host setup\`. Make changes with \`systemctl edit panel-php-.service\`.
[Unit]
After=network.target
# A socket never gives up: its requests would fail until somebody resets it.
StartLimitIntervalSec=0
${[...needsSocket('%j'), ...needsTerminals('%j')].join('\n')}

[Service]
Type=notify
ExecReload=/bin/kill -USR2 $MAINPID
# A master that cannot start is tried once a second.
ExecStopPost=/bin/sh -c 'test "$EXIT_CODE" != exited || test "$EXIT_STATUS" = 0 || sleep 1'
# Requests in flight are completed.
KillSignal=SIGQUIT
# What a script has started may ignore that it is to end.
KillMode=mixed
TimeoutStopSec=15
# A request that the memory limit ends must not end the others.
OOMPolicy=continue
UMask=0027
# mail() hands its message to a program with rights of its own, so NoNewPrivileges stays off.
LimitCORE=0
PrivateDevices=yes
PrivateIPC=yes
ProtectSystem=full
ProtectHome=tmpfs
TemporaryFileSystem=/etc/panel:ro /var/lib/panel:ro /var/log/panel:ro ${ownPlaces}
BindPaths=${ownTerminals('%j')}
# The directory, as a file that is replaced would stay the former one; only root can enter it.
BindReadOnlyPaths=/etc/panel/php -/etc/panel/submit ${databaseSocket('%j')}
InaccessiblePaths=${hiddenPlaces}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
${phpSandbox}
`

/** The end of a socket unit to which only root and nginx may connect. */
export const onlyForNginx = `SocketGroup=www-data
SocketMode=0660
RemoveOnStop=yes
Backlog=4096
TriggerLimitIntervalSec=0

[Install]
WantedBy=sockets.target
`

const socket = `# Written by \`panel host setup\`. Make changes with \`systemctl edit panel-php-.socket\`.
[Socket]
${onlyForNginx}`

const folder = `# Written by \`panel host setup\`.
d /run/panel-php 0711 root root
`

/** The unit of masters that were not started by requests; those that run have yet to complete theirs. */
const formerUnit = '/etc/systemd/system/panel-php@.service'

/** When it ends it must not take the directory of the new sockets with it. */
async function retireFormer(run: Do): Promise<boolean> {
  if (!existsSync(formerUnit)) return false
  const preserve = 's/^RuntimeDirectoryPreserve=restart$/RuntimeDirectoryPreserve=yes/'
  await run('/usr/bin/sed', ['-i', preserve, formerUnit])
  await run(systemctl, ['daemon-reload'])
  return false
}

/** One master per account and version, started by its first request. */
export const php: SetupStep = {
  name: 'php',
  packages: ({ php }) => ['php-fpm', `php${php}-cli`, ...needed.map((name) => `php${php}-${name}`)],
  // Not listable: its entries are named after accounts.
  dirs: [
    { path: '/run/panel-php', mode: 0o711 },
    { path: phpFolder, mode: 0o755 },
  ],
  files: () => [
    { path: sandboxFile, content: master, mode: 0o644 },
    { path: '/etc/systemd/system/panel-php-.socket.d/panel.conf', content: socket, mode: 0o644 },
    { path: '/etc/tmpfiles.d/panel-php.conf', content: folder, mode: 0o644 },
    { path: `${phpFolder}/php`, content: phpCommand, mode: 0o755 },
    { path: '/etc/profile.d/panel-php.sh', content: profile, mode: 0o644 },
  ],
  prepare: retireFormer,
  units: ({ php }) => [
    // Debian's own master would run every account's PHP as one user.
    ...[...new Set([php, ...installedVersions()])].map((one) => ({ name: `php${one}-fpm.service`, run: false })),
    { name: 'phpsessionclean.timer', run: false },
    // They listen on: closing them would lose requests.
    { name: 'panel-php-*.socket', run: 'as-it-is', renew: 'never' },
    { name: 'panel-php-*.service', run: 'as-it-is' },
  ],
}
