import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DebianBans } from '../../../src/host/debian/bans/bans.ts'
import { loaderText } from '../../../src/host/debian/bans/table.ts'

const address = '203.0.113.7'
const failed = (from: string, port = 22, name = 'alice') => `Failed password for ${name} from ${from} port ${port} ssh2`
const nothing = { after: 0, seq: 0, bans: [], more: false }

/** A machine's bans, with what nft was listed, and its clock. */
async function started(never: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'panel-bans-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const files = { bans: join(dir, 'bans'), policy: join(dir, 'policy') }
  const nft: string[] = []
  const clock = { now: 1_800_000_000_000 }
  const run = async (program: string, _args: readonly string[], { input = '' } = {}) => {
    nft.push(input === '' ? program : input)
    return ''
  }
  const make = () => new DebianBans({ run, now: () => clock.now, files, own: () => ['198.51.100.1'] })
  const bans = make()
  await bans.exchange({ ...nothing, policy: { failures: 10, never: [...never] } })
  nft.length = 0
  const fail = (from: string, times = 10) => {
    for (let port = 0; port < times; port++) bans.line('ssh.service', failed(from, port), '1')
  }
  const found = async () => (await bans.exchange({ ...nothing, after: 0 })).found
  return { bans, clock, fail, files, found, make, nft }
}

test('the tenth failure has the address dropped, and named until the panel knows', async () => {
  const { bans, clock, fail, files, nft } = await started()
  fail(address, 9)
  expect((await bans.exchange(nothing)).found).toEqual([])
  bans.line('ssh.service', failed(address, 99, 'bob'), '1')
  const set = 'inet panel_bans banned4'
  const logins = [
    { service: 'ssh', name: 'alice', count: 9 },
    { service: 'ssh', name: 'bob', count: 1 },
  ]
  const one = { network: address, service: 'ssh', failures: 10, logins, more: false }
  expect((await bans.exchange(nothing)).found).toEqual([one])
  expect(nft).toContain(
    `add element ${set} { ${address} timeout 1s }\ndelete element ${set} { ${address} }\nadd element ${set} { ${address} timeout 600s }\n`,
  )
  expect(readFileSync(files.bans, 'utf8')).toBe(`${address} ${clock.now / 1000 + 600}\n`)
  const until = clock.now + 3_600_000
  const known = await bans.exchange({ after: 0, seq: 1, bans: [{ network: address, until }], more: false })
  expect(known).toEqual({ seq: 1, found: [] })
  expect(readFileSync(files.bans, 'utf8')).toBe(`${address} ${until / 1000}\n`)
  await bans.exchange({ after: 1, seq: 2, bans: [{ network: address, until: 0 }], more: false })
  expect(readFileSync(files.bans, 'utf8')).toBe('')
})

test('failures slower than one a minute ban none, a success halves the count', async () => {
  const { bans, clock, fail, found } = await started()
  for (let minute = 0; minute < 30; minute++, clock.now += 61_000) fail(address, 1)
  fail('203.0.113.8', 9)
  bans.line('ssh.service', 'Accepted publickey for alice from 203.0.113.8 port 1 ssh2: ED25519 SHA256:x', '1')
  fail('203.0.113.8', 4)
  expect(await found()).toEqual([])
})

test.each(['127.0.0.1', '198.51.100.1', '192.0.2.77', '2001:db8:1::5'])('%s is never banned', async (never) => {
  const { fail, found, nft } = await started(['192.0.2.0/24', '2001:db8:1::1'])
  fail(never, 40)
  expect(await found()).toEqual([])
  expect(nft.filter((text) => text.includes(never))).toEqual([])
})

test('nor is where root has signed in by SSH within a day', async () => {
  const { bans, clock, fail, found } = await started()
  bans.line('ssh.service', `Accepted password for root from ${address} port 1 ssh2`, '4194305')
  fail(address, 20)
  expect(await found()).toEqual([])
  clock.now += 86_400_001
  fail(address, 10)
  expect((await found()).map(({ network }) => network)).toEqual([address])
})

test('what another node reported bans neither where root has signed in nor the machine itself', async () => {
  const { bans, clock, files } = await started(['192.0.2.0/24'])
  bans.line('ssh.service', `Accepted publickey for root from ${address} port 1 ssh2: ED25519 SHA256:x`, '4194305')
  const until = clock.now + 3_600_000
  const networks = [address, '198.51.100.1', '192.0.2.7', '127.0.0.1', '203.0.113.9']
  const listed = (reported: boolean) => networks.map((network) => ({ network, until, ...(reported && { reported }) }))
  await bans.exchange({ after: 0, seq: 1, bans: listed(true), more: false })
  expect(readFileSync(files.bans, 'utf8')).toBe(`203.0.113.9 ${until / 1000}\n`)
  await bans.exchange({ after: 1, seq: 2, bans: listed(false), more: false })
  expect(readFileSync(files.bans, 'utf8').split('\n')).toHaveLength(networks.length + 1)
})

test('answers to what the machine itself asked pass before a ban is looked up, once connections are tracked', () => {
  const [, chain] = /chain from_outside \{([^}]*)\}/.exec(loaderText)!
  const rules = chain!
    .trim()
    .split('\n')
    .map((line) => line.trim())
  expect(rules).toEqual([
    'type filter hook prerouting priority mangle; policy accept;',
    'iif "lo" accept',
    'ct direction reply accept',
    'ip saddr @banned4 drop',
    'ip6 saddr & ffff:ffff:ffff:ffff:: @banned6 drop',
  ])
})

test('the end of a connection counts only where nothing on it has', async () => {
  const { bans, found } = await started()
  for (let port = 0; port < 9; port++) {
    bans.line('ssh.service', failed(address, port), '1')
    bans.line('ssh.service', `Connection closed by authenticating user alice ${address} port ${port} [preauth]`, '1')
  }
  expect(await found()).toEqual([])
  bans.line('ssh.service', `Connection closed by authenticating user alice ${address} port 99 [preauth]`, '1')
  expect(await found()).toHaveLength(1)
})

test('before the panel has said who is never banned, nothing counts; the next agent remembers it', async () => {
  const { files, make } = await started()
  const bans = make()
  rmSync(files.policy)
  const without = make()
  for (let port = 0; port < 10; port++)
    for (const one of [bans, without]) one.line('ssh.service', failed(address, port), '1')
  expect((await bans.exchange(nothing)).found).toHaveLength(1)
  expect((await without.exchange(nothing)).found).toEqual([])
})

test('a flood of addresses bans as many as the panel has room to hear of, and no more', async () => {
  const { bans, fail, found } = await started()
  for (let last = 0; last < 30_000; last++) bans.line('ssh.service', failed(`10.${last >> 8}.${last & 255}.9`), '1')
  fail(address)
  expect((await found()).map(({ network }) => network)).toEqual([address])
})

test('the table is loaded once, and again only if that failed', async () => {
  const { bans, make, nft } = await started()
  for (let second = 0; second < 3; second++) await bans.exchange(nothing)
  expect(nft).toEqual([])
  await make().exchange(nothing)
  expect(nft).toEqual(['/etc/panel/bans-load'])
  let fails = true
  const run = async () => {
    nft.push('tried')
    if (fails) throw new Error('nft is busy')
    return ''
  }
  const dir = mkdtempSync(join(tmpdir(), 'panel-bans-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const other = new DebianBans({ run, files: { bans: join(dir, 'bans'), policy: join(dir, 'policy') }, own: () => [] })
  await expect(other.exchange(nothing)).rejects.toThrow('nft is busy')
  fails = false
  for (let second = 0; second < 3; second++) await other.exchange(nothing)
  expect(nft.filter((text) => text === 'tried')).toHaveLength(2)
})
