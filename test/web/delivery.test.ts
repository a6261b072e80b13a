import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { password, textOf, Visitor } from './visitor.ts'

test("an administrator redelivers on an account's page like the account does", async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const webhooks = `/accounts/${id}/webhooks`
  const { webhook } = (await panel.post(webhooks, { url: 'https://hooks.example/panel', enabled: false })).body
  await panel.post(`${webhooks}/${webhook.id}/test`)
  const [delivery] = (await panel.get(`${webhooks}/${webhook.id}/deliveries`)).body.items
  await panel.put('/root/password', { new_password: password })
  const address = `/webhooks/${webhook.id}/deliveries/${delivery.id}`
  for (const [visitor, base] of [
    [await new Visitor(panel).signIn('root', 'admin'), '/admin/accounts/alice'],
    [await new Visitor(panel).signIn('alice'), '/user'],
  ] as const) {
    const page = await visitor.get(base + address)
    const sent = await visitor.submit(page, 'redeliverWebhookForAccount')
    expect(textOf((await visitor.follow(sent)).body)).toContain('Queued for delivery again.')
  }
})

test('the page of a webhook says that it shows only the newest deliveries if there are more', async () => {
  const panel = await startPanel()
  const { webhook } = (await panel.post('/webhooks', { url: 'https://hooks.example/panel', enabled: false })).body
  const send = () => panel.post(`/webhooks/${webhook.id}/test`)
  for (let sent = 0; sent < 50; sent++) await send()
  await panel.put('/root/password', { new_password: password })
  const visitor = await new Visitor(panel).signIn('root', 'admin')
  const visible = async () => (await visitor.get(`/admin/webhooks/${webhook.id}`)).body
  const rows = (body: string) => body.match(/\/deliveries\/[0-9A-Z]{26}"/g)?.length
  const all = await visible()
  expect(textOf(all)).not.toContain('The newest 50')
  expect(rows(all)).toBe(50)

  await send()
  const some = await visible()
  expect(textOf(some)).toContain('The newest 50')
  expect(rows(some)).toBe(50)
})

test('the page of a delivery says in words why an attempt failed, and how long it took', async () => {
  const panel = await startPanel()
  const { webhook } = (await panel.post('/webhooks', { url: 'https://hooks.invalid/panel' })).body
  await panel.post(`/webhooks/${webhook.id}/test`)
  const attempted = async () => {
    const [first] = (await panel.get(`/webhooks/${webhook.id}/deliveries`)).body.items
    expect(first.attempts).not.toEqual([])
    return first
  }
  const delivery = await soon(attempted)
  await panel.put('/root/password', { new_password: password })
  const visitor = await new Visitor(panel).signIn('root', 'admin')
  const { body } = await visitor.get(`/admin/webhooks/${webhook.id}/deliveries/${delivery.id}`)
  expect(textOf(body)).toMatch(
    /Number When Duration HTTP status Error .* 1 now [\d,]+ ms – The name could not be resolved/,
  )
  expect(body).toContain('<th scope="col" class="">Number</th>')
})
