import { describe, expect, test } from 'vitest'
import { problem } from '../domains/fixtures.ts'
import { type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { animatedPng, png, vp8, vp8l, vp8x } from './images.ts'

const octets = { 'Content-Type': 'application/octet-stream' }
const put = (panel: TestPanel, path: string, bytes: Uint8Array | string, send: Send = {}): Promise<Reply> =>
  panel.send('PUT', path, { ...send, body: bytes, headers: { ...octets, ...send.headers } })

const brand = {
  name: 'Rita Hosting',
  accent: 'teal',
  support_url: 'https://help.rita.example/',
  hostname: 'panel.rita.example',
}

/** Rita is a reseller and owns carol; root owns alice. */
async function withRita() {
  const panel = await startPanel()
  const [rita, alice] = [await panel.account('rita', { make_reseller: true }), await panel.account('alice')]
  const carol = await panel.account('carol', { owner_id: rita.id })
  const token = await resellerToken(panel, rita.id, ['list-accts'])
  const path = `/resellers/${rita.id}`
  const seenBy = async (account: { id: string }) => (await panel.get(`/accounts/${account.id}/brand`)).body
  return { panel, rita, alice, carol, token, path, seenBy }
}

describe('brand', () => {
  test("shows the owner's brand on the pages of each account, and the server's if the owner has none", async () => {
    const { panel, alice, carol, path, seenBy } = await withRita()
    expect([await seenBy(alice), await seenBy(carol)]).toEqual([{}, {}])
    const server = { name: 'Example Hosting', accent: 'rust' }
    expect((await panel.patch('/settings', { brand: server })).body.brand).toEqual(server)
    expect([await seenBy(alice), await seenBy(carol)]).toEqual([server, server])
    expect((await panel.patch(path, { brand })).body.brand).toEqual(brand)
    expect([await seenBy(alice), await seenBy(carol)]).toEqual([server, brand])
    expect((await panel.get('/brand')).body).toEqual(server)
    expect((await panel.patch(path, { brand: null })).body).not.toHaveProperty('brand')
    expect(await seenBy(carol)).toEqual(server)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    const [entry] = (await panel.get('/audit?operation=updateReseller&order=desc')).body.items
    expect(entry).toMatchObject({ before: { brand }, after: { brand: null } })
  })

  test('lets a reseller change its brand, with its nameservers and nothing else', async () => {
    const { panel, alice, token, path, rita } = await withRita()
    const change = (body: object) => panel.patch(path, body, { token })
    expect((await change({ brand, nameservers: ['ns1.rita.example'] })).body).toMatchObject({ brand })
    expect((await panel.get('/brand', { token })).body).toEqual(brand)
    for (const body of [{ max_accounts: null }, { overselling: true }, { brand: null, max_disk_mb: 5 }])
      expect(problem(await change(body))).toEqual([403, 'forbidden'])
    expect((await panel.get(path)).body).toMatchObject({ brand, overselling: false })
    expect(problem(await panel.patch(`/resellers/${alice.id}`, { brand }, { token }))).toEqual([404, 'not-found'])
    const other = await panel.account('rolf', { make_reseller: true })
    for (const reply of [
      await panel.patch(`/resellers/${other.id}`, { brand: null }, { token }),
      await put(panel, `/resellers/${other.id}/brand/logo`, png(8, 8), { token }),
      await panel.delete(`/resellers/${other.id}/brand/logo`, { token }),
    ])
      expect(problem(reply)).toEqual([404, 'not-found'])
    expect(problem(await panel.patch('/settings', { brand: null }, { token }))).toEqual([403, 'forbidden'])
    expect(problem(await panel.get(`/accounts/${alice.id}/brand`, { token }))).toEqual([404, 'not-found'])
    expect(rita.id).toBeDefined()
  })

  test('has a unique host name', async () => {
    const { panel, path } = await withRita()
    await panel.patch(path, { brand })
    const other = await panel.account('rolf', { make_reseller: true })
    const taken = await panel.patch(`/resellers/${other.id}`, { brand: { hostname: brand.hostname } })
    expect(problem(taken)).toEqual([400, 'validation', 'brand.hostname'])
    const own = await panel.patch(path, { brand: { hostname: 'host.example' } })
    expect(problem(own)).toEqual([400, 'validation', 'brand.hostname'])
    expect((await panel.patch(path, { brand: { ...brand, name: 'Rita' } })).status).toBe(200)
  })

  test('of a reseller cannot have names of others, of the server or of providers; root may', async () => {
    const { panel, path, token } = await withRita()
    const sam = await panel.account('sam', { make_reseller: true })
    await panel.patch(`/resellers/${sam.id}`, { nameservers: ['ns1.sams.example'] })
    const set = async (hostname: string) => {
      const { status, body } = await panel.patch(path, { brand: { hostname } }, { token })
      return body.fields?.['brand.hostname'] ?? status
    }
    const foreign = 'belongs to a domain of another account; only root can set it'
    expect(await set('panel.sam.example')).toBe(foreign)
    expect(await set('alice.example')).toBe(foreign)
    expect(await set('webmail.host.example')).toBe("is the server's own")
    expect(await set('a.host.example')).toBe("is a subdomain of the server's hostname")
    expect(await set('gmail.com')).toBe('is reserved; only root can add it')
    expect(await set('ns1.sams.example')).toBe('is the name server of a reseller; only root can add it')
    expect((await panel.get(path)).body).not.toHaveProperty('brand')
    expect(await set('panel.carol.example')).toBe(200)
    expect((await panel.patch(path, { brand: { hostname: 'panel.alice.example' } })).status).toBe(200)
    expect(await set('panel.alice.example')).toBe(200)
  })

  test.each([
    [{ name: '' }, 'brand.name'],
    [{ name: 'x'.repeat(41) }, 'brand.name'],
    [{ name: 'Rita\u202egnitsoH' }, 'brand.name'],
    [{ name: 'Rita\u0000' }, 'brand.name'],
    [{ accent: 'red' }, 'brand.accent'],
    [{ accent: '#fff;background:url(//evil.example)' }, 'brand.accent'],
    [{ support_url: 'http://help.example/' }, 'brand.support_url'],
    [{ support_url: 'javascript:alert(1)' }, 'brand.support_url'],
    [{ support_url: 'https://help.example/ x' }, 'brand.support_url'],
    [{ hostname: 'Panel.Example' }, 'brand.hostname'],
    [{ hostname: '"><script>' }, 'brand.hostname'],
    [{ logo: 'x' }, 'brand.logo'],
  ])('refuses the brand %j', async (wrong, field) => {
    const { panel, path } = await withRita()
    expect(problem(await panel.patch(path, { brand: wrong }))).toEqual([400, 'validation', field])
    if (field !== 'brand.hostname')
      expect(problem(await panel.patch('/settings', { brand: wrong }))).toEqual([400, 'validation', field])
  })

  test('gives the brand of the server no host name: it is the server’s own', async () => {
    const panel = await startPanel()
    const reply = await panel.patch('/settings', { brand: { hostname: 'panel.example' } })
    expect(problem(reply)).toEqual([400, 'validation', 'brand.hostname'])
  })
})

describe('logo', () => {
  test.each([
    ['PNG', png(512, 20), { type: 'image/png', width: 512, height: 20 }],
    ['lossy WebP', vp8(40, 30), { type: 'image/webp', width: 40, height: 30 }],
    ['lossless WebP', vp8l(512, 512), { type: 'image/webp', width: 512, height: 512 }],
    ['extended WebP', vp8x(1, 300), { type: 'image/webp', width: 1, height: 300 }],
  ])('accepts a %s as a logo', async (_what, bytes, image) => {
    const { panel, carol, path, seenBy } = await withRita()
    const reply = await put(panel, `${path}/brand/logo`, bytes)
    const logo = { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), ...image }
    expect([reply.status, reply.body]).toEqual([200, { logo }])
    expect(await seenBy(carol)).toEqual({ logo })
    expect((await panel.delete(`${path}/brand/logo`)).status).toBe(204)
    expect(await seenBy(carol)).toEqual({})
    expect(problem(await panel.delete(`${path}/brand/logo`))).toEqual([404, 'not-found'])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test("separates the logo of the server, and deletes a reseller's with its privileges", async () => {
    const { panel, rita, alice, carol, token, path, seenBy } = await withRita()
    const { logo } = (await put(panel, '/settings/brand/logo', png(16, 16))).body
    expect(await seenBy(carol)).toEqual({ logo })
    const own = (await put(panel, `${path}/brand/logo`, png(8, 8), { token })).body.logo
    expect([(await seenBy(alice)).logo, (await seenBy(carol)).logo]).toEqual([logo, own])
    expect(problem(await put(panel, '/settings/brand/logo', png(8, 8), { token }))).toEqual([403, 'forbidden'])
    await panel.patch(`/accounts/${carol.id}`, {})
    await panel.delete(`/accounts/${carol.id}?confirm=carol`)
    await panel.settle()
    expect((await panel.delete(path)).status).toBe(204)
    const left = panel.store.sqlite.prepare('SELECT owner_id FROM brand_logos').pluck().all()
    expect(left).not.toContain(rita.id)
    expect((await panel.delete('/settings/brand/logo')).status).toBe(204)
  })

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['nothing', ''],
    ['a GIF', 'GIF89a\u0001\u0000\u0001\u0000'],
    [
      'HTML behind the start of a PNG',
      Buffer.concat([png(8, 8).subarray(0, 8), Buffer.from('<script>alert(1)</script>')]),
    ],
    ['a PNG with something behind it', Buffer.concat([png(8, 8), Buffer.from('<script>')])],
    ['a PNG that is cut', png(8, 8).subarray(0, 60)],
    ['a PNG with a wrong checksum', png(8, 8, { spoilt: true })],
    ['an animated PNG', animatedPng()],
    ['an animated WebP', vp8x(8, 8, 0x02)],
    ['a WebP that says another length', Buffer.concat([vp8(8, 8), Buffer.from('<script>')])],
    ['a PNG of 513 pixels', png(513, 8)],
    ['a PNG of no pixels', png(0, 8)],
    ['a WebP of 513 pixels', vp8l(8, 513)],
    ['a PNG of 33 KiB', png(8, 8, { comment: 33 * 1024 })],
  ])('refuses a logo that is %s', async (_what, bytes) => {
    const { panel, path, token } = await withRita()
    for (const [at, send] of [
      [path, { token }],
      ['/settings', {}],
    ] as const)
      expect(problem(await put(panel, `${at}/brand/logo`, bytes, send))).toEqual([400, 'validation', 'logo'])
    expect((await panel.get('/brand')).body).toEqual({})
    expect((await panel.get('/audit?operation=setBrandLogo')).body.items).toEqual([])
  })

  test('sends a logo as bytes, with a limited size', async () => {
    const { panel, path } = await withRita()
    const at = `${path}/brand/logo`
    expect(problem(await panel.send('PUT', at, { body: { logo: 'x' } }))).toEqual([415, 'unsupported-media-type'])
    expect(problem(await put(panel, at, Buffer.alloc(65 * 1024)))).toEqual([413, 'too-large'])
  })
})
