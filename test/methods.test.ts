import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationList } from '../src/contract/index.ts'
import type { Declaration } from '../src/contract/operation.ts'
import { TestPanel } from './harness.ts'
import { allowed, makeWorld, pathIn, unknown, type World } from './world.ts'

const from = '192.0.2.1'
const reads = operationList.filter(({ method }) => method === 'get').map((op) => [op.id, op] as const)
const paths = [...new Set(operationList.map(({ path }) => path))]

let panel: TestPanel
let world: World

beforeAll(async () => {
  panel = await new TestPanel({}).start()
  world = await makeWorld(panel)
})
afterAll(() => panel.stop())

const pathOf = (op: Declaration): string => pathIn(world, op) ?? op.path.replace(/\{\w+\}/g, unknown)

describe('HEAD', () => {
  test.each(reads)('answers HEAD like GET, without a body: %s', async (_, op) => {
    for (const send of [{ from }, allowed(world, op), { token: world.secrets.other }]) {
      const [head, get] = [await panel.send('HEAD', pathOf(op), send), await panel.get(pathOf(op), send)]
      expect([head.status, head.body]).toEqual([op.consumes ? 405 : get.status, ''])
      expect(head.headers.get('set-cookie')).toBeNull()
    }
  })
})

describe('OPTIONS', () => {
  test.each(paths)('refuses OPTIONS, and opens nothing to pages of other sites: %s', async (path) => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
    const reply = await panel.send('OPTIONS', path.replace(/\{\w+\}/g, unknown), { from, headers })
    expect([reply.status, reply.code]).toEqual([405, 'method-not-allowed'])
    expect(reply.headers.get('allow')).toMatch(/GET|POST|PUT|PATCH|DELETE/)
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

test('the method is that of the request line, not of a header or the query', async () => {
  const { id } = world.alice
  const claims = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE' }
  expect((await panel.get(`/accounts/${id}`, { headers: claims })).status).toBe(200)
  expect((await panel.get(`/accounts/${id}?_method=DELETE`)).code).toBe('validation')
})

test('no response lets a page of another site read it', async () => {
  for (const path of ['/openapi.json', '/accounts', '/user/auth/session', '/nowhere']) {
    const reply = await panel.get(path, { headers: { ...world.signedIn, Origin: 'https://evil.example' }, from })
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(reply.headers.get('cache-control')).toBe('no-store')
  }
})
