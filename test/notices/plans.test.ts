import { expect, test, vi } from 'vitest'
import { partsOf } from '../../src/areas/accounts/objects/part.ts'
import { startPanel } from '../harness.ts'

/** However much is well, warnings are read from indexes that contain nothing else. */
const own =
  /near_since|certificates_expiring|email_domains_differ|autossl_failing|cron_jobs_failing|apps_crashed|backups_damaged|jobs_unmended|webhooks_off|alert_channels_off|domain_verifications_notice|lost_names_at|contested_names_at|mail_loops_since|htaccess_ignored|machine_issues_since|read_only_databases_since/

test.each([{ limit: 101 }, { owner: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', limit: 101 }])(
  'finds notices through an index: %j',
  async (scope) => {
    const panel = await startPanel()
    const { runtime } = panel.panel
    const { db, sqlite } = panel.store
    const prepare = sqlite.prepare.bind(sqlite)
    const requests: string[] = []
    vi.spyOn(sqlite, 'prepare').mockImplementation(((text: string) => {
      requests.push(text)
      return prepare(text)
    }) as typeof prepare)
    for (const { notices } of partsOf(runtime)) notices?.({ db, runtime, now: 0 }, scope)
    vi.restoreAllMocks()
    expect(requests.length).toBeGreaterThan(10)
    for (const text of requests) {
      const values = Array.from(text.matchAll(/\?/g), () => 1)
      const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[]
      expect(plan[0]!.detail, text).toMatch(own)
    }
  },
)
