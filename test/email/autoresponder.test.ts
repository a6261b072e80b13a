import { expect, test } from 'vitest'
import { accepted, nothing, occurred, problem, withMail } from './fixtures.ts'

const autoresponder = { subject: 'Away', body: 'Back "soon".', starts_on: '2026-08-01', ends_on: '2026-08-15' }

test('an autoresponder is a script on the host as long as it is set', async () => {
  const { panel, read, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const path = `${box.path}/autoresponder`
  const script = `etc/panel/mail/sieve.d/alice/${box.id}.sieve`
  expect(problem(await panel.get(path))).toEqual([404, 'not-found'])
  expect(problem(await panel.delete(path))).toEqual([404, 'not-found'])
  const set = accepted(await panel.put(path, autoresponder))
  expect(set.autoresponder).toEqual({ enabled: true, interval_days: 1, ...autoresponder })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.account.update succeeded'] })
  expect((await panel.get(path)).body).toEqual(set.autoresponder)
  expect((await panel.get(box.path)).body.autoresponder).toBe(true)
  expect(read(script)).toContain(
    'vacation :days 1 :addresses ["info@alice.example"] :subject "Away" "Back \\"soon\\".";',
  )
  expect(read('etc/panel/mail/passwd.d/alice.example')).toContain(`userdb_sieve_before=/${script}`)
  accepted(await panel.put(path, { subject: 'x', body: 'a\r\nb', enabled: false }))
  await panel.settle()
  expect((await panel.get(path)).body).toEqual({ enabled: false, subject: 'x', body: 'a\nb', interval_days: 1 })
  expect(read(script)).toBe('')
  accepted(await panel.put(path, { subject: 'x', body: '"; keep; #\\' }))
  await panel.settle()
  expect(read(script)).toBe(
    'require ["vacation"];\nvacation :days 1 :addresses ["info@alice.example"] :subject "x" "\\"; keep; #\\\\";\n',
  )
  accepted(await panel.delete(path))
  await panel.settle()
  expect([read(script), (await panel.get(box.path)).body.autoresponder]).toEqual(['', false])
})

test('what an autoresponder cannot express is refused', async () => {
  const { panel, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  for (const [body, field] of [
    [{ ...autoresponder, subject: 'a\nb' }, 'subject'],
    [{ ...autoresponder, subject: '' }, 'subject'],
    [{ ...autoresponder, subject: 'x'.repeat(201) }, 'subject'],
    [{ ...autoresponder, body: 'a\u0007b' }, 'body'],
    [{ ...autoresponder, body: 'a\rb' }, 'body'],
    [{ ...autoresponder, body: 'x'.repeat(10_001) }, 'body'],
    [{ ...autoresponder, starts_on: '2026-02-30' }, 'starts_on'],
    [{ ...autoresponder, starts_on: '1.8.2026' }, 'starts_on'],
    [{ ...autoresponder, ends_on: '2026-07-31' }, 'ends_on'],
    [{ ...autoresponder, interval_days: 31 }, 'interval_days'],
  ] as const)
    expect(problem(await panel.put(`${box.path}/autoresponder`, body))).toEqual([400, 'validation', field])
  expect(await occurred(panel)).toEqual(nothing)
})
