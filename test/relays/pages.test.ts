import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { password, textOf, Visitor } from '../web/visitor.ts'

async function asRoot() {
  const panel = await startPanel()
  const [alice] = [await panel.account('alice'), await panel.account('bob')]
  await panel.put('/root/password', { new_password: password })
  return { panel, alice, visitor: await new Visitor(panel).signIn('root', 'admin') }
}

const newest = async (panel: TestPanel) => (await panel.get('/smtp-relays')).body.items.at(-1)

const common = { host: 'smtp.relay.example', port: '587', tls: 'starttls' }

test('the form of a relay takes the server, or names', async () => {
  const { panel, alice, visitor } = await asRoot()
  const submit = async (fields: Record<string, string>) => {
    const page = await visitor.get('/admin/smtp-relays/new')
    return visitor.submit(page, 'createSmtpRelay', { ...common, ...fields })
  }
  expect((await submit({ name: 'ses', for: 'server' })).status).toBe(303)
  expect((await newest(panel)).for).toBe('server')
  expect((await submit({ name: 'office', for: '', 'for.accounts': 'alice' })).status).toBe(303)
  expect((await newest(panel)).for).toEqual({ accounts: [alice.id] })
  expect(textOf((await submit({ name: 'none', for: '' })).body)).toContain('required')
  expect((await panel.get('/smtp-relays')).body.items).toHaveLength(2)
})

test('another target in the form of a relay replaces the former one, and the password is never shown', async () => {
  const { panel, alice, visitor } = await asRoot()
  const body = { name: 'ses', ...common, port: 587, for: 'server', username: 'AKIA1', password: 'relay-password-1' }
  const { relay } = (await panel.post('/smtp-relays', body)).body
  await panel.settle()
  const open = () => visitor.get(`/admin/smtp-relays/${relay.id}`)
  const change = async (fields: Record<string, string>) => {
    const page = await open()
    expect(page.body).not.toContain('relay-password-1')
    expect((await visitor.submit(page, 'updateSmtpRelay', fields)).status).toBe(303)
    await panel.settle()
    return (await newest(panel)).for
  }
  expect(await change({ port: '2525' })).toBe('server')
  expect(await change({ 'for.accounts': 'alice' })).toEqual({ accounts: [alice.id] })
  expect(await change({ port: '587' })).toEqual({ accounts: [alice.id] })
  expect(await change({ for: 'server', 'for.accounts': '' })).toBe('server')
})
