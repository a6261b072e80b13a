import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { Authenticator } from '../sessions/authenticator.ts'
import { Browser } from '../sessions/browser.ts'

const password = 'correct horse battery'
const brief = ({ body }: { body: Json }) =>
  body.items.map(({ check, severity, object, name }: Json) => [check, severity, object, name])

test('lists administrators without a second factor, and what requires one', async () => {
  const panel = await startPanel()
  expect(brief(await panel.get('/security'))).toEqual([])
  await panel.put('/root/password', { new_password: password })
  const { id } = await panel.account('rita', { password })
  await panel.post('/resellers', { account_id: id })
  const found = await panel.get('/security')
  expect(brief(found)).toEqual([
    ['second-factor', 'error', 'server', 'root'],
    ['second-factor', 'error', 'reseller', 'rita'],
    ['https', 'warn', 'domain', 'rita.example'],
  ])
  expect(found.body.items[1]).toEqual({
    check: 'second-factor',
    severity: 'error',
    object: 'reseller',
    object_id: id,
    name: 'rita',
    detail: 'The password alone is enough to sign in. A second factor can be required of administrators.',
    command: 'panel settings update --two-factor-required admins',
    operation: 'updateSettings',
  })
})

test('a customer sees its own weak points until they are fixed, and a neighbour none of them', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const other = await panel.account('bob', { password })
  const made = await panel.post(`/accounts/${id}/tokens`, { name: 'deploy', scopes: ['account:read'] })
  const { secret, token } = made.body
  const browser = new Browser(panel)
  await browser.signIn('alice', password)
  const own = `/accounts/${id}/security`
  const found = await browser.get(own)
  expect(brief(found)).toEqual([
    ['second-factor', 'warn', 'account', 'alice'],
    ['token-address', 'warn', 'token', 'deploy'],
    ['token-expiry', 'warn', 'token', 'deploy'],
    ['https', 'warn', 'domain', 'alice.example'],
  ])
  expect(found.body.items.map(({ command }: Json) => command)).toEqual([
    'panel open me',
    `panel tokens revoke ${token.id} --account ${id}`,
    `panel tokens revoke ${token.id} --account ${id}`,
    'panel ssl issue alice.example',
  ])
  expect((await browser.get(`/accounts/${other.id}/security`)).code).toBe('not-found')
  expect((await browser.get('/security')).code).toBe('forbidden')
  expect((await panel.get(own, { headers: { Authorization: `Bearer ${secret}` }, from: '198.51.100.9' })).status).toBe(
    200,
  )
  const options = await browser.post('/user/auth/passkeys/start', undefined, { headers: { Host: 'host.example:7711' } })
  const credential = new Authenticator().create(options.body)
  const host = { headers: { Host: 'host.example:7711' } }
  expect((await browser.post('/user/auth/passkeys', { name: 'Phone', credential }, host)).status).toBe(201)
  await panel.delete(`/accounts/${id}/tokens/${token.id}`)
  expect(brief(await browser.get(own))).toEqual([['https', 'warn', 'domain', 'alice.example']])
  expect(brief(await panel.get(`/accounts/${other.id}/security`)).flat()).not.toContain('deploy')
})

test('a token with addresses and an end is none, nor is one that has ended', async () => {
  const panel = await startPanel()
  const limited = { name: 'limited', scopes: ['read-only'], allowed_ips: ['192.0.2.7'], expires_in: '30d' }
  await panel.post('/tokens', limited)
  await panel.post('/tokens', { name: 'ended', scopes: ['read-only'], expires_in: '30d' })
  expect(brief(await panel.get('/security'))).toEqual([['token-address', 'warn', 'token', 'ended']])
  panel.clock.jump(31 * 86_400_000)
  expect(brief(await panel.get('/security'))).toEqual([])
})

test('versions of PHP without fixes are told with the account, until the domain has another', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  panel.clock.jump(Date.parse('2040-01-01') - panel.clock.now())
  const found = await panel.get('/security')
  expect(brief(found)[0]).toEqual(['php-version', 'error', 'account', 'alice'])
})
