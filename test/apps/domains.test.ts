import { describe, expect, test } from 'vitest'
import { host, nothing, occurred, problem } from '../domains/fixtures.ts'
import { withAlice } from './fixtures.ts'

async function withDomain() {
  const all = await withAlice({})
  const domains = `/accounts/${all.alice.id}/domains`
  const [domain] = (await all.panel.get(domains)).body.items
  const read = async () => (await all.panel.get(`${domains}/${domain.id}`)).body
  const bind = (body: object) => all.panel.patch(`${domains}/${domain.id}`, body)
  return { ...all, domains, domain, read, bind }
}

describe('domain that shows an app', () => {
  test('binds a domain when its app is created, in one change and one job', async () => {
    const { panel, alice, domain, create, read, show } = await withDomain()
    const { body } = await create('shop', 'static', { domain_id: domain.id })
    expect(body.app.domain_ids).toEqual([domain.id])
    expect(await read()).toMatchObject({ handler: 'app', app_id: body.app.id })
    expect(await occurred(panel)).toEqual({ events: ['app.created', 'job.completed'], jobs: ['app.apply succeeded'] })
    expect(host(panel).vhost('alice.example')).toContain('return 503;')
    expect((await panel.get(`/host/diff?account_id=${alice.id}`)).body.differences).toEqual([])
    expect((await show(body.app.id)).domain_ids).toEqual([domain.id])
  })

  test('binds and releases a domain by an update of the domain', async () => {
    const { panel, app, bind, read, show } = await withDomain()
    const { id } = await app()
    const bound = await bind({ handler: 'app', app_id: id })
    expect([bound.status, bound.body.domain]).toEqual([202, expect.objectContaining({ handler: 'app', app_id: id })])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.update succeeded'] })
    expect((await show(id)).domain_ids).toHaveLength(1)
    const other = await app('other')
    expect((await bind({ app_id: other.id })).body.domain.app_id).toBe(other.id)
    await bind({ handler: 'static' })
    expect(await read()).toMatchObject({ handler: 'static' })
    expect(await read()).not.toHaveProperty('app_id')
    expect((await show(other.id)).domain_ids).toEqual([])
  })

  test('refuses to delete an app while a domain shows it', async () => {
    const { panel, app, bind, path } = await withDomain()
    const { id } = await app()
    await bind({ handler: 'app', app_id: id })
    await occurred(panel)
    expect(problem(await panel.delete(`${path}/${id}`))).toEqual([409, 'in-use'])
    expect(await occurred(panel)).toEqual(nothing)
    await bind({ handler: 'php' })
    expect((await panel.delete(`${path}/${id}`)).status).toBe(202)
  })

  test('refuses to delete the domain before it has another handler', async () => {
    const { panel, app, alice, domains } = await withDomain()
    const mail = `/accounts/${alice.id}/email/accounts`
    const { id } = await app()
    const shop = (await panel.post(domains, { name: 'shop.test', handler: 'app', app_id: id })).body.domain
    await panel.post(mail, { address: 'a@shop.test', password: 'secret 123' })
    await occurred(panel)
    const refused = await panel.delete(`${domains}/${shop.id}`)
    expect([refused.code, refused.body.detail]).toEqual([
      'in-use',
      'shop.test still has 1 mailbox, 1 app; delete them and give the domain another handler first.',
    ])
    expect(await occurred(panel)).toEqual(nothing)
    const [mailbox] = (await panel.get(mail)).body.items
    await panel.delete(`${mail}/${mailbox.id}`)
    await panel.patch(`${domains}/${shop.id}`, { handler: 'static' })
    await occurred(panel)
    expect((await panel.delete(`${domains}/${shop.id}`)).status).toBe(202)
  })

  test('shows only one app', async () => {
    const { panel, domain, create } = await withDomain()
    await create('shop', 'static', { domain_id: domain.id })
    await occurred(panel)
    expect(problem(await create('other', 'static', { domain_id: domain.id }))).toEqual([409, 'in-use', 'domain_id'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test.each([
    [{ handler: 'app' }, 'app_id'],
    [{ app_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, 'app_id'],
    [{ handler: 'static', app_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, 'app_id'],
    [{ handler: 'app', app_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, 'app_id'],
  ])('refuses a domain with %j', async (body, field) => {
    const { panel, bind, domains } = await withDomain()
    expect(problem(await bind(body))).toEqual([400, 'validation', field])
    expect(problem(await panel.post(domains, { name: 'shop.test', ...body }))).toEqual([400, 'validation', field])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('requires a domain of the same account', async () => {
    const { panel, app, domain } = await withDomain()
    const bob = await panel.account('bob')
    const { id } = await app()
    const [own] = (await panel.get(`/accounts/${bob.id}/domains`)).body.items
    const bound = await panel.patch(`/accounts/${bob.id}/domains/${own.id}`, { handler: 'app', app_id: id })
    expect(problem(bound)).toEqual([400, 'validation', 'app_id'])
    const made = await panel.post(`/accounts/${bob.id}/apps`, { name: 'shop', kind: 'php', domain_id: domain.id })
    expect(problem(made)).toEqual([400, 'validation', 'domain_id'])
  })

  test('creates a domain together with its app', async () => {
    const { panel, app, domains } = await withDomain()
    const { id } = await app()
    const made = await panel.post(domains, { name: 'shop.test', handler: 'app', app_id: id })
    expect([made.status, made.body.domain]).toEqual([202, expect.objectContaining({ handler: 'app', app_id: id })])
  })
})
