import type { Runtime } from '../../runtime/runtime.ts'
import type { FailureTally } from '../../shared/failure-counter.ts'
import { announce, type BanChanges } from './announce.ts'
import { loginsOf } from './logins.ts'
import type { CountedService } from './services.ts'
import { banOf, durationOf, insertBan, isFullOfBans, updateBan } from './store.ts'
import type { BanRow } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** Bans were made or lifted: hosts are told. */
    bans: []
  }
}

/** Bans an address that failed too often, for longer each time; `node` is one that saw it. Inside a change. */
export function banFor(changes: BanChanges, tally: FailureTally<CountedService>, node?: string): void {
  const { db, now } = changes
  const { service, failures, network } = tally
  if (banOf(db, now, network) || isFullOfBans(db, now)) return
  const { accounts, onlyThere, sample } = loginsOf(db, tally)
  insertBan(db, changes.id(), {
    ...{ address: network, service, failures, reason: `${failures} failed sign-ins`, sample },
    ...{ origin: node === undefined ? 'system' : 'node', node: node ?? null },
    ...{ since: now, until: now + durationOf(db, network, now), accounts, only_there: onlyThere },
  })
  changed(changes)
}

export interface Wish {
  readonly address: string
  readonly until: number
  readonly reason: string
}

/** Root's ban of an address. Inside a change. */
export function banByRoot(changes: BanChanges, { address, until, reason }: Wish): BanRow {
  const row = insertBan(changes.db, changes.id(), {
    ...{ address, service: 'manual', failures: 0, reason, sample: [], accounts: [], only_there: false },
    ...{ origin: 'root', node: null, since: changes.now, until },
  })
  changed(changes)
  return row
}

/** A ban lasts at least until then. Inside a change. */
export function prolong(changes: BanChanges, ban: BanRow, { until, reason }: Omit<Wish, 'address'>): BanRow {
  const row = updateBan(changes.db, ban, { until: Math.max(ban.until, until), reason })
  notify(changes.runtime)
  return row
}

/** Inside a change. */
export function lift(changes: BanChanges, ban: BanRow): void {
  updateBan(changes.db, ban, { lifted_at: changes.now })
  changed(changes)
}

function changed(changes: BanChanges): void {
  announce(changes)
  notify(changes.runtime)
}

const notify = (runtime: Runtime): void => runtime.store.afterCommit(() => runtime.signals.emit('bans'))
