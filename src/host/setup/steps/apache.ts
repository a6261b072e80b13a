import { toBecome, withPipedOutput } from '../../debian/output.ts'
import { hiddenPlaces, ownPlaces } from '../../debian/sandbox.ts'
import { apacheFolder, commonConfig } from '../../parts/apache/config.ts'
import { apacheConfig, untilItListens } from '../apache/config.ts'
import type { Do, SetupStep } from '../step.ts'
import { onlyForNginx } from './php.ts'
import { phpSandbox } from './php-sandbox.ts'

const certificate = `/${apacheFolder}/inner.crt`
const key = `/${apacheFolder}/inner.key`

const header = (unit: string): string =>
  `# Written by \`panel host setup\`. Make changes with \`systemctl edit ${unit}\`.`

/** A word of a unit's command line. */
const quotedWord = (word: string): string =>
  `"${word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('$', () => '$$')}"`

/** Neither has a network but the one that they share: nginx comes by the sockets, PHP is reached by its own. */
const restricted = `PrivateNetwork=yes
PrivateDevices=yes
PrivateIPC=yes
NoNewPrivileges=yes
${phpSandbox}
RestrictAddressFamilies=AF_UNIX AF_INET
LimitCORE=0
OOMPolicy=continue
UMask=0027`

const words = withPipedOutput('%j', ['/usr/sbin/apache2', '-DFOREGROUND', '-f', '/etc/panel/apache/%j/sites.conf'])

/** What the Apaches of all accounts share; `%j` is the account. In place of what the account's unit starts. */
const service = `${header('panel-apache-.service')}
[Unit]
StartLimitIntervalSec=0
StopWhenUnneeded=yes

[Service]
Type=exec
ExecStart=
ExecStart=!${words.map(quotedWord).join(' ')}
# As root: the account's user would have a descriptor of the log, by which it could take the whole disk.
ExecStartPost=!${untilItListens}
ExecReload=!/bin/kill -USR1 $MAINPID
LoadCredential=tls.crt:${certificate}
LoadCredential=tls.key:${key}
RuntimeDirectoryMode=0700
StandardError=inherit
KillMode=mixed
TimeoutStopSec=10
Restart=on-failure
RestartSec=1
ProtectSystem=strict
ProtectHome=tmpfs
TemporaryFileSystem=/etc/panel:ro /var/lib/panel:ro /var/log/panel:ro ${ownPlaces}
BindReadOnlyPaths=${commonConfig}
InaccessiblePaths=${hiddenPlaces} -/run/mysqld
${restricted}
CapabilityBoundingSet=
CapabilityBoundingSet=${toBecome} CAP_KILL
`

/** In front of Apache, which cannot take over sockets. */
const proxy = `${header('panel-site-.service')}
[Unit]
StartLimitIntervalSec=0

[Service]
# It does not always say when it is ready; what it is passed waits in the socket.
Type=exec
ProtectSystem=strict
ProtectHome=yes
InaccessiblePaths=-/etc/panel ${hiddenPlaces}
TemporaryFileSystem=/tmp:ro /var/tmp:ro /dev/shm:ro
${restricted}
CapabilityBoundingSet=
MemoryDenyWriteExecute=yes
`

const socket = `${header('panel-site-.socket')}
[Socket]
SocketUser=root
${onlyForNginx}`

const folder = `# Written by \`panel host setup\`.
d /run/panel-apache 0711 root root
`

/** Of the second hop, which no visitor sees: rules ask Apache whether it is encrypted. */
async function ensureCertificate(run: Do): Promise<boolean> {
  const isThere = await run('/usr/bin/test', ['-s', certificate]).then(
    () => true,
    () => false,
  )
  if (isThere) return false
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '36500']
  await run('/usr/bin/openssl', [
    'req',
    '-x509',
    ...made,
    '-subj',
    '/CN=localhost',
    '-keyout',
    key,
    '-out',
    certificate,
  ])
  await run('/usr/bin/chmod', ['0600', key, certificate])
  return true
}

/** An Apache for each account with a site that reads \`.htaccess\` files, started by its first request. */
export const apache: SetupStep = {
  name: 'apache',
  choice: 'apache',
  packages: () => ['apache2', 'openssl'],
  dirs: [
    { path: `/${apacheFolder}`, mode: 0o711 },
    { path: '/run/panel-apache', mode: 0o711 },
  ],
  files: () => [
    { path: commonConfig, content: apacheConfig, mode: 0o644 },
    { path: '/etc/systemd/system/panel-apache-.service.d/panel.conf', content: service, mode: 0o644 },
    { path: '/etc/systemd/system/panel-site-.service.d/panel.conf', content: proxy, mode: 0o644 },
    { path: '/etc/systemd/system/panel-site-.socket.d/panel.conf', content: socket, mode: 0o644 },
    { path: '/etc/tmpfiles.d/panel-apache.conf', content: folder, mode: 0o644 },
  ],
  prepare: ensureCertificate,
  undo: async (run) => void (await run('/usr/bin/rm', ['-f', key, certificate])),
  units: () => [
    // Debian's own would serve on the ports of nginx.
    { name: 'apache2.service', run: false },
    { name: 'panel-site-*.socket', run: 'as-it-is', renew: 'never' },
  ],
}
