import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { addTraffic, showMonth } from '../../src/areas/logs/traffic.ts'
import { appsIn } from '../apps/fixtures.ts'
import type { TestPanel } from '../harness.ts'
import { startReached } from './acceptance/reached.ts'
import { type Browser, openBrowser, password } from './browser/browser.ts'
import { gate } from './browser/clocked.ts'
import { origin } from './visitor.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs/screens')

const names = 'alder aurora birch cedar clover ember fern hazel heron iris juniper larch linden lotus maple'.split(' ')

const visible = [
  { name: 'home', who: 'maple', at: '/user/' },
  { name: 'dns', who: 'maple', at: '/user/dns/maple.example' },
  { name: 'mail', who: 'maple', at: '/user/email' },
  { name: 'files', who: 'maple', at: '/user/files/sites/maple.example/public' },
  { name: 'schedule', who: 'maple', at: '/user/cron/new?do=createCronJob&schedule=0+3+*+*+*' },
  { name: 'deploy', who: 'maple', at: '/user/apps/shop/releases/4' },
  { name: 'server', who: 'root', at: '/admin/' },
  { name: 'accounts', who: 'root', at: '/admin/accounts' },
  { name: 'account', who: 'root', at: '/admin/accounts/birch/' },
  { name: 'package', who: 'root', at: '/admin/packages/shop' },
  { name: 'audit', who: 'root', at: '/admin/audit' },
  { name: 'sign-in', who: undefined, at: '/' },
] as const
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 780 },
] as const
const themes = ['light', 'dark'] as const

const plans = [
  { name: 'small', disk_quota_mb: 2000, bw_limit_mb: 20_000, max_email: 5, max_sql: 1 },
  { name: 'shop', disk_quota_mb: 10_000, bw_limit_mb: 100_000, max_email: 25, max_sql: 5 },
  { name: 'agency', disk_quota_mb: 50_000, bw_limit_mb: 500_000, max_email: 100, max_sql: 20 },
]

/** Reserved, and not written: the content is of no interest. */
function reserve(panel: TestPanel, name: string, file: string, megabytes: number): void {
  const path = join(panel.dir, `host/home/${name}/sites/${name}.example/public/${file}`)
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('fallocate', ['-l', `${megabytes}M`, path])
}

/** Invented accounts, one of which has something of most kinds. */
async function fill(panel: TestPanel): Promise<void> {
  const packages: string[] = []
  for (const plan of plans) packages.push((await panel.post('/packages', plan)).body.id)
  for (const [place, name] of names.entries()) {
    const package_id = packages[name === 'maple' ? 1 : place % plans.length]!
    const { id } = await panel.account(name, { password, package_id, contact_email: `hello@${name}.net` })
    reserve(panel, name, 'photos.zip', 1 + ((place * 137) % 380))
    const day = new Date(panel.clock.now()).toISOString().slice(0, 10)
    await panel.store.change(() => {
      const web_out = (2 + ((place * 53) % 61)) * 150_000_000
      addTraffic(panel.store.db, id, day, { web_in: 0, web_out, ftp: 0, mail: 0 })
      showMonth(panel.store.db, id, panel.clock.now())
    })
    await panel.clock.advance(37 * 60_000)
  }
  for (const [file, megabytes] of [
    ['index.html', 1],
    ['style.css', 1],
    ['photos/bread.jpg', 12],
    ['catalogue.pdf', 38],
  ] as const)
    reserve(panel, 'maple', file, megabytes)
  await panel.clock.advance(3_700_000)
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
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 40 })
  await session.detach()
  writeFileSync(file, Buffer.from(data, 'base64'))
}

test.skipIf(process.env['PANEL_PICTURES'] === undefined)(
  'screenshots show the current pages',
  async () => {
    const reached = await startReached({ trustTenants: true })
    mkdirSync(folder, { recursive: true })
    await fill(reached.panel)
    const finish = await deployed(reached.panel)
    for (const who of ['maple', 'root', undefined] as const) {
      const browser = await (who ? reached.open(who) : openBrowser({ rules: reached.rules }))
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
  expect(files.reduce((sum, { kilobytes }) => sum + kilobytes, 0)).toBeLessThan(1_200)
})
