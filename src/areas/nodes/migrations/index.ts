import type { Migration } from '../../../store/migrate.ts'
import { sql as nodes } from './0037-nodes.ts'
import { sql as fleetKeys } from './0038-fleet-keys.ts'
import { sql as machine } from './0042-machine.ts'

export const migrations: readonly Migration[] = [
  { name: '0037-nodes', sql: nodes },
  { name: '0038-fleet-keys', sql: fleetKeys },
  { name: '0042-machine', sql: machine },
]
