import type { Step } from '../step.ts'

export const mariadb: Step = {
  name: 'mariadb',
  choice: 'mysql',
  packages: () => ['mariadb-server'],
  ports: [{ port: 3306, protocol: 'tcp', of: ['mariadbd'] }],
  units: () => [{ name: 'mariadb.service', run: true }],
}
