import { executablePath, openBrowser, signIn } from '../../test/web/browser/browser.ts'
import { median, rounded } from '../figures.ts'
import { ask } from '../panel.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const password = 'correct horse battery'
const visits = 5
const kilobit = 1000 / 8
/** A phone on a slow line. */
const slow = { offline: false, latency: 150, downloadThroughput: 1_600 * kilobit, uploadThroughput: 750 * kilobit }
const slower = { rate: 4 }
/** Longer tasks block what one types. */
const bearable = 50

/** What of a first visit people notice: when the page is there, how far it moved, how long it did not answer. */
interface Noticed {
  readonly lcp: number
  readonly cls: number
  readonly blocked: number
}

const budgets: Noticed = { lcp: 1_500, cls: 0.01, blocked: 50 }

const pages = { 'the sign-in': '/admin/login', 'the home': '/admin/', 'a page of 50 accounts': '/admin/accounts' }

/** Kept from before the page's own scripts. */
const observing = `
  globalThis.noticed = { lcp: 0, cls: 0 }
  const on = (type, act) => new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true })
  on('largest-contentful-paint', ({ startTime }) => { noticed.lcp = startTime })
  on('layout-shift', ({ value, hadRecentInput }) => { noticed.cls += hadRecentInput ? 0 : value })
`

/** The first visit of a browser to a page, signed in where it needs that, with nothing kept. */
async function visit(origin: string, path: string): Promise<Noticed> {
  const { context, page, close } = await openBrowser()
  try {
    if (!path.endsWith('/login')) {
      await page.goto(`${origin}/admin/login`)
      await signIn(page, 'root', password)
      await page.waitForURL(`${origin}/admin/`)
    }
    const fresh = await context.newPage()
    const devtools = await context.newCDPSession(fresh)
    await devtools.send('Network.enable')
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    await devtools.send('Network.emulateNetworkConditions', slow)
    await devtools.send('Emulation.setCPUThrottlingRate', slower)
    await fresh.addInitScript(observing)
    const browser = context.browser()!
    await browser.startTracing(fresh, {
      categories: ['disabled-by-default-devtools.timeline', 'loading', '__metadata'],
    })
    await fresh.goto(origin + path, { waitUntil: 'networkidle' })
    const noticed: Omit<Noticed, 'blocked'> = await fresh.evaluate('noticed')
    return { ...noticed, blocked: blockedIn(await browser.stopTracing()) }
  } finally {
    await close()
  }
}

interface Traced {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds: when it began, and what it took of the processor. */
  readonly ts: number
  readonly tdur?: number
}

/**
 * Total blocking time: what tasks of the page take beyond what is bearable once something of it is seen. The processor's
 * time, so that other work on the machine is not counted.
 */
function blockedIn(trace: Buffer): number {
  const { traceEvents: events }: { traceEvents: Traced[] } = JSON.parse(trace.toString())
  const paint = events.find(({ name }) => name === 'firstContentfulPaint')
  if (!paint) throw new Error('nothing was painted')
  const tasks = events.filter(
    ({ name, pid, tid, ts }) => name === 'RunTask' && pid === paint.pid && tid === paint.tid && ts > paint.ts,
  )
  return tasks.reduce((sum, { tdur = 0 }) => sum + Math.max(0, tdur / 1000 - bearable), 0)
}

/** What a first visit is like on a processor four times slower, by a line of 1.6 Mbit/s and 150 ms. */
export async function measure({ small }: World): Promise<Row[]> {
  if (!executablePath) return []
  const own = copyOf(small)
  return withPanel(
    own,
    async ({ url }) => {
      await ask(own.directory, 'PUT', '/root/password', { new_password: password })
      const { origin } = new URL(url)
      const rows: Row[] = []
      for (const [what, path] of Object.entries(pages)) rows.push(...(await rowsOf(what, () => visit(origin, path))))
      return rows
    },
    { tls: true },
  )
}

async function rowsOf(what: string, look: () => Promise<Noticed>): Promise<Row[]> {
  const seen: Noticed[] = []
  for (let round = 0; round < visits; round++) seen.push(await look())
  const row = (figure: keyof Noticed, name: string, unit: string): Row => {
    const value = median(seen.map((one) => one[figure]))
    const ratios = { [`its budget, ${budgets[figure]}`]: value / budgets[figure] }
    return { what: `${what}, slow phone: ${name}`, value: rounded(value), unit, ratios }
  }
  return [row('lcp', 'largest paint', 'ms'), row('cls', 'layout shift', ''), row('blocked', 'blocked for', 'ms')]
}
