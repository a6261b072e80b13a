import { ownedByName } from '../accounts/operations/lookup.ts'
import { databases, users } from './tables.ts'

/** Names are matched exactly: none has capitals. */
export const mysqlLookup = { database: ownedByName(databases), database_user: ownedByName(users) }
