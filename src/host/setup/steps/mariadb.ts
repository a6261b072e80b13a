import type { Do, Step } from '../step.ts'

const data = '/var/lib/mysql'

/** Its subdirectories are named after all accounts' databases; clients need only the socket. */
async function closeData(run: Do): Promise<boolean> {
  const mode = (await run('/usr/bin/stat', ['-L', '-c', '%a', data])).trim()
  if (mode.endsWith('0')) return false
  await run('/usr/bin/chmod', ['o-rwx', data])
  return true
}

/** One customer must not take all connections, nor fill the disk with temporary tables. Unknown to 10.11: the loose ones. */
const bounds = `# Written by \`panel host setup\`.
[mariadbd]
max_connections = 300
max_user_connections = 50
innodb_temp_data_file_path = ibtmp1:12M:autoextend:max:4G
tmp_disk_table_size = 1G
maximum-tmp-disk-table-size = 1G
loose-max-tmp-session-space-usage = 1G
loose-max-tmp-total-space-usage = 4G
`

export const mariadb: Step = {
  name: 'mariadb',
  choice: 'mysql',
  packages: () => ['mariadb-server'],
  ports: [{ port: 3306, protocol: 'tcp', of: ['mariadbd'] }],
  files: () => [{ path: '/etc/mysql/mariadb.conf.d/90-panel-bounds.cnf', content: bounds, mode: 0o644 }],
  prepare: closeData,
  units: () => [{ name: 'mariadb.service', run: true }],
}
