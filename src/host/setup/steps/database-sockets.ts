import { accountSockets, serverSockets, socketTemplate, sqlGroup } from '../../debian/db/sockets.ts'
import type { Do, SetupStep } from '../step.ts'

/** The number of connections that an account's programs have through its socket. */
const MAX_CONNECTIONS = 50
const MAX_IDLE_S = 600

const header = '# Written by `panel host setup`. Make changes with `systemctl edit'

/** No account can enter the directory, so that none gets at another's socket. */
const folder = `# Written by \`panel host setup\`.
d ${accountSockets} 0000 root root
`

/** The directory stays when the socket goes: programs that run have it in place of MariaDB's. */
const socket = `${header} panel-mysql@.socket\`.
[Unit]
Description=MariaDB for programs of %i

[Socket]
ExecStartPre=/usr/bin/install -d -o root -g root -m 0755 ${accountSockets}/%i
ListenStream=${accountSockets}/%i/mysqld.sock
SocketMode=0666
RemoveOnStop=yes
`

/** Debian 12's says nothing when it is ready, so nothing waits for that. However it ends, its socket starts it again. It lets one more than its maximum pass. It runs as a user of its own, which no account's program may signal, and with which none shares the kernel's limits. */
const service = `${header} panel-mysql@\`.
[Unit]
Description=Connections to MariaDB of programs of %i
Requires=panel-mysql@%i.socket
After=panel-mysql@%i.socket
StartLimitIntervalSec=0
CollectMode=inactive-or-failed

[Service]
Type=exec
ExecStart=-/usr/lib/systemd/systemd-socket-proxyd --connections-max=${MAX_CONNECTIONS - 1} --exit-idle-time=${MAX_IDLE_S}s ${serverSockets}/mysqld.sock
DynamicUser=yes
SupplementaryGroups=${sqlGroup}
MemoryMax=64M
TasksMax=16
LimitCORE=0
# Every connection over the limit is a warning.
LogLevelMax=err
CapabilityBoundingSet=
InaccessiblePaths=-/etc/panel
PrivateDevices=yes
PrivateNetwork=yes
ProtectHome=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
`

async function ensureGroup(run: Do): Promise<boolean> {
  if (await run('/usr/bin/getent', ['group', sqlGroup]).catch(() => '')) return false
  await run('/usr/sbin/groupadd', ['--system', sqlGroup])
  return true
}

/** Before the units and sessions of accounts, which have these in place of MariaDB's own. */
export const databaseSockets: SetupStep = {
  name: 'database-sockets',
  choice: 'mysql',
  packages: () => [],
  dirs: [{ path: accountSockets, mode: 0 }],
  files: () => [
    { path: '/etc/tmpfiles.d/panel-mysql.conf', content: folder, mode: 0o644 },
    { path: socketTemplate, content: socket, mode: 0o644 },
    { path: socketTemplate.replace('.socket', '.service'), content: service, mode: 0o644 },
  ],
  prepare: ensureGroup,
  undo: (run) =>
    run('/usr/sbin/groupdel', [sqlGroup]).then(
      () => {},
      () => {},
    ),
  units: () => [{ name: 'panel-mysql@*.socket', run: 'as-it-is' }],
}
