import type { Migration } from '../../../store/migrate.ts'
import { sql as zones } from './0012-zones.ts'
import { sql as previousSerials } from './0028-past-serials.ts'
import { sql as peers } from './0039-peers.ts'
import { sql as elsewhere } from './0040-elsewhere.ts'
import { sql as served } from './0041-served.ts'
import { sql as recordTops } from './0046-record-tops.ts'

export const migrations: readonly Migration[] = [
  { name: '0012-zones', sql: zones },
  { name: '0028-past-serials', sql: previousSerials },
  { name: '0039-peers', sql: peers },
  { name: '0040-elsewhere', sql: elsewhere },
  { name: '0041-served', sql: served },
  { name: '0046-record-tops', sql: recordTops },
]
