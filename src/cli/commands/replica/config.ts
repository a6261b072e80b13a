import { join } from 'node:path'
import { replicaMark } from '../../../shared/replica.ts'
import type { Destination } from './destination.ts'

export interface ReplicaSettings {
  readonly dataDir: string
  readonly destination: Destination
  /** The port of its metrics. */
  readonly port: number
  /** What the destination needs besides its address: keys, a region, an endpoint. */
  readonly access: Readonly<Record<string, string>>
}

/** Each upload to a bucket costs money. */
const pauses = { file: '250ms', sftp: '500ms', s3: '1s' } as const

/** The text of Litestream's configuration; JSON strings are YAML. */
export function configOf({ dataDir, destination, port, access }: ReplicaSettings): string {
  const { type, fields, label } = destination
  const replica = { type, ...fields, ...access, 'sync-interval': pauses[type] }
  const lines = Object.entries(replica).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `${replicaMark}${label}.
# It may hold secrets: only its owner can read it. Run the command again to change it.
addr: 127.0.0.1:${port}
dbs:
  - path: ${JSON.stringify(join(dataDir, 'panel.db'))}
    monitor-interval: 250ms
    replicas:
      - ${lines.join('\n        ')}
        retention: 24h
        snapshot-interval: 6h
`
}
