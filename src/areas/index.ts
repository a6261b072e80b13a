import type { OperationId, Operations } from '../contract/index.ts'
import type { Output } from '../contract/operation.ts'
import type { HostParts } from '../host/contract/driver.ts'
import type { Area } from '../runtime/areas/area.ts'
import { union } from '../runtime/areas/merge-areas.ts'
import type { Services } from '../runtime/areas/ports.ts'
import type { ObjectPaths } from '../runtime/operations/found.ts'
import type { Handlers } from '../runtime/operations/run.ts'
import type { Screen } from '../web/kit/screen.ts'
import { accounts } from './accounts/index.ts'
import { alerts } from './alerts/index.ts'
import { apps } from './apps/index.ts'
import { audit } from './audit/index.ts'
import { backups } from './backups/index.ts'
import { bans } from './bans/index.ts'
import { cron } from './cron/index.ts'
import { customerEmails } from './customer-emails/index.ts'
import { description } from './description/index.ts'
import { dns } from './dns/index.ts'
import { domains } from './domains/index.ts'
import { email } from './email/index.ts'
import { events } from './events/index.ts'
import { featureLists } from './feature-lists/index.ts'
import { files } from './files/index.ts'
import { firewall } from './firewall/index.ts'
import { ftp } from './ftp/index.ts'
import { host } from './host/index.ts'
import { imports } from './imports/index.ts'
import { ips } from './ips/index.ts'
import { jobs } from './jobs/index.ts'
import { logs } from './logs/index.ts'
import { lookup } from './lookup/index.ts'
import { mailer } from './mailer/index.ts'
import { monitoring } from './monitoring/index.ts'
import { mysql } from './mysql/index.ts'
import { nodes } from './nodes/index.ts'
import { notices } from './notices/index.ts'
import { packages } from './packages/index.ts'
import { php } from './php/index.ts'
import { relays } from './relays/index.ts'
import { resellers } from './resellers/index.ts'
import { security } from './security/index.ts'
import { server } from './server/index.ts'
import { sessions } from './sessions/index.ts'
import { ssh } from './ssh/index.ts'
import { ssl } from './ssl/index.ts'
import { sso } from './sso/index.ts'
import { tokens } from './tokens/index.ts'
import { webhooks } from './webhooks/index.ts'
import { wordpress } from './wordpress/index.ts'

/** Every area, and the only list of them. One stands behind those that it builds on: so go first starts and hooks. */
export const areas = [
  description,
  lookup,
  mailer,
  featureLists,
  ips,
  nodes,
  packages,
  accounts,
  resellers,
  php,
  domains,
  relays,
  // Before the zones, which begin with its records.
  email,
  dns,
  ssl,
  ssh,
  cron,
  mysql,
  apps,
  files,
  wordpress,
  logs,
  backups,
  ftp,
  imports,
  jobs,
  tokens,
  webhooks,
  notices,
  monitoring,
  customerEmails,
  alerts,
  events,
  audit,
  sessions,
  sso,
  bans,
  firewall,
  security,
  server,
  host,
] as const satisfies readonly Area[]

type Every<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never
type Each = (typeof areas)[number]
type Handled = Every<Each['handlers']>
type FoundObjects = Every<Extract<Each, { finders: unknown }>['finders']>
type AreasView = Every<Extract<Each, { settings: unknown }>['settings']>
type Served = Every<Extract<Each, { services: unknown }>['services']>

/** What every operation does. One without a handler does not compile, nor does a handler without an operation. */
export const handlers: Handlers & Record<Exclude<keyof Handled, OperationId>, never> = union(
  'handler of',
  areas.map((area: Area) => area.handlers as Record<string, unknown>),
) as unknown as Handled

/** What finds the objects of paths. A path that names one which nothing finds does not compile. */
export const finders: Readonly<Record<ObjectPaths<Operations[OperationId]['path']>, unknown>> = union(
  'finder of',
  areas.map((area: Area) => area.finders as Record<string, unknown> | undefined),
) as FoundObjects

/** The desired state of each part of a host; one that no area answers for does not compile. */
type Hosted = Every<Extract<Each, { ofAccount: { host: unknown } }>['ofAccount']['host']>
export const hosted: Readonly<Record<keyof HostParts, unknown>> = union(
  'state of the part',
  areas.map((area: Area) => area.ofAccount?.host),
) as Hosted

/** The settings that `/settings` shows. */
export const settings: Readonly<Record<keyof Output<Operations['getSettings']>, unknown>> = union(
  'setting',
  areas.map((area: Area) => area.settings),
) as AreasView

export const services: Services = union(
  'service',
  areas.map((area: Area) => area.services),
) as unknown as Served

/** The pages of all areas, loaded when they are first asked for. */
export async function screens(): Promise<readonly Screen[]> {
  const all = await Promise.all(areas.map((area: Area) => area.screens?.() ?? []))
  return all.flat()
}
