import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { recoveryPurpose } from './recovery-codes.ts'
import { totpPurpose } from './totp.ts'

export const stored: Partial<StoreParts> = {
  migrations,
  // Sessions that ended after the backup would be valid again, and used links.
  restore: ['DELETE FROM sessions;', 'DELETE FROM password_resets;'],
  sealed: [
    { table: 'two_factor', column: 'secret', purpose: totpPurpose },
    { table: 'recovery_codes', column: 'codes', purpose: recoveryPurpose },
  ],
}
