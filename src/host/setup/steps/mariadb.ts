import type { Do, Step } from '../step.ts'

const data = '/var/lib/mysql'

/** Its subdirectories are named after all accounts' databases; clients need only the socket. */
async function closeData(run: Do): Promise<boolean> {
  const mode = (await run('/usr/bin/stat', ['-L', '-c', '%a', data])).trim()
  if (mode.endsWith('0')) return false
  await run('/usr/bin/chmod', ['o-rwx', data])
  return true
}

export const mariadb: Step = {
  name: 'mariadb',
  choice: 'mysql',
  packages: () => ['mariadb-server'],
  ports: [{ port: 3306, protocol: 'tcp', of: ['mariadbd'] }],
  prepare: closeData,
  units: () => [{ name: 'mariadb.service', run: true }],
}
