import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, Visitor } from './visitor.ts'

test('a backup is downloaded from its page as an attachment', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const made = await panel.post(`/accounts/${id}/backups`, { parts: ['config'] })
  await panel.settle()
  const alice = await new Visitor(panel).signIn('alice')
  const page = await alice.get(`/user/backups/${made.body.backup.id}`)
  const [, href] = /href="([^"]+)" download=""/.exec(page.body)!
  const { status, headers } = await alice.get(href!)
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toMatch(/^attachment;/)
  expect(headers.get('content-security-policy')).toBe('sandbox')
  expect((await new Visitor(panel).get(href!)).status).toBe(401)
})
