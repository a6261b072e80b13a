import { ownedByName } from '../accounts/lookup.ts'
import { lowerAscii, toAscii } from '../accounts/names.ts'
import { zones } from './tables.ts'

export const zonesByName = ownedByName(zones, (wanted) =>
  'name' in wanted ? { name: toAscii(wanted.name) ?? wanted.name } : { prefix: lowerAscii(wanted.prefix) },
)
