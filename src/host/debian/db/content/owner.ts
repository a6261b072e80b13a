import type { Definer } from '../../../backup/definer.ts'
import type { StatementTarget } from '../../../parts/db/statements.ts'

/** An account's users on the server, and the one with the most privileges on the database. */
export interface Owners {
  readonly users: readonly StatementTarget[]
  readonly max: string | undefined
}

interface DatabaseOwner {
  readonly user: string
  readonly host: string
  readonly warning?: string
}

interface Prefixes {
  readonly prefix: string
  readonly formerPrefix: string
}

/** The user that a restored object runs as: the original one, or else one of the account's; never another account's. */
export function ownerOf(
  was: Definer | undefined,
  { users, max }: Owners,
  { prefix, formerPrefix }: Prefixes,
): DatabaseOwner {
  const user = was?.user.startsWith(formerPrefix) ? `${prefix}${was.user.slice(formerPrefix.length)}` : undefined
  const known = users.filter(({ name }) => name === user)
  const [found] = [known.find(({ host }) => host === was?.host), known.find(({ host }) => host === 'localhost')].filter(
    (one) => one !== undefined,
  )
  if (found) return { user: found.name, host: found.host }
  const as = max ?? `${prefix}nobody`
  const before = was ? `${was.user}@${was.host}` : 'a user that is not known'
  const does = max === undefined ? `does not work until there is a database user ${as}` : `runs as ${as} now`
  return { user: as, host: 'localhost', warning: `ran as ${before}, and ${does}` }
}
