import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations/index.ts'
import { recoveryPurpose, totpPurpose } from './totp.ts'

export const stored: Partial<StoreParts> = {
  migrations,
  // Sessions that have ended since a backup would live again.
  restore: ['DELETE FROM sessions;'],
  sealed: [
    { table: 'two_factor', column: 'secret', purpose: totpPurpose },
    { table: 'two_factor', column: 'recovery_codes', purpose: recoveryPurpose },
  ],
}
