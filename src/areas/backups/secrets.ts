import { randomBytes } from 'node:crypto'
import type { Runtime } from '../../runtime/runtime.ts'
import { encryptionOf } from '../../runtime/security/seal.ts'
import type { Secrets } from '../accounts/objects/part.ts'
import { setBackup } from './store.ts'
import type { BackupRow } from './tables.ts'

/** The encryption purpose of backup keys. */
export const purpose = 'backup key'

const column = { purpose: 'secret in a backup' }

/**
 * A backup's secrets are encrypted with its own key, kept in the store, so that they outlive a rotation of secret.key.
 */
export async function secretsFor(runtime: Runtime, backup: BackupRow): Promise<Secrets> {
  const { store } = runtime
  if (backup.secrets_key !== null) return secretsIn(runtime, backup)
  const secrets_key = runtime.seal(purpose, randomBytes(32).toString('hex'))
  await store.change(() => setBackup({ store }, backup.id, { secrets_key }))
  return secretsIn(runtime, { secrets_key })
}

/** Without the backup's key, nothing can be decrypted. */
export function secretsIn(runtime: Pick<Runtime, 'unseal'>, { secrets_key }: Pick<BackupRow, 'secrets_key'>): Secrets {
  const key = secrets_key === null ? randomBytes(32) : Buffer.from(runtime.unseal(purpose, secrets_key), 'hex')
  const { seal, unseal } = encryptionOf([key], [column])
  return {
    seal: (text) => seal(column.purpose, text),
    open(sealed) {
      try {
        return unseal(column.purpose, sealed)
      } catch {
        return undefined
      }
    },
  }
}
