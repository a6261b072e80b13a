import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { account, apply, bench, siteOf } from './helpers.ts'
import { nginx, serve } from './nginx.ts'

const name = 'bob.example'
const preview = `${'a'.repeat(32)}.previews.example`

type Answer = { status: number; headers: Record<string, unknown>; body: string }

const fetched = (socketPath: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const call = request({ socketPath, path, headers: { host: preview, ...headers }, agent: false }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      resolve({ status: answer.statusCode!, headers: answer.headers, body })
    })
    call.once('error', reject).end()
  })

const page = `<a href="http://${name}/a">a</a><link href="//www.${name}/b.css"><script src='https://www.${name}/c'></script>
<script>x={"u":"https:\\/\\/${name}\\/d","v":"\\/\\/${name}\\/e"}</script>`

/** An app that redirects to its own name and sets a cookie for it. */
async function app(root: string) {
  const folder = join(root, 'run/panel-apps/01J00000000000000000000001')
  mkdirSync(folder, { recursive: true })
  const seen: Record<string, unknown>[] = []
  const server = createServer((call, answer) => {
    seen.push(call.headers)
    answer.setHeader('Set-Cookie', `s=1; Domain=.${name}; Path=/`)
    answer.setHeader('Strict-Transport-Security', 'max-age=9')
    if (call.url === '/old') return void answer.writeHead(302, { Location: `https://www.${name}/new?a=b` }).end()
    answer.setHeader('Content-Type', call.url === '/data' ? 'application/json' : 'text/html')
    answer.end(page)
  })
  await new Promise<void>((resolve) => server.listen(join(folder, 'app.sock'), resolve))
  onTestFinished(() => void server.close())
  return seen
}

describe.skipIf(!existsSync(nginx))('a preview', () => {
  test('shows the site without its own name, redirects and cookies included', async () => {
    const { driver, root } = bench()
    const site = {
      handler: 'app',
      app: { id: '01J00000000000000000000001' },
      preview,
      httpsRedirect: false,
      rules: {
        canonical: 'www',
        hstsDays: 7,
        securityHeaders: true,
        access: [{ path: '/private', allow: [], deny: ['0.0.0.0/0'], users: [] }],
        hotlink: { extensions: ['jpg'], allow: [] },
      },
    } as const
    await apply(driver, account({ parts: { web: { sites: [siteOf(name, site)] } } }))
    const conf = join(root, `etc/panel/nginx/sites/${name}.conf`)
    // The test's nginx has no certificate and no port: the preview's server answers on the test's socket.
    const text = readFileSync(conf, 'utf8')
      .replace(/server \{\n {2}listen 80;\n {2}listen \[::\]:80;\n {2}server_name a{32}[^}]*\n\}\n/, '')
      .replace(/ {2}ssl_certificate.*_preview.*\n/g, '')
      .replaceAll('  listen 443 ssl http2;\n', '  listen 80;\n')
      .replaceAll('unix:/run/panel-', `unix:${root}/run/panel-`)
    writeFileSync(conf, text)
    const seen = await app(root)
    const get = (
      (socket) => (path: string, headers?: Record<string, string>) =>
        fetched(socket, path, headers)
    )(await serve(root))
    const home = await get('/', { referer: `https://${preview}/from`, 'accept-encoding': 'gzip' })
    expect(home.status).toBe(200)
    expect(home.body).not.toContain(name)
    expect(home.body).toBe(
      page.replaceAll('http://', 'https://').replaceAll(`www.${name}`, preview).replaceAll(name, preview),
    )
    expect(home.headers).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'x-content-type-options': 'nosniff' })
    expect(home.headers).not.toHaveProperty('strict-transport-security')
    expect(home.headers['set-cookie']).toEqual([`s=1; Domain=${preview}; Path=/`])
    expect(seen[0]).toMatchObject({
      host: name,
      referer: `https://${name}/from`,
      'x-forwarded-host': name,
      'x-forwarded-proto': 'https',
    })
    expect((await get('/data')).body).not.toContain(name)
    const sent = await get('/old')
    expect([sent.status, sent.headers['location']]).toEqual([302, `https://${preview}/new?a=b`])
    expect((await get('/a.jpg', { referer: `https://${preview}/` })).status).toBe(200)
    expect((await get('/a.jpg', { referer: 'https://foreign.example/' })).status).toBe(403)
  })

  test('is not there while the account is suspended', async () => {
    const { driver, root } = bench()
    const sites = [siteOf(name, { preview })]
    await apply(driver, account({ suspended: true, parts: { web: { sites } } }))
    expect(readFileSync(join(root, `etc/panel/nginx/sites/${name}.conf`), 'utf8')).not.toContain(preview)
  })
})

test.each(['a.previews.example', `${'a'.repeat(32)}.x;y`, `${'A'.repeat(32)}.previews.example`])(
  'the host refuses the name %s',
  async (other) => {
    const { driver } = bench()
    const state = account({ parts: { web: { sites: [siteOf(name, { preview: other })] } } })
    await expect(apply(driver, state)).rejects.toThrow('is not valid; nothing was written to the host.')
  },
)
