import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WafHits } from '../../src/host/waf/hits.ts'
import { hitsIn } from '../../src/host/waf/transaction.ts'
import { tempDir } from './helpers.ts'

const site = '01J9Z6Q4W8V5T2R7N3M1K0H9XE'
const other = '01J9Z6Q4W8V5T2R7N3M1K0H9XF'
const start = Date.parse('Sun Nov 29 00:28:37 2026')
const aDay = 86_400_000

const found = (ruleId: string | number, message = 'XSS Attack Detected via libinjection') => ({
  message,
  details: { ruleId: String(ruleId), match: 'canary-matched', data: 'canary-data' },
})

/** A line as ModSecurity writes it. */
const lineOf = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    transaction: {
      client_ip: '203.0.113.9',
      time_stamp: 'Sun Nov 29 00:28:37 2026',
      unique_id: `${site}:eeb12ca641f3a692ba3663082fbd6eb4`,
      request: { method: 'GET', uri: '/index.php?q=canary-query' },
      response: { body: 'canary-answer', http_code: 403 },
      producer: { secrules_engine: 'Enabled' },
      messages: [found(941_100), found(949_110, 'Inbound Anomaly Score Exceeded')],
      ...more,
    },
  })

function bench() {
  const root = tempDir()
  const log = join(root, 'log/waf.log')
  mkdirSync(dirname(log))
  writeFileSync(log, '')
  let now = start
  const hits = new WafHits({ log, file: join(root, 'hits.db'), now: () => now })
  const list = async (more: object = {}) => (await hits.page({ site, limit: 100, ...more })).items
  const pass = (ms: number) => {
    now += ms
  }
  return { log, hits, list, write: (text: string) => appendFileSync(log, text), pass }
}

describe('a line of ModSecurity', () => {
  test('is a row for each rule that finds attacks, without what was sent', () => {
    const rows = hitsIn(lineOf({ messages: [found(941_100), found(942_100, 'SQL'), found(941_100), found(949_110)] }))
    const of = { site, at: start, address: '203.0.113.9', path: '/index.php', action: 'blocked' }
    expect(rows).toEqual([
      { ...of, rule: 941_100, message: 'XSS Attack Detected via libinjection' },
      { ...of, rule: 942_100, message: 'SQL' },
    ])
    expect(JSON.stringify(rows)).not.toContain('canary')
  })

  test.each([
    ['watched', { producer: { secrules_engine: 'DetectionOnly' } }],
    ['answered by the site itself', { response: { http_code: 200 } }],
  ])('says that a request was only %s', (_what, more) => {
    expect(hitsIn(lineOf(more)).map(({ action }) => action)).toEqual(['watched'])
  })

  test('shows what is not printable as question marks, and cuts what is long', () => {
    const request = { uri: `/\u001b[31mä\n${'a'.repeat(9000)}?b` }
    const [row] = hitsIn(lineOf({ request, messages: [found(941_100, `x\u0000${'y'.repeat(900)}`)] }))
    expect(row!.path).toBe(`/?[31m??${'a'.repeat(504)}`)
    expect([row!.message.slice(0, 3), row!.message.length]).toEqual(['x?y', 200])
  })

  test.each([
    ['no JSON', 'ModSecurity: Warning'],
    ['half of a line', lineOf().slice(0, 90)],
    ['another value', '[]'],
    ['null', '{"transaction":null}'],
    ['an id that a visitor chose', lineOf({ unique_id: `x${site}:1` })],
    ['an id of another kind', lineOf({ unique_id: 7 })],
    ['no time', lineOf({ time_stamp: 'yesterday' })],
    ['messages of another kind', lineOf({ messages: { length: 3 } })],
    ['a rule of another kind', lineOf({ messages: [null, 'x', { details: 'x' }, found('941100 OR 1')] })],
  ])('is left out: %s', (_what, line) => {
    expect(hitsIn(line)).toEqual([])
  })

  test('has at most ten rows', () => {
    const messages = Array.from({ length: 50 }, (_, n) => found(941_100 + n))
    expect(hitsIn(lineOf({ messages }))).toHaveLength(10)
  })
})

describe('the log of the firewall', () => {
  test('becomes rows of each site, the newest first, and is emptied', async () => {
    const { log, hits, list, write } = bench()
    write(`${lineOf()}\n${lineOf({ unique_id: `${other}:1` })}\n${lineOf({ messages: [found(942_100)] })}\n`)
    expect((await list()).map(({ rule }) => rule)).toEqual([942_100, 941_100])
    expect(statSync(log).size).toBe(0)
    expect((await list({ rule: 941_100 })).map(({ rule }) => rule)).toEqual([941_100])
    write(`${lineOf({ messages: [found(943_100)] })}\n`)
    const first = await hits.page({ site, limit: 2 })
    expect([first.items.map(({ rule }) => rule), first.more]).toEqual([[943_100, 942_100], true])
    const rest = await hits.page({ site, limit: 2, after: first.items[1]!.n })
    expect([rest.items.map(({ rule }) => rule), rest.more]).toEqual([[941_100], false])
  })

  test('keeps what is after a line that is too long or not text', async () => {
    const { list, write } = bench()
    write(`${'x'.repeat(3 * 1024 * 1024)}\n\u0000\u0001\n${lineOf()}\n`)
    expect(await list()).toHaveLength(1)
  })

  test('of a flood the end is read, and 10,000 rows of a site stay', { timeout: 60_000 }, async () => {
    const { list, write } = bench()
    write(`${lineOf({ unique_id: `${other}:1` })}\n`)
    await list()
    const flood = `${lineOf()}\n`.repeat(30_000)
    expect(flood.length).toBeGreaterThan(8 * 1024 * 1024)
    const early = '01J9Z6Q4W8V5T2R7N3M1K0H9XG'
    write(`${lineOf({ unique_id: `${early}:1` })}\n${flood}`)
    expect(await list({ limit: 1000 })).toHaveLength(1000)
    expect([await list({ site: other }), await list({ site: early })]).toEqual([[expect.anything()], []])
    let after: number | undefined
    let count = 0
    for (;;) {
      const page = await list({ limit: 1000, ...(after !== undefined && { after }) })
      if (page.length === 0) break
      count += page.length
      after = page.at(-1)!.n
    }
    expect(count).toBe(10_000)
  })

  test('rows end after 14 days', async () => {
    const { list, write, pass } = bench()
    write(`${lineOf()}\n`)
    pass(13 * aDay)
    expect(await list()).toHaveLength(1)
    pass(2 * aDay)
    expect(await list()).toEqual([])
    pass(-2 * aDay)
    expect(await list()).toEqual([])
  })

  test('is not needed', async () => {
    const hits = new WafHits({ log: '/nowhere/waf.log', file: join(tempDir(), 'hits.db'), now: () => start })
    expect(await hits.page({ site, limit: 1 })).toEqual({ items: [], more: false })
  })
})
