import type { Migration } from '../../../store/migrate.ts'
import { sql as sessions } from './0003-sessions.ts'
import { sql as sessionRights } from './0007-session-rights.ts'
import { sql as switched } from './0035-switched.ts'
import { sql as attempts } from './0044-attempts.ts'
import { sql as contactAddresses } from './0047-contact-addresses.ts'
import { sql as rootLinks } from './0050-root-links.ts'
import { sql as passwordResets } from './0056-password-resets.ts'
import { sql as resetAddresses } from './0068-reset-addresses.ts'
import { sql as passkeys } from './0077-passkeys.ts'

export const migrations: readonly Migration[] = [
  { name: '0003-sessions', sql: sessions },
  { name: '0007-session-rights', sql: sessionRights },
  { name: '0035-switched', sql: switched },
  { name: '0044-attempts', sql: attempts },
  { name: '0047-contact-addresses', sql: contactAddresses },
  { name: '0050-root-links', sql: rootLinks },
  { name: '0056-password-resets', sql: passwordResets },
  { name: '0068-reset-addresses', sql: resetAddresses },
  { name: '0077-passkeys', sql: passkeys },
]
