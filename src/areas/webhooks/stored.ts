import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { purpose } from './secret.ts'

/** More than any backup can lag behind. */
const numbers = 1_000_000

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['webhooks'],
  restore: [`UPDATE deliveries SET number = number + ${numbers} * jumps();`],
  sealed: [
    { table: 'webhooks', column: 'secret', purpose },
    { table: 'webhooks', column: 'former_secret', purpose },
  ],
}
