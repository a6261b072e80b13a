import { expect, test } from 'vitest'
import { Confirmations } from '../../src/mcp/confirmations.ts'
import { AgentTickets } from '../../src/runtime/security/agent-tickets.ts'
import { startPanel } from '../harness.ts'
import { connected } from './agent.ts'

const holderOf = (owner: string, member = owner) => ({ owner, member })

test('the tickets of a reseller and its accounts push out none of others', () => {
  const tickets = new AgentTickets(() => 0)
  const add = (id: string, owner = id) => {
    const principal = { type: 'account', id } as const
    const ticket = { principal, client: undefined, sentence: id, fingerprint: id }
    return tickets.add(ticket, holderOf(owner, id))
  }
  const own = ['alice', 'bob'].map((name) => add(name))
  const quiet = add('quiet', 'reseller')
  const many = Array.from({ length: 2_000 }, (_, index) => add(`loud${index % 40}`, 'reseller'))
  for (const { id, principal } of [...own, quiet]) expect(tickets.find(id, principal, 'approve')).toBeDefined()
  const open = many.filter(({ id, principal }) => tickets.find(id, principal, 'approve'))
  expect([open.length, open.at(-1)]).toEqual([997, many.at(-1)])
})

test('nor do the confirmations of one caller', () => {
  const confirmations = new Confirmations(() => 0)
  const bobs = confirmations.issue('bob', holderOf('bob'))
  const roots = confirmations.issue('root')
  const [first, ...others] = Array.from({ length: 1_500 }, () => confirmations.issue('alice', holderOf('alice')))
  expect(confirmations.isValid(bobs, 'bob')).toBe(true)
  expect(confirmations.isValid(roots, 'root')).toBe(true)
  expect(confirmations.isValid(first!, 'alice')).toBe(false)
  expect(confirmations.isValid(others.at(-1)!, 'alice')).toBe(true)
})

test('the hourly limit of changes stays counted, however many other tokens are used', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { mcp_http: true })
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const token = (account = alice.id) => panel.token(['full-access'], { account })
  const agent = await connected(panel, await token())
  const rename = (index: number) => agent.change('updateAccount', { contact_email: `a${index}@ext.example` })
  for (let index = 0; index < 50; index++) expect((await rename(index)).content.done).toBe(true)
  for (let index = 0; index < 101; index++) {
    const other = await connected(panel, await token(index < 60 ? alice.id : bob.id))
    await other.client.close()
  }
  expect((await rename(50)).content.error.code).toBe('too-many')
})
