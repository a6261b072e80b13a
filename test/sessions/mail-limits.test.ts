import { expect, test } from 'vitest'
import { queueMail } from '../../src/areas/mailer/outbox.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { mailOf } from '../outgoing-mail.ts'

const hour = 3_600_000
const day = 24 * hour

const queue = (
  panel: TestPanel,
  to: string,
  subject: string,
  { lifetimeMs = 2 * day, share = 'server' } = {},
): Promise<void> =>
  panel.store.change(() => {
    const { runtime } = panel.panel
    const { db } = panel.store
    queueMail(
      { db, runtime, store: panel.store, now: panel.clock.now() },
      { to, subject, text: 'x', fromName: 'x' },
      { lifetimeMs, share },
    )
  })

const waiting = (panel: TestPanel): number =>
  (
    panel.store.sqlite.prepare('SELECT count(*) AS n FROM mail_messages WHERE next_at IS NOT NULL').get() as {
      n: number
    }
  ).n

test('an address gets 20 messages a day, whatever its case; the rest waits and holds up no other', async () => {
  const panel = await startPanel()
  for (let n = 0; n < 22; n++) await queue(panel, n % 2 ? 'a@mail.example' : 'A@mail.example', `${n}`)
  await queue(panel, 'b@mail.example', 'other')
  const sent = await mailOf(panel, 21)
  expect([sent.length, sent.at(-1)!.headers['to'], waiting(panel)]).toEqual([21, 'b@mail.example', 2])
  await panel.clock.leap(25 * hour)
  expect([(await mailOf(panel, 23)).length, waiting(panel)]).toEqual([23, 0])
})

test('the server sends as many in an hour as its setting says', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { mail_max_per_hour: 2 })
  for (let n = 0; n < 3; n++) await queue(panel, `${n}@mail.example`, `${n}`)
  expect([(await mailOf(panel, 2)).length, waiting(panel)]).toEqual([2, 1])
  await panel.clock.advance(hour)
  expect(await mailOf(panel, 3)).toHaveLength(3)
})

const subjects = async (panel: TestPanel, expected: number): Promise<string[]> =>
  (await mailOf(panel, expected)).map(({ headers }) => headers['subject']!)

test('one customer cannot keep the link for a new password from another, nor alerts from root', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { contact_email: 'root@mail.example' })
  await panel.account('bob', { contact_email: 'bob@mail.example' })
  const alice = await panel.account('alice')
  const token = await panel.token(['full-access'], { account: alice.id })
  const ask = (name: string, to: string) =>
    panel.post(`/accounts/${alice.id}/alerts/channels`, { name, type: 'mail', to }, { token })
  for (const to of ['bob@mail.example', 'ROOT@mail.example'])
    for (let n = 0; n < 3; n++) expect((await ask(`${to[0]!.toLowerCase()}${n}`, to)).status).toBe(201)
  const refused = await ask('more', 'Bob@mail.example')
  expect([refused.code, refused.body.detail]).toEqual(['rate-limited', 'An address gets at most 3 links a day.'])
  for (let n = 0; n < 17; n++) await queue(panel, 'bob@mail.example', 'alert', { share: alice.id })
  for (let n = 0; n < 17; n++) await queue(panel, 'root@mail.example', 'alert', { share: alice.id })
  await mailOf(panel, 40)
  await panel.post('/auth/password-reset', { username: 'bob' }, { from: '198.51.100.7' })
  await queue(panel, 'root@mail.example', 'disk-filling')
  const sent = await subjects(panel, 42)
  expect(sent.slice(40).sort()).toEqual(['Set a new password for bob', 'disk-filling'])
})

test('a customer takes places of the hour only while more are free, and none of those of root and of links', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { mail_max_per_hour: 8 })
  for (let n = 0; n < 8; n++) await queue(panel, `a${n}@mail.example`, 'alice', { share: 'A' })
  expect(await subjects(panel, 3)).toEqual(['alice', 'alice', 'alice'])
  for (let n = 0; n < 8; n++) await queue(panel, `b${n}@mail.example`, 'bob', { share: 'B' })
  expect((await subjects(panel, 5)).slice(3)).toEqual(['bob', 'bob'])
  await queue(panel, 'c@mail.example', 'carol', { share: 'C' })
  await queue(panel, 'd@mail.example', 'link', { share: 'links' })
  await queue(panel, 'e@mail.example', 'root')
  expect((await subjects(panel, 8)).slice(5).sort()).toEqual(['carol', 'link', 'root'])
  for (let n = 0; n < 10 && waiting(panel) > 0; n++) {
    await panel.clock.leap(hour)
    await subjects(panel, 8)
  }
  expect([(await subjects(panel, 19)).length, waiting(panel)]).toEqual([19, 0])
})

test('no more waits for an address than can be sent to it while messages live', async () => {
  const panel = await startPanel()
  for (let n = 0; n < 200; n++) await queue(panel, 'a@mail.example', `${n}`, { share: 'A' })
  await mailOf(panel, 20)
  expect(waiting(panel)).toBeLessThanOrEqual(40)
  await queue(panel, 'a@mail.example', 'of another', { share: 'B' })
  expect((await subjects(panel, 21)).at(-1)).toBe('of another')
})

test('what cannot be handed over is tried again, and dropped once it is of no use', async () => {
  let fails = true
  const driver = (root: string) => {
    const directory = createDirectoryDriver({ root })
    const sendMail = directory.sendMail!.bind(directory)
    return Object.assign(directory, {
      sendMail: async (mail: Parameters<typeof sendMail>[0]) => {
        if (fails) throw new Error('the mail server is away')
        return sendMail(mail)
      },
    })
  }
  const panel = await startPanel({ driver })
  await queue(panel, 'late@mail.example', 'late', { lifetimeMs: 1000 })
  await queue(panel, 'a@mail.example', 'a')
  await panel.clock.advance(0)
  await expect.poll(() => panel.logged.filter((line) => line.includes('could not be handed')).length).toBe(2)
  fails = false
  await panel.clock.advance(60_000)
  expect((await mailOf(panel, 1)).map(({ headers }) => headers['to'])).toEqual(['a@mail.example'])
  expect(waiting(panel)).toBe(0)
})
