import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../src/shared/time.ts'
import { host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }

async function withPreviews() {
  const input = await withAlice()
  const { panel, path, domain } = input
  expect((await panel.patch('/settings', { preview_hostname: 'previews.example' })).status).toBe(200)
  await panel.settle()
  const { id } = await domain('shop.example')
  return { ...input, id, at: `${path}/${id}/preview` }
}

describe('preview of a site', () => {
  test('has an address of its own for some hours, and the same one when asked for again', async () => {
    const { panel, at } = await withPreviews()
    const now = panel.clock.now()
    const { status, body } = await panel.post(at, {})
    expect([status, body]).toEqual([
      202,
      {
        preview: {
          url: expect.stringMatching(/^https:\/\/[a-z]{32}\.previews\.example\/$/),
          hosts_line: expect.stringMatching(/^\S+ shop\.example www\.shop\.example$/),
          expires_at: now + 24 * hour,
          trusted: false,
        },
        job_id: expect.any(String),
      },
    ])
    expect(await occurred(panel)).toEqual(applied)
    const again = (await panel.post(at, { hours: 720 })).body.preview
    expect(again).toEqual({ ...body.preview, expires_at: now + 720 * hour })
    expect((await panel.get(at)).body).toEqual(again)
    await panel.settle()
    const name = new URL(again.url).hostname
    expect(host(panel).vhost('shop.example')).toContain(`server_name ${name};`)
    expect(readFileSync(host(panel).path('etc/panel/nginx/server/preview.conf'), 'utf8')).toContain(
      'server_name *.previews.example;',
    )
    panel.forget()
    expect((await panel.delete(at)).body.preview).toEqual(again)
    expect(await occurred(panel)).toEqual(applied)
    expect(problem(await panel.get(at))).toEqual([404, 'not-found'])
    expect(problem(await panel.delete(at))).toEqual([404, 'not-found'])
    expect(host(panel).vhost('shop.example')).not.toContain('previews.example')
  })

  test('is a line for a hosts file alone without a name for previews', async () => {
    const { panel, domain, path, alice } = await withAlice()
    const { id } = await domain('shop.example')
    const { preview } = (await panel.post(`${path}/${id}/preview`, { hours: 1 })).body
    expect(preview).toEqual({
      hosts_line: `${alice.ip_address} shop.example www.shop.example`,
      expires_at: panel.clock.now() + hour,
    })
  })

  test('ends with its time', async () => {
    const { panel, at } = await withPreviews()
    await panel.post(at, { hours: 1 })
    await panel.settle()
    panel.forget()
    await panel.clock.advance(hour)
    expect((await panel.get(at)).status).toBe(404)
    await panel.clock.advance(minute)
    expect(await occurred(panel)).toEqual(applied)
    expect(host(panel).vhost('shop.example')).not.toContain('previews.example')
  })

  test('ends with the suspension, and cannot begin then', async () => {
    const { panel, at, alice } = await withPreviews()
    await panel.post(at, {})
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(problem(await panel.post(at, {}))).toEqual([409, 'suspended'])
    expect((await panel.get(at)).status).toBe(404)
    await panel.post(`/accounts/${alice.id}/unsuspend`, {})
    await panel.settle()
    expect(host(panel).vhost('shop.example')).not.toContain('previews.example')
  })

  test('refuses other hours, a deleted domain and a wildcard', async () => {
    const { panel, at, path, id, domain } = await withPreviews()
    const wildcard = await domain('*.alice.example')
    for (const hours of [0, 721, 1.5, 'a'])
      expect(problem(await panel.post(at, { hours }))).toEqual([400, 'validation', 'hours'])
    expect(problem(await panel.post(`${path}/${wildcard.id}/preview`, {}))).toEqual([409, 'not-configured'])
    await panel.delete(`${path}/${id}`)
    expect(problem(await panel.post(at, {}))).toEqual([409, 'busy'])
    await panel.settle()
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM previews').pluck().get()).toBe(0)
  })
})

describe('name of previews', () => {
  test.each([
    'host.example',
    'previews.host.example',
    'a.alice.example',
    'alice.example',
    'example',
    'A.example',
    'a b',
  ])('refuses %j', async (preview_hostname) => {
    const { panel } = await withAlice()
    expect(problem(await panel.patch('/settings', { preview_hostname }))).toEqual([
      400,
      'validation',
      'preview_hostname',
    ])
    expect((await panel.get('/settings')).body.preview_hostname).toBe(null)
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('cannot be a domain of an account afterwards', async () => {
    const { ask, panel } = await withPreviews()
    for (const name of ['previews.example', 'a.previews.example'])
      expect(problem(await ask(name))).toEqual([400, 'validation', 'name'])
    await panel.patch('/settings', { preview_hostname: null })
    expect((await ask('previews.example')).status).toBe(202)
  })
})
