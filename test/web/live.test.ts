import { expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

/** Lets time pass until a stream has ended. */
async function ended<T>(panel: TestPanel, streams: Promise<T>): Promise<T> {
  let over = false
  const done = streams.finally(() => {
    over = true
  })
  while (!over) await panel.clock.advance(1_000)
  return done
}

test('a page tells how far its job is, as it changes, until it has ended', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const form = await visitor.get('/user/cron/new')
  const made = await visitor.submit(form, 'createCronJob', { schedule: '@daily', command: 'true' })
  const page = await visitor.follow(made)
  const [, address = ''] = /data-live="([^"]+)"/.exec(page.body) ?? []
  expect(address).toMatch(/^\/user\/live\/cron\//)
  const follow = () => visitor.get(address.replaceAll('&amp;', '&'), { 'Sec-Fetch-Site': 'same-origin' })
  const early = Promise.all([follow(), follow(), follow()])
  await turns(20)
  expect((await follow()).status).toBe(503)
  await panel.settle()
  for (const { body } of await ended(panel, early))
    expect(body).toMatch(/notice turning.*event: part.*notice good.*event: end/s)
  const stream = await follow()
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const [part = '', end] = stream.body.split('\n\n')
  expect(part).toMatch(/^event: part\ndata: <div class="notice good"/)
  expect(textOf(part)).toContain('Succeeded')
  expect(part).not.toContain('data-live')
  expect(end).toBe('event: end\ndata: ')
})

test('a page that its visitor may not see is not followed', async () => {
  const panel = await startPanel()
  const stream = await new Visitor(panel).get('/user/live/cron')
  expect(stream.body).not.toContain('event: part\ndata: <')
  expect(stream.body).toContain('event: end')
})
