import { describe, expect, test } from 'vitest'
import { accents } from '../../src/contract/brand.ts'
import { tokens } from '../../src/web/style/tokens.ts'
import { startPanel } from '../harness.ts'
import { png } from '../resellers/images.ts'
import { password, textOf, Visitor } from './visitor.ts'

/** Rita is a reseller and owns carol; alice is root's. */
async function withRita() {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true, password })
  await panel.put(`/resellers/${rita.id}/acl`, { acl: ['list-accts', 'create-user-session'] })
  await panel.account('carol', { owner_id: rita.id, password })
  await panel.account('alice', { password })
  const brand = { name: '<Rita> Hosting', accent: 'teal', support_url: 'https://help.rita.example/?a="b"' }
  await panel.patch(`/resellers/${rita.id}`, { brand })
  const octets = { 'Content-Type': 'application/octet-stream' }
  const path = `/resellers/${rita.id}/brand/logo`
  const { logo } = (await panel.send('PUT', path, { body: png(8, 8), headers: octets })).body
  return { panel, rita, logo }
}

test("a reseller's brand is on its customers' pages and its own, and on no others", async () => {
  const { panel, logo } = await withRita()
  const carol = await (await new Visitor(panel).signIn('carol')).get('/user/')
  expect(textOf(carol.body)).toContain('<Rita> Hosting')
  expect(carol.body).toContain('data-accent="teal"')
  expect(carol.body).toContain(`src="/assets/brand/${logo.sha256}"`)
  expect(carol.body).toMatch(
    /href="https:\/\/help\.rita\.example\/\?a=(&quot;|%22)b(&quot;|%22)" rel="noreferrer noopener"/,
  )
  const rita = await (await new Visitor(panel).signIn('rita', 'admin')).get('/admin/')
  expect(rita.body).toContain('data-accent="teal"')
  const alice = await (await new Visitor(panel).signIn('alice')).get('/user/')
  for (const text of ['Rita', 'data-accent', '/assets/brand/', 'help.rita']) expect(alice.body).not.toContain(text)
})

test('a logo is served only as an image, for a year, by its hash', async () => {
  const { panel, logo } = await withRita()
  const reply = await new Visitor(panel).get(`/assets/brand/${logo.sha256}`)
  expect([reply.status, Object.fromEntries(reply.headers)]).toMatchObject([
    200,
    {
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    },
  ])
  expect((await new Visitor(panel).get(`/assets/brand/${'0'.repeat(64)}`)).status).toBe(404)
  expect((await new Visitor(panel).get('/assets/brand/..%2f..%2fpanel.db')).status).toBe(400)
})

test('the brand of a host name is shown to everyone who uses it', async () => {
  const { panel, rita } = await withRita()
  await panel.patch(`/resellers/${rita.id}`, { brand: { name: 'Rita', hostname: 'panel.rita.example' } })
  const at = async (host: string) =>
    (await panel.get('/brand/sign-in', { from: '192.0.2.1', headers: { Host: host } })).body
  expect(await at('panel.rita.example:7711')).toMatchObject({ name: 'Rita', hostname: 'panel.rita.example' })
  expect([await at('host.example:7711'), await at('"><script>'), await at('')]).toEqual([{}, {}, {}])
})

describe('colours of brands', () => {
  const luminance = (hex: string): number => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const contrast = (one: string, other: string): number => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light! + 0.05) / (dark! + 0.05)
  }

  test.each(accents)('keeps %s legible on every surface, light and dark', (name) => {
    const [, light, dark] = new RegExp(`\\[data-accent=${name}\\] \\{ --accent: light-dark\\((#\\w+), (#\\w+)\\)`).exec(
      tokens,
    )!
    for (const surface of ['#faf9f7', '#ffffff', '#f2f0ec']) expect(contrast(light!, surface)).toBeGreaterThan(4.5)
    for (const surface of ['#151412', '#1c1b18', '#100f0e']) expect(contrast(dark!, surface)).toBeGreaterThan(4.5)
  })
})

test('a reseller sets name, colour and logo on a page, without a script, and removes the logo', async () => {
  const { panel, rita } = await withRita()
  const visitor = await new Visitor(panel).signIn('rita', 'admin')
  const page = await visitor.get('/admin/brand')
  const saved = await visitor.submit(page, 'updateReseller', { 'brand.name': 'Rita & Co', 'brand.accent': 'rust' })
  expect(saved.status).toBe(303)
  const visible = async () => (await visitor.get('/admin/brand')).body
  expect(await visible()).toContain('data-accent="rust"')
  const file = (bytes: Buffer) => ({ name: '<script>.png', bytes })
  const sent = await visitor.follow(await visitor.upload(page, 'setBrandLogo', {}, file(png(16, 16))))
  expect(textOf(sent.body)).toContain('Logo changed.')
  expect(await visible()).toContain('alt="The logo now"')
  for (const [bytes, says] of [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'PNG or WebP'],
    [Buffer.concat([png(8, 8), Buffer.alloc(33 * 1024)]), 'at most 32768'],
    [png(513, 8), '512'],
  ] as const) {
    const refused = await visitor.upload(page, 'setBrandLogo', {}, file(bytes))
    expect([refused.status, textOf(refused.body).includes(says)]).toEqual([400, true])
  }
  const requests = await visitor.get(`/admin/brand?do=deleteBrandLogo&_item=${rita.id}`)
  await visitor.submit(requests, 'deleteBrandLogo')
  expect(await visible()).not.toContain('/assets/brand/')
})
