import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { appsIn } from '../apps/fixtures.ts'
import type { TestPanel } from '../harness.ts'
import { startReached } from './acceptance/reached.ts'
import { type Browser, password } from './browser/browser.ts'
import { gate } from './browser/clocked.ts'
import { origin } from './visitor.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs/screens')

const names = 'alder aurora birch cedar clover ember fern hazel heron iris juniper larch linden lotus maple'.split(' ')

const visible = [
  { name: 'home', who: 'maple', at: '/user/' },
  { name: 'dns', who: 'maple', at: '/user/dns/maple.example' },
  { name: 'mail', who: 'maple', at: '/user/email' },
  { name: 'deploy', who: 'maple', at: '/user/apps/shop/releases/4' },
  { name: 'accounts', who: 'root', at: '/admin/accounts' },
] as const
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 780 },
] as const
const themes = ['light', 'dark'] as const

/** Invented accounts, one of which has something of most kinds. */
async function fill(panel: TestPanel): Promise<void> {
  for (const name of names) {
    await panel.account(name, { password })
    await panel.clock.advance(37 * 60_000)
  }
  const account = async (name: string) => (await panel.get(`/accounts?q=${name}`)).body.items[0].id as string
  for (const name of ['birch', 'iris'])
    await panel.post(`/accounts/${await account(name)}/suspend`, { reason: 'unpaid' })
  const maple = `/accounts/${await account('maple')}`
  const make = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await panel.post(`${maple}${path}`, body)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    await panel.settle()
  }
  for (const name of ['shop.maple.example', 'maple-shop.example'])
    await make('/domains', { name, kind: name.startsWith('shop.') ? 'sub' : 'addon' })
  for (const box of ['info', 'jonas', 'lena', 'office'])
    await make('/email/accounts', { address: `${box}@maple.example`, password, quota_mb: 500 })
  await make('/email/forwarders', { address: 'sales@maple.example', destinations: ['lena@maple.example'] })
  await make('/mysql/databases', { name: 'shop' })
  await make('/cron/jobs', { schedule: '*/15 * * * *', command: 'php sites/maple.example/cron.php' })
  const [zone] = (await panel.get(`${maple}/dns/zones`)).body.items
  for (const [name, type, value] of [
    ['www2', 'A', '203.0.113.24'],
    ['status', 'CNAME', 'status.example.net.'],
    ['@', 'TXT', 'site-verification=5f1c09'],
    ['files', 'AAAA', '2001:db8::24'],
  ] as const)
    await make(`/dns/zones/${zone.id}/records`, { name, type, value })
}

const built = ['added 312 packages in 14s', '> astro build', '/index.html (+212ms)', '/bread/index.html (+38ms)']
  .map((line) => `echo '${line}'\n`)
  .join('')

/** Releases of an app, the last of which is being built until its gate is opened. */
async function deployed(panel: TestPanel): Promise<() => Promise<void>> {
  const { id } = (await panel.get('/accounts?q=maple')).body.items[0]
  const { app, deploy, log } = appsIn(panel, id)
  const { command, open } = await gate(panel, 'maple')
  const shop = await app('shop', 'static', { build: 'sh build.sh' })
  for (const end of ['true', 'exit 1', 'true']) {
    await deploy(shop.id, { 'index.html': 'hello', 'build.sh': `${built}${end}\n` })
    await panel.settle()
    await panel.clock.advance(53 * 60_000)
  }
  const { body } = await deploy(shop.id, { 'index.html': 'hello', 'build.sh': `${built}${command}\n` })
  const opened = await open()
  while (!(await log(body.job_id)).includes('/bread')) await panel.clock.advance(1_000)
  return async () => {
    await opened.close()
    await panel.settle()
  }
}

async function picture({ context, page }: Browser, file: string): Promise<void> {
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 65 })
  writeFileSync(file, Buffer.from(data, 'base64'))
}

test.skipIf(process.env['PANEL_PICTURES'] === undefined)(
  'screenshots show the current pages',
  async () => {
    const reached = await startReached({ trustTenants: true })
    mkdirSync(folder, { recursive: true })
    await fill(reached.panel)
    const finish = await deployed(reached.panel)
    for (const who of ['maple', 'root'] as const) {
      const browser = await reached.open(who)
      const { page } = browser
      for (const { name, at } of visible.filter((one) => one.who === who))
        for (const size of sizes)
          for (const colorScheme of themes) {
            await page.setViewportSize(size)
            await page.emulateMedia({ colorScheme })
            await page.goto(origin + at)
            await picture(browser, join(folder, `${name}-${size.width}-${colorScheme}.webp`))
          }
      await browser.close()
    }
    await finish()
    await reached.end()
  },
  300_000,
)

test('the guide shows every screenshot with its size; together they are small', () => {
  const guide = readFileSync(join(root, 'docs/screens.md'), 'utf8')
  const files = readdirSync(folder).map((name) => ({ name, kilobytes: statSync(join(folder, name)).size / 1000 }))
  expect(files.length).toBe(visible.length * sizes.length * themes.length)
  for (const { name, kilobytes } of files) {
    expect(guide).toContain(`(screens/${name})`)
    expect(guide).toContain(`\`${name}\` ${Math.round(kilobytes)} kB`)
  }
  expect(files.reduce((sum, { kilobytes }) => sum + kilobytes, 0)).toBeLessThan(600)
})
