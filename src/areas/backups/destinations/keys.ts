import { randomBytes } from 'node:crypto'
import type { Repository } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { DestinationRow } from '../tables.ts'

/** The encryption purpose of destination keys. */
export const purpose = 'backup destination'

/** A remote destination's credentials, and the key that encrypts backups there. */
export interface DestinationKeys {
  readonly password: string
  readonly secret_key?: string | undefined
  readonly private_key?: string | undefined
}

export const newPassword = (): string => randomBytes(24).toString('base64url')

export const sealed = ({ seal }: Pick<Runtime, 'seal'>, keys: DestinationKeys): string =>
  seal(purpose, JSON.stringify(keys))

export const unsealed = ({ unseal }: Pick<Runtime, 'unseal'>, { keys }: DestinationRow): DestinationKeys =>
  JSON.parse(unseal(purpose, keys!)) as DestinationKeys

/** A remote destination, as the host reaches it. */
export function repositoryOf(runtime: Pick<Runtime, 'unseal'>, row: DestinationRow): Repository | undefined {
  if (row.type === 'local') return undefined
  const { password, secret_key, private_key } = unsealed(runtime, row)
  const { endpoint, bucket, prefix, region, access_key, host, port = 22, user, host_key } = row.settings
  if (row.type === 'sftp') {
    const key = { privateKey: private_key!, hostKey: host_key! }
    return { type: 'sftp', host: host!, port, user: user!, path: row.path!, ...key, password }
  }
  return {
    type: 's3',
    endpoint: endpoint!,
    bucket: bucket!,
    ...(prefix !== undefined && { prefix }),
    ...(region !== undefined && { region }),
    accessKey: access_key!,
    secretKey: secret_key!,
    password,
  }
}
