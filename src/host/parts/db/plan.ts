import { hostText } from '../../../shared/sql/hosts.ts'
import { all, type Granted, privileges } from '../../../shared/sql/privileges.ts'
import type { ActualDb, ActualGrant, ActualUser } from './actual.ts'
import type { DatabaseState, DatabaseUserState, DbState } from './state.ts'
import {
  alterUser,
  canName,
  createDatabase,
  createUser,
  dropDatabase,
  dropUser,
  grant,
  grantPattern,
  killUser,
  revoke,
  type StatementTarget,
} from './statements.ts'

/** A server's desired state; locked while the account is suspended. */
export interface DesiredDb extends DbState {
  readonly locked: boolean
}

/** The desired state of a user at one of its hosts. */
interface GrantTarget extends StatementTarget {
  readonly row: DatabaseUserState
  readonly gone: boolean
}

/**
 * The statements that reconcile a server, in an order that can be interrupted anywhere and restarted. Drops only what
 * is called gone, and revokes only what exists.
 */
export function planDb(desired: DesiredDb, actual: ActualDb): string[] {
  const plan = new Plan(desired, actual)
  return [...plan.revokes(), ...plan.drops(), ...plan.creates(), ...plan.grants(), ...plan.kills()]
}

class Plan {
  readonly #actual: ActualDb
  readonly #locked: boolean
  readonly #databases: readonly DatabaseState[]
  readonly #places: readonly GrantTarget[]

  constructor(desired: DesiredDb, actual: ActualDb) {
    this.#actual = actual
    this.#locked = desired.locked
    this.#databases = desired.databases.toSorted(byName)
    this.#places = placesOf(desired)
  }

  get #existing(): readonly GrantTarget[] {
    return this.#places.filter(({ gone }) => !gone)
  }

  #user({ name, host }: StatementTarget): ActualUser | undefined {
    return this.#actual.users.find((user) => user.name === name && user.host === host)
  }

  #granted({ name, host }: StatementTarget, on: string): readonly string[] {
    return this.#actual.grants.find((one) => one.user === name && one.host === host && one.on === on)?.privileges ?? []
  }

  revokes(): string[] {
    const found = this.#actual.grants.toSorted(
      (a, b) => compare(a.user, b.user) || compare(a.host, b.host) || compare(a.on, b.on),
    )
    return found.flatMap((one) => {
      const { user: name, host, on } = one
      const much = this.#tooMuch(one)
      return much.length > 0 && canName(name, host, on) ? [revoke(much, on, { name, host })] : []
    })
  }

  /** For a user of the account, all surplus privileges; for others, those on a database that is gone. */
  #tooMuch({ user, host, on, privileges: granted }: ActualGrant): readonly string[] {
    const place = this.#places.find((one) => one.name === user && one.host === host)
    const isGone = this.#databases.some(({ name, gone }) => gone && grantPattern(name) === on)
    if (place?.gone || (!place && !isGone)) return []
    const request = place ? this.#desired(place, on) : []
    const more = request.includes(all)
      ? granted.filter((one) => one === 'GRANT OPTION')
      : granted.filter(beyond(request))
    return inOrder(more)
  }

  #desired({ row }: GrantTarget, on: string): Granted {
    const isExisting = this.#databases.some(({ name, gone }) => !gone && grantPattern(name) === on)
    const found = row.grants.find(({ database }) => grantPattern(database) === on)
    return (isExisting && found?.privileges) || []
  }

  drops(): string[] {
    const databases = this.#databases.filter(({ name, gone }) => gone && this.#actual.databases.includes(name))
    const users = this.#places.filter((place) => place.gone && this.#user(place))
    return [...databases.map(({ name }) => dropDatabase(name)), ...users.map(dropUser)]
  }

  creates(): string[] {
    const databases = this.#databases.filter(({ name, gone }) => !gone && !this.#actual.databases.includes(name))
    const users = this.#existing.flatMap((place) => this.#access(place))
    return [...databases.map(createDatabase), ...users.filter(isCreate), ...users.filter((text) => !isCreate(text))]
  }

  /** Sets a user's password and lock, unless both are right. */
  #access(place: GrantTarget): string[] {
    const found = this.#user(place)
    const request = { hash: place.row.hash, locked: this.#locked }
    if (!found) return [createUser(place, request)]
    return found.hash === request.hash && found.locked === request.locked ? [] : [alterUser(place, request)]
  }

  grants(): string[] {
    const existing = new Set(this.#databases.filter(({ gone }) => !gone).map(({ name }) => name))
    return this.#existing.flatMap((place) =>
      place.row.grants
        .filter(({ database }) => existing.has(database))
        .toSorted((a, b) => compare(a.database, b.database))
        .flatMap(({ database, privileges: request }) => this.#grant(place, grantPattern(database), request)),
    )
  }

  #grant(place: GrantTarget, on: string, request: Granted): string[] {
    const granted = this.#granted(place, on)
    if (request.includes(all)) return holdsAll(granted) ? [] : [grant(['ALL PRIVILEGES'], on, place)]
    const less = inOrder(request.filter(beyond(granted)))
    return less.length > 0 ? [grant(less, on, place)] : []
  }

  /**
   * Locking, changing a password and dropping a user affect logins only: sessions go on. A revoke takes effect at the
   * next USE.
   */
  kills(): string[] {
    const ended = this.#places.filter((place) => this.#mustEnd(place))
    return [...new Set(ended.map(({ name }) => name))].map(killUser)
  }

  #mustEnd(place: GrantTarget): boolean {
    const found = this.#user(place)
    const isConnected = this.#actual.sessions.includes(place.name)
    if (place.gone) return found !== undefined || (place.row.gone && isConnected)
    if (this.#locked && (isConnected || found?.locked === false)) return true
    if (!found) return false
    return found.hash !== place.row.hash || this.#isRevoked(place)
  }

  /** A dropped database ends its users' sessions. */
  #isRevoked({ name, host }: StatementTarget): boolean {
    return this.#actual.grants.some(
      (one) => one.user === name && one.host === host && this.#isExisting(one.on) && this.#tooMuch(one).length > 0,
    )
  }

  #isExisting(on: string): boolean {
    return !this.#databases.some(({ name, gone }) => gone && grantPattern(name) === on)
  }
}

const isCreate = (text: string): boolean => text.startsWith('CREATE')

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compare(a.name, b.name)

/** First every user at the server itself, then at each host. */
function placesOf({ users, hosts }: DbState): GrantTarget[] {
  const others = hosts.map(({ host, gone }) => ({ host: hostText(host), gone }))
  const all = [{ host: 'localhost', gone: false }, ...others.sort((a, b) => compare(a.host, b.host))]
  return users
    .toSorted(byName)
    .flatMap((row) => all.map(({ host, gone }) => ({ name: row.name, host, row, gone: gone || row.gone })))
}

const beyond =
  (others: readonly string[]) =>
  (one: string): boolean =>
    !others.includes(one)

/** Granted only by ALL: deleting history of versioned tables has no name of its own here. */
const onlyByAll = 'DELETE HISTORY'

const holdsAll = (granted: readonly string[]): boolean =>
  [...privileges, onlyByAll].every((privilege) => granted.includes(privilege))

/** In the list's order; unknown ones come last. */
function inOrder(some: readonly string[]): string[] {
  const known: readonly string[] = privileges
  const unknown = some.filter((one) => !known.includes(one))
  return [...known.filter((one) => some.includes(one)), ...unknown.toSorted(compare)]
}
