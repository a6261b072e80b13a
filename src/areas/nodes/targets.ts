import { isIPv6 } from 'node:net'
import type * as declared from '../../contract/nodes.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { allNodes } from './store.ts'

const exporter = 9100

const withPort = (address: string, port: number): string => `${isIPv6(address) ? `[${address}]` : address}:${port}`

/** Prometheus scrape targets: never an error, or Prometheus would drop those it knows. */
export const getNodeTargets: Handler<typeof declared.getNodeTargets> = {
  handle: (ctx, { query: { port = exporter } }) =>
    allNodes(ctx.db).flatMap(({ name, roles, state, addresses: [first] }) =>
      first === undefined || state === 'joining' || state === 'retired'
        ? []
        : [{ targets: [withPort(first, port)], labels: { node: name, roles: roles.join(',') } }],
    ),
}
