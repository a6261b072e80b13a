import type { StoreParts } from '../../store/parts.ts'
import { purpose as relayPassword } from '../relays/store.ts'
import { purpose } from './dkim/store.ts'
import { migrations } from './migrations.ts'

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['email_domains', 'email_mailboxes', 'email_forwarders', 'email_keys'],
  counts: { mailboxes: 'SELECT count(*) FROM email_mailboxes' },
  sealed: [
    { table: 'email_keys', column: 'private_key', purpose },
    { table: 'email_relays', column: 'password', purpose: relayPassword },
  ],
}
