import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { commandTable } from '../../src/generate/table.ts'
import { sayPanel } from '../../src/shared/command-line.ts'
import { ensureBuilt, panel } from './run.ts'
import { ids, type Received, type Reply, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => {
  stub.reset()
  stub.handle(serving)
})
afterAll(() => stub.close())

function serving({ method, path, body }: Received): Reply | undefined {
  if (path === '/firewall/confirm') return { status: 204 }
  if (!path.startsWith('/firewall/rules')) return undefined
  const rule = { id: ids.list, ...(body as object), proto: 'tcp', status: method === 'POST' ? 'adding' : 'deleting' }
  return { status: 202, body: { rule, revert_at: Date.now() + 60_000, job_id: ids.job } }
}

const run = (line: string) => panel(line.split(' '), { env: { PANEL_URL: stub.url, PANEL_TOKEN: 'none' } })
const changes = () => stub.requests.filter(({ method }) => method !== 'GET').map(({ path, body }) => [path, body])

describe('a change on trial', () => {
  test('is confirmed with --confirm once its job has ended', async () => {
    const { code, stderr } = await run('firewall deny 22 --confirm')
    expect([code, changes()]).toEqual([
      0,
      [
        ['/firewall/rules', { action: 'deny', port: 22 }],
        ['/firewall/confirm', undefined],
      ],
    ])
    expect(stderr).toContain('confirmed on a new connection: the change stays')
  })

  test('elsewhere than on a terminal it says how to confirm it', async () => {
    const { code, stderr } = await run('firewall allow --service mysql --from 203.0.113.0/24')
    const body = { action: 'allow', service: 'mysql', from: '203.0.113.0/24' }
    expect([code, changes()]).toEqual([0, [['/firewall/rules', body]]])
    expect(stderr).toMatch(/the change is undone in (59|60) s unless it is confirmed: panel firewall confirm/)
  })

  test('a deletion, too', async () => {
    expect((await run(`firewall delete ${ids.list} --confirm`)).code).toBe(0)
    expect(changes().map(([path]) => path)).toEqual([`/firewall/rules/${ids.list}`, '/firewall/confirm'])
  })

  test('fails if no new connection is answered', async () => {
    stub.handle((request) => (request.path === '/firewall/confirm' ? { cut: true } : serving(request)))
    expect((await run('firewall deny 22 --confirm')).code).not.toBe(0)
  })

  test('its word sets the action: there is no option for it', async () => {
    expect((await run('firewall deny 22 --action allow')).stderr).toContain("unknown option '--action'")
    expect(changes()).toEqual([])
  })
})

test.each([
  [{ action: 'deny', port: 22 }, 'panel firewall deny 22'],
  [{ action: 'allow', port: 22, from: '203.0.113.9' }, 'panel firewall allow 22 --from 203.0.113.9'],
  [{ action: 'deny', service: 'ftp' }, 'panel firewall deny --service ftp'],
])('screens say %j as %s', (body, line) =>
  expect(sayPanel(commandTable(), { operation: 'addFirewallRule', body })?.line).toBe(line),
)
