import { expect, test } from 'vitest'
import type { AccountUsage } from '../../src/host/contract/driver.ts'
import { measuredBy } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

const day = 86_400_000

/** Figures of some days, each measured once. */
async function measured(days: number) {
  let now: Omit<AccountUsage, 'id'> = { diskMb: 100, inodes: 10 }
  const panel = await startPanel({
    driver: measuredBy(
      () =>
        async ({ accounts }) =>
          accounts.map(({ id }) => ({ id, ...now })),
    ),
  })
  const { id: package_id } = (await panel.post('/packages', { name: 'small', disk_quota_mb: 500 })).body
  const { id } = await panel.account('alice', { password, package_id })
  for (let n = 1; n < days; n++) {
    now = { diskMb: 100 + n, inodes: 10 + n }
    panel.clock.jump(day)
    await panel.patch(`/accounts/${id}`, { contact_email: `a${n}@elsewhere.example` })
    await panel.settle()
  }
  return new Visitor(panel).signIn('alice')
}

const charts = (html: string): string[] => html.match(/<figure.*?<\/figure>/gs) ?? []
const rows = (html: string): number => (html.match(/<th scope="row"[^>]*>/g) ?? []).length

test("an account's usage is drawn on the server, with its table and its limit", async () => {
  const visitor = await measured(3)
  const page = await visitor.get('/user/usage')
  const [disk = '', inodes = '', ...more] = charts(page.body)
  expect(more).toEqual([])
  expect(disk).toContain(
    'role="img" aria-label="Disk: from 100 MB (Jan 15, 2026) to 102 MB (Jan 17, 2026), at most 102 MB (Jan 17, 2026)."',
  )
  expect(disk).toContain('class="limit"')
  expect(textOf(disk)).toMatch(
    /102 MB of 500 MB.*When Disk Jan 15, 2026 100 MB Jan 16, 2026 101 MB Jan 17, 2026 102 MB/,
  )
  expect([rows(disk), rows(inodes)]).toEqual([3, 3])
  expect(page.body).not.toContain(' style=')
  expect(textOf(page.body)).toContain('panel logs usage --from 2025-12-18 --to 2026-01-17 --step day')
})

test('the last 24 hours are shown by hour, and 400 days in at most 60 points', async () => {
  const visitor = await measured(70)
  const hours = await visitor.get('/user/usage?span=24h')
  expect(textOf(hours.body)).toMatch(/--to \S+ --step hour/)
  expect(charts(hours.body)[0]).toMatch(/12:00 UTC/)
  const [disk = ''] = charts((await visitor.get('/user/usage?span=400d')).body)
  expect(rows(disk)).toBe(35)
  expect(textOf(disk)).toContain('169 MB')
})

test('says that an account has no figures', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  expect(textOf((await visitor.get('/user/bandwidth')).body)).toContain('Nothing has been transferred yet.')
  const { items } = (await panel.get('/domains')).body
  expect(textOf((await visitor.get(`/user/visitors/${items[0].name}`)).body)).toContain('has had no visitors yet')
})
