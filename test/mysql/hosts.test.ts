import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostText, isClientHost } from '../../src/shared/sql/hosts.ts'
import { runs } from '../fuzz.ts'
import { hashed, nothing, occurred, problem, sqlOf, withAlice } from './fixtures.ts'

async function open() {
  const input = await withAlice()
  await input.panel.patch('/settings', { mysql_public: true })
  return input
}

test('no host can be added unless the server listens for others', async () => {
  const { panel, path } = await withAlice()
  expect((await panel.get('/settings')).body.mysql_public).toBe(false)
  expect(problem(await panel.post(`${path}/hosts`, { host: '%' }))).toEqual([400, 'validation', 'host'])
  const refused = await panel.post(`${path}/hosts`, { host: '192.0.2.7' })
  expect([...problem(refused), refused.body.detail]).toEqual([
    409,
    'not-configured',
    'Databases on this server accept connections only from the server itself; root can allow others (setting mysql_public).',
  ])
  expect(await occurred(panel)).toEqual(nothing)
})

test('users exist at localhost, then at each host in alphabetical order', async () => {
  const { panel, path, user, host } = await open()
  await user('app')
  for (const one of ['2001:db8::7', '192.0.2.7', '198.51.100.0/24', '192.0.2.16/31']) await host(one)
  const at = sqlOf(panel).map((line) => /'alice_app'@'([^']*)'/.exec(line)?.[1])
  expect(at).toEqual([
    'localhost',
    '192.0.2.16/255.255.255.254',
    '192.0.2.7',
    '198.51.100.0/255.255.255.0',
    '2001:db8::7',
  ])
  for (const line of sqlOf(panel)) expect(line).toContain(hashed)
  const { items } = (await panel.get(`${path}/hosts`)).body
  expect(items[0]).toEqual({ id: items[0].id, host: '2001:db8::7', status: 'active', created_at: items[0].created_at })
})

test('a host is added and removed by jobs, without events of its own', async () => {
  const { panel, path, user } = await open()
  await user('app')
  const made = await panel.post(`${path}/hosts`, { host: '192.0.2.7' })
  expect([made.status, made.body.host.status]).toEqual([202, 'creating'])
  expect((await panel.get(`${path}/hosts/${made.body.host.id}`)).body).toEqual(made.body.host)
  expect(problem(await panel.post(`${path}/hosts`, { host: '192.0.2.7' }))).toEqual([409, 'exists', 'host'])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.host.update succeeded'] })
  expect(sqlOf(panel)).toHaveLength(2)
  const deleted = await panel.delete(`${path}/hosts/${made.body.host.id}`)
  expect([deleted.status, deleted.body.host.status]).toEqual([202, 'deleting'])
  expect((await panel.delete(`${path}/hosts/${made.body.host.id}`)).body).toEqual(deleted.body)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.host.update succeeded'] })
  expect(sqlOf(panel)).toHaveLength(1)
  expect((await panel.get(`${path}/hosts`)).body.items).toEqual([])
})

test('one that is removed before it was added shares the job', async () => {
  const { panel, path } = await open()
  await panel.post(`${path}/databases`, { name: 'shop' })
  const made = (await panel.post(`${path}/hosts`, { host: '192.0.2.7' })).body
  expect((await panel.delete(`${path}/hosts/${made.host.id}`)).body.job_id).toBe(made.job_id)
  expect((await occurred(panel)).jobs).toEqual(['mysql.database.create succeeded', 'mysql.host.update succeeded'])
  expect((await panel.get(`${path}/hosts`)).body.items).toEqual([])
})

test('an account has at most 20 hosts', async () => {
  const { panel, path } = await open()
  for (let n = 1; n <= 20; n++) expect((await panel.post(`${path}/hosts`, { host: `192.0.2.${n}` })).status).toBe(202)
  expect(problem(await panel.post(`${path}/hosts`, { host: '192.0.2.21' }))).toEqual([409, 'too-many'])
  await panel.settle()
})

const refused = [
  ...['%', '192.0.2.%', '0.0.0.0/0', '10.0.0.0/8', '192.0.2.5/24', 'localhost', '::ffff:192.0.2.1', "x' OR '1"],
  ...['0.0.0.0', '::', '224.0.0.1', 'ff02::1', '192.0.2.0/32', '192.0.2.0/024', '192.0.2.0/15', '192.0.2', '1.2.3.04'],
  ...['2001:DB8::7', '2001:db8:0:0:0:0:0:7', '2001:db8::/64', 'fe80::1%eth0', '::ffff:c000:201', 'shop.example', '_'],
  ...['192.0.2.0/24/24', '192.0.2.0/', '/24', ' 192.0.2.7', '192.0.2.7\n', '240.0.0.0', '0.0.0.0/16'],
]

test.each(refused)('refuses %j as a host', async (host) => {
  const { panel, path } = await open()
  expect(problem(await panel.post(`${path}/hosts`, { host }))).toEqual([400, 'validation', 'host'])
  expect(await occurred(panel)).toEqual(nothing)
})

const byte = fc.integer({ min: 0, max: 255 })

test('an IPv4 network is written with the mask, and must start at its first address', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.integer({ min: 1, max: 223 }), byte, byte, byte),
      fc.integer({ min: 16, max: 31 }),
      (parts, bits) => {
        const mask = BigInt.asUintN(32, -1n << BigInt(32 - bits))
        const number = parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
        const text = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
        const network = `${text(number & mask)}/${bits}`
        expect(isClientHost(network)).toBe(true)
        expect(hostText(network)).toBe(`${text(number & mask)}/${text(mask)}`)
        expect(isClientHost(`${text(number)}/${bits}`)).toBe((number & ~mask) === 0n)
      },
    ),
  )
})

test('no text accepted as a host contains what ends a quoted name', () => {
  const near = fc.stringMatching(/^[0-9a-f:.%_'"`\\;/ -]{1,24}$/)
  fc.assert(
    fc.property(near, (text) => {
      if (isClientHost(text)) expect(hostText(text)).toMatch(/^[0-9a-f:./]+$/)
    }),
    runs(2000),
  )
})
