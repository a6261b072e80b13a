import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { enrolled, lose, second } from './second.ts'

const down = 'Node web2 is down: it has not answered for 6 seconds.'

async function withDown() {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  const bob = await panel.account('bob', { node: 'web2' })
  await panel.account('ben', { node: 'web2' })
  panel.forget()
  lose(panel, 'web2')
  return { panel, alice, bob }
}

test('requests that need the host of a node that is down return 503 and name the node', async () => {
  const { panel, bob } = await withDown()
  const of = `/accounts/${bob.id}`
  const { id } = (await panel.get('/nodes')).body.items.find(({ name }: Json) => name === 'web2')
  for (const path of [
    `${of}/files?path=/`,
    `${of}/files/stat?path=/`,
    `${of}/files/content?path=/x`,
    `${of}/trash`,
    `${of}/logs`,
    `/host/diff?account_id=${bob.id}`,
    `/nodes/${id}/orphans`,
  ]) {
    const { status, code, body, headers } = await panel.get(path)
    expect([path, status, code, body.detail, headers.get('retry-after')]).toEqual([path, 503, 'overloaded', down, '1'])
  }
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a node that has not joined has no orphans to report', async () => {
  const panel = await startPanel()
  await enrolled(panel, { name: 'new', state: 'joining' })
  const { id } = (await panel.get('/nodes')).body.items.find(({ name }: Json) => name === 'new')
  const { status, code, body } = await panel.get(`/nodes/${id}/orphans`)
  expect([status, code, body.detail]).toEqual([409, 'incomplete', 'new has not joined yet.'])
})

test('the diff also names a node without accounts that is down', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'ns2', roles: ['dns-secondary'] })
  await enrolled(panel, { name: 'new', state: 'joining' })
  lose(panel, 'ns2')
  const note = 'Node ns2 is down: it has not answered for 6 seconds.'
  const { differences } = (await panel.get('/host/diff')).body
  expect(differences.filter(({ node }: Json) => node !== undefined)).toEqual([
    { path: '/', change: 'fault', note, node: 'ns2' },
  ])
})

test('the diff of all accounts skips a node that is down, and names it once', async () => {
  const { panel } = await withDown()
  rmSync(join(panel.dir, 'host/home/alice'), { recursive: true })
  const { status, body } = await panel.get('/host/diff')
  expect(status).toBe(200)
  expect(body.differences).toContainEqual(expect.objectContaining({ username: 'alice', change: 'missing' }))
  const unreadable = body.differences.filter(({ change }: Json) => change === 'fault')
  expect(unreadable).toEqual([{ path: '/', change: 'fault', note: down, node: 'web2' }])
  expect(body.diff).toContain(`# /: fault, ${down}\n`)
})
