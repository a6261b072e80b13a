import { ownedByName } from '../accounts/operations/lookup.ts'
import { lowerAscii, pastedToAscii } from '../accounts/operations/names.ts'
import { zones } from './tables.ts'

export const zonesByName = ownedByName(zones, (query) =>
  'name' in query ? { name: pastedToAscii(query.name) ?? query.name } : { prefix: lowerAscii(query.prefix) },
)
