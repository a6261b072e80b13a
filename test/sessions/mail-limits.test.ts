import { expect, test } from 'vitest'
import { queueMail } from '../../src/areas/mailer/outbox.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { mailOf } from '../outgoing-mail.ts'

const hour = 3_600_000
const day = 24 * hour

const queue = (panel: TestPanel, to: string, subject: string, lifetime = 2 * day): Promise<void> =>
  panel.store.change(() => {
    const { runtime } = panel.panel
    const { db } = panel.store
    queueMail(
      { db, runtime, store: panel.store, now: panel.clock.now() },
      { to, subject, text: 'x', fromName: 'x' },
      lifetime,
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
  for (let n = 0; n < 25; n++) await panel.clock.advance(hour)
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
  await queue(panel, 'late@mail.example', 'late', 1000)
  await queue(panel, 'a@mail.example', 'a')
  await panel.clock.advance(0)
  await expect.poll(() => panel.logged.filter((line) => line.includes('could not be handed')).length).toBe(2)
  fails = false
  await panel.clock.advance(60_000)
  expect((await mailOf(panel, 1)).map(({ headers }) => headers['to'])).toEqual(['a@mail.example'])
  expect(waiting(panel)).toBe(0)
})
