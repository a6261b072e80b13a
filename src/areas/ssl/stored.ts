import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { purposes } from './sealed.ts'

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['certificates'],
  sealed: [
    { table: 'certificates', column: 'private_key', purpose: purposes.certificate },
    { table: 'csrs', column: 'private_key', purpose: purposes.csr },
    { table: 'acme_accounts', column: 'private_key', purpose: purposes.acme },
  ],
}
