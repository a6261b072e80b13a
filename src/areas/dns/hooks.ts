import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { AccountPart } from '../accounts/objects/part.ts'
import { accountById, addressesOfAccount, type FullAccount, nameOf } from '../accounts/store.ts'
import type { DomainPart } from '../domains/part.ts'
import type { DomainRow } from '../domains/tables.ts'
import { addressesOf } from '../nodes/addresses.ts'
import { allNodes } from '../nodes/store.ts'
import { emitZoneEvent, makeZone } from './create.ts'
import { templateFor } from './default-records.ts'
import { noteApplied } from './jobs.ts'
import { addSub, followAddresses, isAddress, isTaken, managedAt, removeSub } from './managed.ts'
import { isWithin, relative } from './names.ts'
import { allPeers } from './peers/store.ts'
import { addManaged, raiseSerial, serversFor } from './save-zone.ts'
import { nextSerial, previousSerial } from './serial.ts'
import { beyondServed, unsigned } from './signing.ts'
import { outputOf, recordsOf, removeRecord, removeZone, setZone, zoneOfDomain, zonesOf } from './store.ts'
import { addressRecords, discoveryServiceName } from './template.ts'

type HookContext = Pick<Context, 'db'>

const accountOf = ({ db }: HookContext, { account_id }: DomainRow) => accountById(db, account_id)!
const zoneAbove = ({ db }: HookContext, { parent_id }: DomainRow) =>
  parent_id === null ? undefined : zoneOfDomain(db, parent_id)

/** The account's own events cover its main domain. */
const isReported = ({ kind }: DomainRow): boolean => kind !== 'main'

function created(ctx: Context, domain: DomainRow): void {
  const account = accountOf(ctx, domain)
  if (domain.kind === 'sub') return subCreated(ctx, account, domain)
  const zone = makeZone(ctx, domain, account.owner_id)
  if (isReported(domain)) emitZoneEvent(ctx, nameOf(account), 'created', zone)
}

function subCreated(ctx: Context, account: FullAccount, domain: DomainRow): void {
  const zone = zoneAbove(ctx, domain)
  if (!zone) return
  addSub(ctx, nameOf(account), zone, addressRecords(relative(domain.name, zone.name), addressesOfAccount(account)))
}

function deleted(ctx: Context, domain: DomainRow): void {
  const account = nameOf(accountOf(ctx, domain))
  const zone = domain.kind === 'sub' ? zoneAbove(ctx, domain) : zoneOfDomain(ctx.db, domain.id)
  if (!zone) return
  if (domain.kind === 'sub') return removeSub(ctx, account, zone, relative(domain.name, zone.name))
  removeZone(ctx, zone.id)
  emitZoneEvent(ctx, account, 'deleted', zone)
}

/** The zone is deleted with its domain's row; a subdomain's records in the zone above it are not. */
function undone({ store, clock }: Runtime, domain: DomainRow): void {
  const zone = domain.kind === 'sub' ? zoneAbove(store, domain) : undefined
  if (!zone) return
  const gone = managedAt(store, zone, relative(domain.name, zone.name))
  for (const { id } of gone) removeRecord(store, id)
  if (gone.length > 0) setZone({ store }, zone.id, { serial: nextSerial(zone.serial, clock.now()) })
}

/** Renames the main domain's zone: keeps the customer's records and regenerates the managed ones. */
function changed(ctx: Context, before: DomainRow, after: DomainRow): void {
  const zone = after.kind === 'main' && before.name !== after.name ? zoneOfDomain(ctx.db, after.id) : undefined
  if (!zone) return
  const { owner_id } = accountOf(ctx, after)
  const there = recordsOf(ctx.db, zone.id)
  for (const row of there.filter(({ managed }) => managed)) removeRecord(ctx, row.id)
  const own = there.filter(({ managed }) => !managed).map(outputOf)
  const had = zone.dnskey === null ? zone.serial : beyondServed(zone, ctx.now)
  const served = { ...zone, serial: Math.max(had, previousSerial(ctx.db, after.name)) }
  const renamed = raiseSerial(ctx, served, owner_id, {
    name: after.name,
    nameservers: serversFor(ctx, owner_id),
    applied_serial: null,
    ...unsigned,
  })
  addManaged(
    ctx,
    renamed,
    templateFor(ctx, renamed).filter((record) => !isTaken(own, record) && !isAliased(own, record)),
  )
}

/** Whether a service's host is an alias of the customer's. */
const isAliased = (own: readonly ZoneRecord[], { name }: ZoneRecord): boolean =>
  name === discoveryServiceName && own.some((record) => record.name === 'autodiscover' && record.type === 'CNAME')

/** Of peers, and of nodes that serve the zones of accounts on others. */
const secondaryAddresses = (db: HookContext['db']): string[] => [
  ...allPeers(db).flatMap(({ addresses }) => addresses),
  ...allNodes(db)
    .filter(({ roles, state }) => state !== 'retired' && (roles.includes('dns') || roles.includes('dns-secondary')))
    .flatMap(({ name }) => addressesOf(db, name).map(({ address }) => address)),
]

/** A domain's zone; for a subdomain the one that holds its address. */
function zoneIdOf(db: HookContext['db'], domain: DomainRow): string | undefined {
  if (domain.kind !== 'sub') return zoneOfDomain(db, domain.id)?.id
  const zone = zoneAbove({ db }, domain)
  if (!zone || !isWithin(domain.name, zone.name)) return undefined
  const name = relative(domain.name, zone.name)
  return recordsOf(db, zone.id).some((row) => row.name === name && isAddress(row)) ? zone.id : undefined
}

export const ofDomain = {
  created,
  changed,
  deleted,
  undone,
  nameserverAddresses: secondaryAddresses,
  view(db, domain) {
    const zone_id = zoneIdOf(db, domain)
    return zone_id === undefined ? {} : { zone_id }
  },
} satisfies DomainPart

export const ofAccount = {
  changed(ctx, before, after) {
    if (before.ip_address === after.ip_address && before.ip6_address === after.ip6_address) return
    const addresses = addressesOfAccount(after)
    for (const zone of zonesOf.all(ctx.db, after.id)) followAddresses(ctx, nameOf(after), zone, addresses)
  },
  applied: (ctx, _account, state) => noteApplied(ctx, state),
} satisfies AccountPart
