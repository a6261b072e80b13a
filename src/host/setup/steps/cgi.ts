import { sandboxProperties } from '../../debian/sandbox.ts'
import { needsTerminals } from '../../debian/terminals.ts'
import { cgiSocket } from '../../parts/php/sets.ts'
import type { SetupStep } from '../step.ts'

const header = '# Written by `panel host setup`. Make changes with `systemctl edit'

/** Started and stopped with each account, in a directory that only nginx can enter. */
const socket = `${header} panel-cgi@.socket\`.
[Unit]
Description=CGI scripts of %i, for nginx

[Socket]
ListenStream=${cgiSocket('%i')}
# The account's own Apache reaches it, too.
SocketUser=%i
SocketGroup=www-data
SocketMode=0660
RemoveOnStop=yes
TriggerLimitIntervalSec=0

[Install]
WantedBy=sockets.target
`

/** Started by the first request. */
const service = `${header} panel-cgi@\`.
[Unit]
Description=CGI scripts of %i
StartLimitIntervalSec=0
${needsTerminals('%i').join('\n')}

[Service]
ExecStart=/usr/sbin/fcgiwrap -c 4 -f
User=%i
Slice=panel-%i.slice
Restart=always
# Scripts may ignore that they are to end.
KillMode=mixed
TimeoutStopSec=10
OOMPolicy=continue
UMask=0027
${sandboxProperties('%i').join('\n')}
CapabilityBoundingSet=
`

/** Runs scripts below /cgi-bin/ of sites, as their account. */
export const cgi: SetupStep = {
  name: 'cgi',
  packages: () => ['fcgiwrap'],
  files: () => [
    { path: '/etc/systemd/system/panel-cgi@.socket', content: socket, mode: 0o644 },
    { path: '/etc/systemd/system/panel-cgi@.service', content: service, mode: 0o644 },
  ],
  // Debian's own would run every account's scripts as nginx.
  units: () => [
    { name: 'fcgiwrap.socket', run: false },
    { name: 'panel-cgi@*.service', run: 'as-it-is' },
  ],
}
