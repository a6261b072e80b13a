import { openapi } from '../contract/openapi.ts'
import type { HostDriver } from '../host/driver.ts'
import type { JobKind } from '../runtime/kind.ts'
import type { Finder } from '../runtime/ports.ts'
import { type Handler, type Handlers, Raw } from '../runtime/run.ts'
import type { Db } from '../store/open.ts'
import { accountJobs } from './accounts/jobs.ts'
import { showAccount } from './accounts/json.ts'
import { accountOperations } from './accounts/operations.ts'
import { auditOperations } from './audit/operations.ts'
import { eventOperations } from './events/operations.ts'
import { featureListOperations } from './feature-lists/operations.ts'
import { findFeatureList } from './feature-lists/store.ts'
import { ipOperations } from './ips/operations.ts'
import { findIp } from './ips/store.ts'
import { jobOperations } from './jobs/operations.ts'
import { findJob } from './jobs/store.ts'
import { packageJobs } from './packages/jobs.ts'
import { packageOperations } from './packages/operations.ts'
import { findPackage } from './packages/store.ts'
import { aclOperations, findAcl } from './resellers/acls.ts'
import { resellerOperations } from './resellers/operations.ts'
import { findReseller } from './resellers/store.ts'
import { serverOperations } from './server/operations.ts'
import { sessionOperations } from './sessions/operations.ts'
import { findOwnSession } from './sessions/store.ts'
import { ssoOperations } from './sso/operations.ts'
import { tokenOperations } from './tokens/operations.ts'
import { accountTokens, adminTokens, findToken } from './tokens/store.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { findDelivery, findWebhook } from './webhooks/store.ts'

let description: Raw | undefined
const getOpenApi: Handler = {
  handle() {
    description ??= new Raw(JSON.stringify(openapi({ server: '/api/v1' })))
    return description
  },
}

/** What every operation does; an operation without a handler does not compile. */
export const handlers: Handlers = {
  getOpenApi,
  ...accountOperations,
  ...packageOperations,
  ...featureListOperations,
  ...ipOperations,
  ...jobOperations,
  ...tokenOperations,
  ...webhookOperations,
  ...eventOperations,
  ...auditOperations,
  ...resellerOperations,
  ...aclOperations,
  ...ssoOperations,
  ...sessionOperations,
  ...serverOperations,
}

/** Who finds the object that each path names, with the actor. */
export const finders: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ['/accounts/{id}', (ctx, { id }) => showAccount(ctx, id!)],
  ['/accounts/{id}/jobs/{jid}', (ctx, { id, jid }) => findJob(ctx, jid!, id)],
  ['/accounts/{id}/tokens/{tid}', (ctx, { id, tid }) => findToken(ctx, tid!, accountTokens(id!))],
  ['/acls/{id}', (ctx, { id }) => findAcl(ctx, id!)],
  ['/accounts/{id}/webhooks/{wid}', (ctx, { id, wid }) => findWebhook(ctx, wid!, id)],
  ['/accounts/{id}/webhooks/{wid}/deliveries/{did}', (ctx, { wid, did }) => findDelivery(ctx, wid!, did!)],
  ['/auth/sessions/{sid}', (ctx, { sid }) => findOwnSession(ctx, sid!, 'admin')],
  ['/feature-lists/{id}', (ctx, { id }) => findFeatureList(ctx, id!)],
  ['/ips/{id}', (ctx, { id }) => findIp(ctx, id!)],
  ['/jobs/{id}', (ctx, { id }) => findJob(ctx, id!)],
  ['/packages/{id}', (ctx, { id }) => findPackage(ctx, id!)],
  ['/resellers/{id}', (ctx, { id }) => findReseller(ctx, id!)],
  ['/tokens/{tid}', (ctx, { tid }) => findToken(ctx, tid!, adminTokens(ctx))],
  ['/user/auth/sessions/{sid}', (ctx, { sid }) => findOwnSession(ctx, sid!, 'user')],
  ['/webhooks/{wid}', (ctx, { wid }) => findWebhook(ctx, wid!, undefined)],
  ['/webhooks/{wid}/deliveries/{did}', (ctx, { wid, did }) => findDelivery(ctx, wid!, did!)],
])

/** Every kind of job. */
export function jobKinds(host: { db: Db; driver: HostDriver; hostname: string }): ReadonlyMap<string, JobKind> {
  const kinds = [...accountJobs(host), ...packageJobs(host.db)]
  return new Map(kinds.map((kind) => [kind.kind, kind]))
}

export { measure, startMeasuring } from './accounts/usage.ts'
export { hasFeature } from './feature-lists/store.ts'
export { authenticateSession } from './sessions/authenticate.ts'
export { sessionUses } from './sessions/store.ts'
export { authenticateToken } from './tokens/authenticate.ts'
export { tokenUses } from './tokens/use.ts'
