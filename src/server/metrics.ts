import type { Declaration } from '../contract/operation.ts'
import type { Actor } from '../runtime/operations/actor.ts'
import { authorize } from '../runtime/operations/authorize.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** Not an API operation, but authorized like one: root, or root's admin token with read access to the area server. */
export const readMetrics: Declaration = {
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  area: 'server',
  summary: 'Metrics in the text format of Prometheus',
  status: 200,
  allow: {},
  token: { admin: ['server'], account: 'none' },
}

/** The metrics, or 401 or 403. */
export function metricsFor(runtime: Runtime, actor: Actor | undefined): string {
  authorize(readMetrics, actor, {})
  return runtime.metrics.text(({ name }, error) => runtime.log.warn({ err: error, metric: name }, 'could not be read'))
}
