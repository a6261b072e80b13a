import { serverSockets, sqlGroup } from '../../debian/db/sockets.ts'
import type { Do, SetupStep } from '../step.ts'

const data = '/var/lib/mysql'

/** Its subdirectories are named after all accounts' databases; clients need only the socket. */
async function closeData(run: Do): Promise<boolean> {
  const mode = (await run('/usr/bin/stat', ['-L', '-c', '%a', data])).trim()
  if (mode.endsWith('0')) return false
  await run('/usr/bin/chmod', ['o-rwx', data])
  return true
}

const openSockets = ['-d', '-o', 'mysql', '-g', sqlGroup, '-m', '0750', serverSockets] as const

/** Debian's own has it open to all users. */
const folder = `# Written by \`panel host setup\`: programs of accounts have sockets of their own.
d ${serverSockets} 0750 mysql ${sqlGroup}
`

/** Only root and who has this capability listen on the ports of services: see the step `ports`. */
const service = `# Written by \`panel host setup\`.
[Service]
AmbientCapabilities=CAP_NET_BIND_SERVICE
ExecStartPre=+/usr/bin/install ${openSockets.join(' ')}
`

/**
 * Apps that run since before there were sockets of accounts have MariaDB's: they are started anew with theirs, by the
 * agent.
 */
async function closeSockets(run: Do): Promise<boolean> {
  const rights = (await run('/usr/bin/stat', ['-c', '%a %G', serverSockets]).catch(() => '')).trim()
  if (rights === '' || rights === `750 ${sqlGroup}`) return false
  await run('/usr/bin/systemctl', ['stop', 'panel-app-*.service'])
  await run('/usr/bin/install', openSockets)
  return true
}

const reopenSockets = (run: Do): Promise<void> =>
  run('/usr/bin/install', ['-d', '-o', 'mysql', '-g', 'root', '-m', '0755', serverSockets]).then(
    () => {},
    () => {},
  )

/** One customer must not take all connections, nor fill the disk with temporary tables. Unknown to 10.11: the loose ones. */
const bounds = `# Written by \`panel host setup\`.
[mariadbd]
max_connections = 2000
max_user_connections = 50
connect_timeout = 5
innodb_temp_data_file_path = ibtmp1:12M:autoextend:max:4G
tmp_disk_table_size = 1G
maximum-tmp-disk-table-size = 1G
loose-max-tmp-session-space-usage = 1G
loose-max-tmp-total-space-usage = 4G
`

export const mariadb: SetupStep = {
  name: 'mariadb',
  choice: 'mysql',
  packages: () => ['mariadb-server'],
  ports: [{ port: 3306, protocol: 'tcp', of: ['mariadbd'] }],
  files: () => [
    { path: '/etc/mysql/mariadb.conf.d/90-panel-bounds.cnf', content: bounds, mode: 0o644 },
    { path: '/etc/systemd/system/mariadb.service.d/panel.conf', content: service, mode: 0o644 },
    { path: '/etc/tmpfiles.d/mariadb.conf', content: folder, mode: 0o644 },
  ],
  prepare: async (run) => [await closeData(run), await closeSockets(run)].includes(true),
  undo: reopenSockets,
  units: () => [{ name: 'mariadb.service', run: true }],
}
