import { sandboxProperties } from '../../debian/sandbox.ts'
import { cgiSocket } from '../../parts/php.ts'
import type { Step } from '../step.ts'

const header = '# Written by `panel host setup`. Make changes with `systemctl edit'

/** Started and stopped with each account's PHP, in a directory that only nginx can enter. */
const socket = `${header} panel-cgi@.socket\`.
[Unit]
Description=CGI scripts of %i, for nginx
# By default the machine starts sockets before services, and this one comes after one.
DefaultDependencies=no
Conflicts=shutdown.target
Before=shutdown.target
After=panel-php@%i.service
PartOf=panel-php@%i.service

[Socket]
ListenStream=${cgiSocket('%i')}
SocketGroup=www-data
SocketMode=0660
RemoveOnStop=yes
`

/** Started by the first request. */
const service = `${header} panel-cgi@\`.
[Unit]
Description=CGI scripts of %i
After=panel-php@%i.service
PartOf=panel-php@%i.service

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
export const cgi: Step = {
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
