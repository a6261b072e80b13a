import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'

const { start } = localCommands()

const top = JSON.stringify({ paths: [['/shop', 7]], referrers: [['news.example/', 2]], statuses: [['200', 7]] })

/** Today's figures, as if a server had counted them. */
function figures(dir: string, today: string): void {
  const sqlite = new Database(join(dir, 'panel.db'))
  const account = sqlite.prepare('SELECT id FROM accounts').pluck().get()
  const domain = sqlite.prepare('SELECT id FROM domains').pluck().get()
  sqlite.prepare('INSERT INTO traffic_days VALUES (?, ?, 1, 20, 300, 4000)').run(account, today)
  sqlite
    .prepare(
      `INSERT INTO visitor_days (domain_id, day, requests, visitors, bytes, bots, top, open)
       VALUES (?, ?, 7, 3, 700, 1, ?, 0)`,
    )
    .run(domain, today, top)
  sqlite.close()
}

test('shows figures of logs on the command line', { timeout: 60_000 }, async () => {
  const first = await start()
  await first.succeeds('accounts create alice --domain alice.example -q')
  await first.server.kill('SIGTERM')
  const today = new Date().toISOString().slice(0, 10)
  figures(first.server.dir, today)
  const { succeeds, panel } = await start({}, first.server.dir)
  expect(await succeeds(`logs visitors alice.example -a alice --to ${today}`)).toBe(
    [
      'day\trequests\tvisitors\tbytes\tbots',
      `${today}\t7\t3\t700\t1`,
      '',
      'top.paths:',
      'path\trequests',
      '/shop\t7',
      '',
      'top.referrers:',
      'referrer\trequests',
      'news.example/\t2',
      '',
      'top.statuses:',
      'status\trequests',
      '200\t7',
      '',
    ].join('\n'),
  )
  expect(await succeeds(`logs bandwidth -a alice --to ${today}`)).toBe(
    [
      'day\tweb_in\tweb_out\tftp\tmail',
      `${today}\t1\t20\t300\t4000`,
      '',
      'web_in\tweb_out\tftp\tmail\tall',
      '1\t20\t300\t4000\t4321',
      '',
    ].join('\n'),
  )
  expect(JSON.parse(await succeeds(`logs bandwidth -a alice --to ${today} -o json`))).toMatchObject({
    items: [{ day: today }],
    total: { all: 4321 },
  })
  expect(await succeeds(`logs bandwidth -a alice --to ${today} -o csv`)).toBe(
    `day,web_in,web_out,ftp,mail\r\n${today},1,20,300,4000\r\n`,
  )
  const [heading, ...points] = (await succeeds('logs usage -a alice --step hour')).trimEnd().split('\n')
  expect(heading!.split('\t')).toEqual(['at', 'disk_mb', 'inodes', 'cpu_s', 'memory_mb'])
  expect(points.length).toBeGreaterThan(0)
  const refused = await panel('logs bandwidth -a alice --from 2031-02-30')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('from')])
})
