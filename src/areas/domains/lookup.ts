import { ownedByName } from '../accounts/operations/lookup.ts'
import { lowerAscii } from '../accounts/operations/names.ts'
import { asciiName } from './names.ts'
import { domains } from './tables.ts'

export const domainsByName = ownedByName(domains, (query) =>
  'name' in query ? { name: asciiName(query.name) ?? query.name } : { prefix: lowerAscii(query.prefix) },
)
