import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { httpsSite } from '../https-site.ts'

const minute = 60_000
const day = 24 * 60 * minute

async function world() {
  const { site, origin, publish, guards } = await httpsSite('updates.example')
  const panel = await startPanel({ outgoing: guards })
  panel.forget()
  const source = `${origin}/panel.json`
  const pass = (ms: number) => panel.clock.leap(ms)
  const notices = async () => (await panel.get('/notices?kind=version-available')).body.items
  return { panel, site, source, publish, pass, notices }
}

test('without an update source nothing is asked', async () => {
  const { panel, site, pass, notices } = await world()
  await pass(3 * day)
  expect([site.received.length, await notices(), (await panel.get('/settings')).body.update_source]).toEqual([
    0,
    [],
    null,
  ])
})

test('a newer version is a notice; the source is asked once a day', async () => {
  const { panel, site, source, publish, pass, notices } = await world()
  publish({ version: '99.0.0', sha256: '0'.repeat(64), notes_url: 'https://panel.example/99' })
  expect((await panel.patch('/settings', { update_source: source })).status).toBe(200)
  await pass(minute)
  await expect.poll(async () => (await notices()).length).toBe(1)
  const [notice] = await notices()
  expect(notice).toMatchObject({
    ...{ kind: 'version-available', severity: 'warn', object: 'server', name: 'host.example' },
    detail: 'panel 99.0.0 is available; this is 0.1.0. What is new: https://panel.example/99',
  })
  expect(site.received).toHaveLength(1)
  await pass(day / 2)
  expect(site.received).toHaveLength(1)
  await panel.post('/notices/dismiss', { kind: notice.kind, object_id: notice.object_id })
  expect(await notices()).toEqual([])
  publish({ version: '99.1.0' })
  await pass(day)
  await expect.poll(async () => (await notices())[0]?.detail).toBe('panel 99.1.0 is available; this is 0.1.0.')
  await panel.patch('/settings', { update_source: null })
  expect(await notices()).toEqual([])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test.each([
  ['an older version', JSON.stringify({ version: '0.0.9' })],
  ['the same version', JSON.stringify({ version: '0.1.0' })],
  ['no version', '{}'],
  ['null', 'null'],
  ['no JSON', '<html>'],
  ['a version with words', JSON.stringify({ version: '99.0.0 <!channel>' })],
  ['too much', JSON.stringify({ version: '99.0.0', more: 'x'.repeat(70_000) })],
])('%s is no notice', async (_, body) => {
  const { panel, site, source, publish, pass, notices } = await world()
  publish(body)
  await panel.patch('/settings', { update_source: source })
  await pass(minute)
  await site.got(1)
  await expect
    .poll(() => panel.store.sqlite.prepare("SELECT 1 FROM settings WHERE name = 'update_checked_at'").get())
    .toBeDefined()
  expect(await notices()).toEqual([])
})

test.each(['http://updates.example/', 'ftp://updates.example/', 'updates.example', 'https://', 5])(
  '%j is refused as an update source',
  async (update_source) => {
    const { panel } = await world()
    const reply = await panel.patch('/settings', { update_source })
    expect([reply.status, Object.keys(reply.body.fields)]).toEqual([400, ['update_source']])
  },
)
