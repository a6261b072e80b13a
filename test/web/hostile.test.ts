import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, Visitor } from './visitor.ts'

const hostile = [
  '"><img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  'javascript:alert(1)',
  "'); DROP TABLE accounts; --",
  '\u202Egpj.exe',
  '{{constructor}}',
  'x'.repeat(255),
]

test('shows what tenants write as text, in lists, on pages, in forms and in files', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const alice = await new Visitor(panel).signIn('alice')
  for (const [at, comment] of hostile.entries()) {
    const made = await panel.post(`/accounts/${id}/cron/jobs`, {
      schedule: '@daily',
      command: `echo ${at} ${comment}`,
      comment,
    })
    expect([comment, made.status]).toEqual([comment, 202])
    const page = await alice.get(`/user/cron/${made.body.cron_job.id}`)
    for (const { body } of [
      page,
      await alice.get('/user/cron'),
      await alice.get(`/user/cron/new?command=${encodeURIComponent(comment)}`),
    ]) {
      expect(body).not.toMatch(/<img|<script(?! type="module" src="\/assets\/)|\sonerror="/)
      expect(body).not.toMatch(/(?:href|src|action)="(?!\/|#|https:\/\/host\.example)/)
    }
    expect(page.body).toMatch(/<bdi/)
  }
  const { body } = await alice.get('/user/cron?format=csv')
  expect(body.split('\r\n').filter((line: string) => /^[=+@-]/.test(line))).toEqual([])
})
