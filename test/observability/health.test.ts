import { describe, expect, test } from 'vitest'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Reply, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

const ask = (panel: TestPanel): Promise<Reply> =>
  panel.send('GET', 'https://host.example:7711/healthz', { from: '192.0.2.1' })

const health = async (panel: TestPanel): Promise<string> => {
  const { status, body } = await ask(panel)
  return `${status} ${body.status}`
}

/** As on a disk without space for another page. */
function fill(panel: TestPanel): () => void {
  const { sqlite } = panel.store
  sqlite.pragma(`max_page_count = ${sqlite.pragma('page_count', { simple: true })}`)
  return () => void sqlite.pragma('max_page_count = 1000000')
}

const large = (place: number) => ({ name: `package ${place}` })

/** Creates packages until the store is full. */
async function write(panel: TestPanel): Promise<string | undefined> {
  for (let place = 0; place < 500; place++) {
    const reply = await panel.post('/packages', large(place))
    if (reply.status !== 201) return reply.code
  }
  return undefined
}

describe('/healthz', () => {
  test('reports health if the store and the worker are healthy, to anyone', async () => {
    const panel = await startPanel()
    expect(await health(panel)).toBe('200 ok')
  })
  test('tries to write, but not for every request', async () => {
    const panel = await startPanel()
    const probed = () => panel.store.sqlite.prepare("SELECT value FROM settings WHERE name = 'probed_at'").pluck().get()
    await Promise.all([ask(panel), ask(panel), ask(panel)])
    const first = probed()
    await panel.clock.advance(4000)
    await ask(panel)
    expect(probed()).toBe(first)
    await panel.clock.advance(1000)
    await ask(panel)
    expect(Number(probed())).toBe(Number(first) + 5000)
  })
  test('reports a full disk, until there is space again', async () => {
    const panel = await startPanel()
    const repair = fill(panel)
    expect(await write(panel)).toBe('storage-full')
    const { status, body, headers } = await ask(panel)
    expect([status, body, headers.get('retry-after')]).toEqual([503, { status: 'unhealthy' }, '5'])
    repair()
    await panel.clock.advance(5000)
    expect(await health(panel)).toBe('200 ok')
  })
  test('reports a store that is gone', async () => {
    const panel = await startPanel()
    panel.store.change = () => Promise.reject(new Error('gone'))
    expect(await health(panel)).toBe('503 unhealthy')
  })
  test('reports stuck jobs, but not one that runs long or waits for another', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await panel.post(`/accounts/${account.id}/suspend`, {})
    await panel.clock.advance(120_000)
    expect(await health(panel)).toBe('200 ok')
    for (let made = 0; made < 8; made++)
      await panel.post('/accounts', { username: `user${made}`, domain: `user${made}.example` })
    await panel.clock.advance(61_000)
    expect(await health(panel)).toBe('503 unhealthy')
    driver!.release()
    await panel.settle()
    expect(await health(panel)).toBe('200 ok')
  })
  test('reports health while a long queue gets shorter', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    for (let made = 0; made < 16; made++)
      await panel.post('/accounts', { username: `user${made}`, domain: `user${made}.example` })
    for (let done = 0; done < 8; done++) {
      await panel.clock.advance(50_000)
      expect(await health(panel)).toBe('200 ok')
      driver!.releaseOne()
      await soon(async () => expect((await panel.get('/jobs?status=succeeded')).body.total).toBe(done + 1))
    }
  })
  test('reports health while a job waits for its next attempt, with others queued behind it', async () => {
    let driver: FailingDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new FailingDriver(root, 0)
        return driver
      },
    })
    const alice = await panel.account('alice')
    driver!.remove = () => Promise.reject(new Error('not now'))
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    for (let second = 0; second < 90; second++) {
      await panel.clock.advance(1000)
      expect(await health(panel), `after ${second} s`).toBe('200 ok')
    }
  })
})
