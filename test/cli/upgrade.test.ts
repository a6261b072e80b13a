import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { version } from '../../src/cli/root.ts'
import { startReceiver, status } from '../webhooks/receiver.ts'
import { inProcess } from './run.ts'
import { type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const check = (update_source: string | null, ...words: string[]) => {
  stub.handle(({ path }) => (path.endsWith('/settings') ? { body: { update_source } } : undefined))
  return inProcess(['upgrade', '--check', ...words], { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
}

const newer = JSON.stringify({ version: '99.0.0', sha256: '0'.repeat(64), notes_url: 'https://panel.example/99' })

test('a newer version: exit 1, and where to read what is new', async () => {
  const source = await startReceiver(status(200, newer))
  expect(await check(source.url)).toEqual({
    code: 1,
    stdout: `panel 99.0.0 is available; this is ${version()}. What is new: https://panel.example/99\n`,
    stderr: '',
  })
  const { code, stdout } = await check(source.url, '--output', 'json')
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    { version: version(), newest: '99.0.0', notes_url: 'https://panel.example/99' },
  ])
  expect(source.received.map(({ method, body }) => `${method} ${body}`)).toEqual(['GET ', 'GET '])
})

test('the newest version: exit 0', async () => {
  const source = await startReceiver(status(200, JSON.stringify({ version: version() })))
  expect(await check(source.url)).toEqual({
    code: 0,
    stdout: `panel ${version()} is the newest version.\n`,
    stderr: '',
  })
})

test.each([
  ['an error', status(500), 'cannot be reached: it answered 500'],
  ['a redirect', status(302, '', { location: 'http://127.0.0.1:1/' }), 'it answered 302'],
  ['no version', status(200, '{}'), 'does not name a version'],
  ['control characters', status(200, JSON.stringify({ version: '9.9.9\u001b[2J' })), 'does not name a version'],
  ['too much', status(200, `${' '.repeat(70_000)}${newer}`), 'does not name a version'],
])('%s: exit 7', async (_, answer, message) => {
  const source = await startReceiver(answer)
  const { code, stdout, stderr } = await check(source.url)
  expect([code, stdout, stderr]).toEqual([7, '', expect.stringContaining(message)])
})

test('nothing that answers: exit 7', async () => {
  const source = await startReceiver()
  const { url } = source
  await source.close()
  const { code, stderr } = await check(url)
  expect([code, stderr]).toEqual([7, expect.stringContaining('nothing is listening there')])
})

test('without an update source: exit 5, and how to set one', async () => {
  const { code, stderr } = await check(null)
  expect([code, stderr]).toEqual([5, expect.stringContaining('panel settings update --update-source https://')])
})

test('without --check: exit 2', async () => {
  const { code, stderr } = await inProcess(['upgrade'], { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
  expect([code, stderr]).toEqual([2, expect.stringContaining('panel upgrade --check')])
})
