import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { panelSignature } from '../../src/shared/signature.ts'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withAlice() {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  return { panel, id: id as string, alice: await new Visitor(panel).signIn('alice') }
}

const linesIn = (body: string): string =>
  (/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body)?.[1] ?? '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')

test('the code on the page of a webhook verifies its requests', async () => {
  const { panel, id, alice } = await withAlice()
  const made = (await panel.post(`/accounts/${id}/webhooks`, { url: 'https://example.com/hook' })).body
  const page = await alice.get(`/user/webhooks/${made.webhook.id}`)
  const file = join(panel.dir, 'receiver.cjs')
  writeFileSync(file, linesIn(page.body))
  const { isGenuine } = createRequire(import.meta.url)(file)
  const [now, body] = [Math.floor(Date.now() / 1000), '{"type":"test"}']
  const headers = (at: number) => ({
    'x-panel-timestamp': String(at),
    'x-panel-signature': panelSignature(made.secret, at, body),
  })
  expect([
    isGenuine(headers(now), body, made.secret),
    isGenuine(headers(now), `${body} `, made.secret),
    isGenuine(headers(now), body, `${made.secret}x`),
    isGenuine(headers(now - 301), body, made.secret),
    isGenuine({}, body, made.secret),
  ]).toEqual([true, false, false, false, false])
})

test('the feed shows the command that continues from its cursor', async () => {
  const { panel } = await withAlice()
  const more = async (visitor: Visitor, address: string) =>
    textOf(/<details class="more">([\s\S]*?)<\/details>/.exec((await visitor.get(address)).body)![1]!)
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  expect(await more(root, '/admin/events?type=account.*')).toMatch(
    /^More To follow what happens from here: panel events tail --after \d+ --type 'account\.\*'$/,
  )
  expect(await more(root, '/admin/events?type=dns.*')).toMatch(/: panel events tail --type 'dns\.\*'$/)
})
