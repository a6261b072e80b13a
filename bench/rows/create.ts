import { compareLoads } from '../compare.ts'
import { load } from '../load/load.ts'
import { copyOf, record, type World, withBare, withFastify, withPanel } from '../world.ts'
import { fastify, sameBytes } from './read.ts'

const path = '/api/v1/accounts'
/** Names are given out once in a store. */
const apart = 50_000

/**
 * Accounts created, each durable before its answer, with its event, its audit row and its job; the host work that the
 * jobs cause goes on meanwhile. Each round has a new server, for a caller's allowance would end a longer one.
 */
export const measure = async ({ middle }: World) => {
  const [own, theirs] = [copyOf(middle), copyOf(middle)]
  const { token } = middle
  const answer = await withPanel(copyOf(middle), ({ url }) =>
    record(`${url}/accounts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'c0000001', domain: 'c0000001.example' }),
    }),
  )
  let next = 0
  const create = (url: string) => {
    next += apart
    return load({ url, token, createFrom: next })
  }
  const row = await compareLoads('create an account', () => withPanel(own, ({ url }) => create(`${url}/accounts`)), {
    [sameBytes]: () => withBare({ answers: { [path]: answer } }, ({ url }) => create(url + path)),
    [fastify]: () => withFastify(theirs, ({ url }) => create(url + path)),
  })
  return [row]
}
