import { compareLoads } from '../compare.ts'
import { load } from '../load/load.ts'
import type { Row } from '../row.ts'
import type { Seeded } from '../seed.ts'
import { record, withBare, withFastify, withPanel } from '../world.ts'

export const sameBytes = 'node:http, same bytes'
export const oneAccount = 'node:http, one account'
export const fastify = 'fastify + better-sqlite3'

const base = '/api/v1'

/**
 * A read beside Node's own server that says the same bytes, the same that says one account's bytes whatever is asked,
 * and fastify on the same store.
 */
export function compareRead(what: string, seeded: Seeded, path: string): Promise<Row> {
  const headers = { Authorization: `Bearer ${seeded.token}` }
  const account = `/accounts/${seeded.account.id}`
  return withPanel(seeded, async (panel) => {
    const answers = {
      [base + path]: await record(panel.url + path, { headers }),
      [base + account]: await record(panel.url + account, { headers }),
    }
    return withBare({ answers }, (bare) =>
      withFastify(seeded, (other) => {
        const from = (url: string) => () => load({ url, token: seeded.token, seconds: 2 })
        return compareLoads(what, from(panel.url + path), {
          [sameBytes]: from(bare.url + base + path),
          ...(path === account ? {} : { [oneAccount]: from(bare.url + base + account) }),
          [fastify]: from(other.url + base + path),
        })
      }),
    )
  })
}
