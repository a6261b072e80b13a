import { expect, test } from 'vitest'
import { accepted, occurred, problem, withMail } from './fixtures.ts'

test('spam is scored and filed as configured', async () => {
  const { panel, path, map, read } = await withMail()
  expect((await panel.get(`${path}/spam`)).body).toEqual({ filter: true, score: 6, box: true })
  expect(accepted(await panel.put(`${path}/spam/filter`, { enabled: true, score: 3 })).spam.score).toBe(3)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.spam.update succeeded'] })
  expect(map('spam')).toEqual(['alice.example box 3'])
  expect(read('etc/panel/mail/sieve.d/alice/spam-alice.example.sieve')).toContain('"X-Spam-Level" "***"')
  accepted(await panel.put(`${path}/spam/box`, { enabled: false }))
  await panel.settle()
  expect(map('spam')).toEqual(['alice.example mark 3'])
  expect(accepted(await panel.put(`${path}/spam/filter`, { enabled: false })).spam).toEqual({
    filter: false,
    score: 6,
    box: false,
  })
  await panel.settle()
  expect(map('spam')).toEqual([])
  for (const score of [0, 51, 1.5])
    expect(problem(await panel.put(`${path}/spam/filter`, { enabled: true, score }))).toEqual([
      400,
      'validation',
      'score',
    ])
})

test('usage reports the number of mailboxes, and the sending limit', async () => {
  const { panel, alice, path, mailbox } = await withMail()
  await mailbox('info@alice.example')
  expect((await panel.get(`${path}/usage`)).body).toEqual({
    measured_at: expect.any(Number),
    mailboxes: { used: 1 },
    sent_this_hour: { used: 0 },
  })
  await panel.patch(`/accounts/${alice.id}`, { max_email: 5, max_email_per_hour: 100 })
  expect((await panel.get(`${path}/usage`)).body).toMatchObject({
    mailboxes: { used: 1, limit: 5 },
    sent_this_hour: { used: 0, limit: 100 },
  })
})
