import { beforeEach, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { append, counted } from './lines.ts'

let panel: TestPanel
let alice: Json
const now = Date.UTC(2026, 0, 15, 12)
const day = 24 * 3_600_000
const megabyte = 1024 * 1024

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
})

const bandwidth = async (query = ''): Promise<Json> => (await panel.get(`/accounts/${alice.id}/bandwidth${query}`)).body
const web = (at: number, user: string, received: number, sent: number): string =>
  `${(at / 1000).toFixed(3)}\t${user}\t${user}.example\t200\t${received}\t${sent}\n`
const usedMb = async (): Promise<number> => (await panel.get(`/accounts/${alice.id}/usage`)).body.bandwidth_mb.used
const nothing = { web_in: 0, web_out: 0, ftp: 0, mail: 0 }

/** As ProFTPD writes it, in this machine's time zone. */
function transfer(at: number, bytes: number, direction: string, login: string, file = '/a_file.txt'): string {
  const [weekday, month, date, year] = new Date(at).toDateString().split(' ')
  const time = new Date(at).toTimeString().slice(0, 8)
  return `${weekday} ${month} ${date} ${time} ${year} 1 192.0.2.9 ${bytes} ${file} b _ ${direction} r ${login} ftp 0 * c\n`
}

/** As Postfix writes it to a file of its own, in this machine's time zone. */
function mail(at: number, text: string): string {
  const [, month, date] = new Date(at).toDateString().split(' ')
  return `${month} ${date} ${new Date(at).toTimeString().slice(0, 8)} host postfix/${text}\n`
}

test('counts the traffic of the web server, by day, and in total', async () => {
  append(panel, 'bandwidth.log', web(now, 'alice', 10, 100) + web(now, 'alice', 1, 1) + web(now, 'bob', 5, 5))
  append(panel, 'bandwidth.log', web(now - 2 * day, 'alice', 3, 4))
  await counted(panel)
  expect(await bandwidth()).toEqual({
    items: [
      { day: '2026-01-13', ...nothing, web_in: 3, web_out: 4 },
      { day: '2026-01-14', ...nothing },
      { day: '2026-01-15', ...nothing, web_in: 11, web_out: 101 },
    ],
    total: { ...nothing, web_in: 14, web_out: 105, all: 119 },
  })
  expect(await bandwidth('?from=2026-01-15')).toMatchObject({ items: [{ day: '2026-01-15' }], total: { all: 112 } })
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('counts FTP by login, and mail by the domains of senders and recipients', async () => {
  append(panel, 'ftp.log', transfer(now, 700, 'i', 'web@alice.example', '/a b i r x ftp 0 * c b _ o r bob ftp 0 * c'))
  append(
    panel,
    'ftp.log',
    transfer(now, 50, 'o', 'alice') + transfer(now, 9, 'd', 'alice') + transfer(now, 1, 'o', 'eve'),
  )
  append(
    panel,
    'mail.log',
    mail(now, 'qmgr[12]: 4F1B2C3D4E: from=<info@alice.example>, size=1000, nrcpt=2 (queue active)'),
  )
  append(
    panel,
    'mail.log',
    mail(
      now,
      'smtp[13]: 4F1B2C3D4E: to=<x@elsewhere.example>, relay=mx[192.0.2.3]:25, delay=1, dsn=2.0.0, status=sent (ok)',
    ),
  )
  append(
    panel,
    'mail.log',
    mail(now, 'lmtp[13]: 4F1B2C3D4E: to=<b@Alice.example>, relay=x, delay=1, dsn=2.0.0, status=sent (ok)'),
  )
  append(
    panel,
    'mail.log',
    mail(now, 'smtp[13]: 4F1B2C3D4E: to=<y@elsewhere.example>, relay=none, delay=1, status=deferred (timed out)'),
  )
  append(
    panel,
    'mail.log',
    '2026-01-15T12:00:00.123456+00:00 host postfix/qmgr[9]: AAAAAA: from=<>, size=10, nrcpt=1 (queue active)\n',
  )
  append(
    panel,
    'mail.log',
    '2026-01-15T12:00:00.223456+00:00 host postfix/lmtp[9]: AAAAAA: to=<info@alice.example>, relay=x, status=sent (ok)\n',
  )
  append(
    panel,
    'mail.log',
    mail(now, 'lmtp[13]: FFFFFF: to=<info@alice.example>, relay=x, delay=1, dsn=2.0.0, status=sent (unknown)'),
  )
  await counted(panel)
  expect(await bandwidth()).toMatchObject({ total: { ...nothing, ftp: 750, mail: 3_010 } })
})

test('invalid, forged or overlong lines do not count', async () => {
  const line = web(now, 'alice', 1, 1)
  append(panel, 'bandwidth.log', `rubbish\n\t\t\t\n${'x'.repeat(1_000_000)}${line}`)
  append(panel, 'bandwidth.log', Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0x0a]))
  append(
    panel,
    'bandwidth.log',
    web(now, 'alice', -1, 5) + web(now, 'alice', 1e300, 5) + web(now + 3 * day, 'alice', 7, 7),
  )
  append(panel, 'bandwidth.log', line.replace('200', '200\t200') + web(now, 'alice\t1', 2, 2) + line)
  await counted(panel)
  expect((await bandwidth()).total.all).toBe(2)
})

test('each line counts once, whatever is restarted, and the monthly usage is updated', async () => {
  append(panel, 'bandwidth.log', web(Date.UTC(2025, 11, 31), 'alice', 0, 100 * megabyte))
  append(panel, 'bandwidth.log', web(now, 'alice', megabyte, 2 * megabyte))
  await counted(panel)
  expect(await usedMb()).toBe(3)
  const line = web(now, 'alice', 0, megabyte)
  append(panel, 'bandwidth.log', line.slice(0, 30))
  await panel.restart()
  await counted(panel)
  expect(await usedMb()).toBe(3)
  append(panel, 'bandwidth.log', line.slice(30))
  await counted(panel)
  await counted(panel)
  expect(await usedMb()).toBe(4)
  expect((await bandwidth('?from=2025-12-01')).total.all).toBe(104 * megabyte)
  panel.clock.jump(Date.UTC(2026, 1, 1) - now)
  await counted(panel)
  await panel.patch(`/accounts/${alice.id}`, { contact_email: 'a@elsewhere.example' })
  await panel.settle()
  expect(await usedMb()).toBe(0)
})

test('a long log is read in chunks', async () => {
  append(panel, 'bandwidth.log', web(now, 'alice', 1, 2).repeat(150_000))
  await counted(panel)
  expect((await bandwidth()).total).toMatchObject({ web_in: 150_000, web_out: 300_000 })
})
