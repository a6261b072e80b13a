import { ownedByName } from '../accounts/lookup.ts'
import { lowerAscii } from '../accounts/names.ts'
import { asciiName } from './names.ts'
import { domains } from './tables.ts'

export const domainsByName = ownedByName(domains, (wanted) =>
  'name' in wanted ? { name: asciiName(wanted.name) ?? wanted.name } : { prefix: lowerAscii(wanted.prefix) },
)
