import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { timerWords } from '../../../src/host/debian/firewall/firewall.ts'
import { chainsIn } from '../../../src/host/debian/firewall/foreign.ts'
import { listenerIn } from '../../../src/host/debian/firewall/listeners.ts'
import { Firewall, rulesText } from '../../../src/host/firewall/firewall.ts'
import type { FirewallRule } from '../../../src/shared/firewall.ts'
import { idOf } from '../helpers.ts'

const services = [
  { service: 'imap', port: 143, proto: 'tcp' },
  { service: 'imap', port: 993, proto: 'tcp' },
  { service: 'ftp', port: 21, proto: 'tcp' },
  { service: 'ftp', port: 6600, last: 7599, proto: 'tcp' },
] as const
const [first, second] = [idOf(1), idOf(2)]
const deny = (port: number): FirewallRule => ({ action: 'deny', port, proto: 'tcp' })

function started(load: (rules: string) => Promise<void> = async () => {}) {
  const dir = mkdtempSync(join(tmpdir(), 'panel-firewall-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'rules')
  const acts: string[] = []
  const machine = {
    services: () => services,
    seen: async () => ({ listening: [], foreign: [] }),
    load: async (rules: string) => {
      acts.push(`load ${readFileSync(rules, 'utf8').split('\n')[1]}`)
      await load(rules)
    },
    arm: async (seconds: number) => void acts.push(`arm ${seconds} ${existsSync(`${path}.pending`)}`),
    disarm: async () => void acts.push('disarm'),
  }
  return { firewall: new Firewall({ path, machine }), acts, path }
}

test('the timer is set before rules on trial are loaded, and stopped once they stay', async () => {
  const { firewall, acts, path } = started()
  await firewall.change({ id: first, rules: [deny(22)], trialS: 60 })
  expect(acts).toEqual(['disarm', 'arm 60 false', 'load tcp dport { 22 } drop'])
  expect(await firewall.report()).toMatchObject({ pending: first, confirmed: undefined })
  expect(await firewall.confirm(second)).toEqual({ confirmed: false })
  expect(await firewall.confirm(first)).toEqual({ confirmed: true })
  expect(await firewall.confirm(first)).toEqual({ confirmed: true })
  expect(acts.slice(3)).toEqual(['disarm'])
  expect(readFileSync(path, 'utf8')).toBe(`# Change ${first}\ntcp dport { 22 } drop\n`)
})

test('a change that is sent again keeps its timer, another one first undoes what waits', async () => {
  const { firewall, acts } = started()
  await firewall.change({ id: idOf(3), rules: [deny(1)] })
  await firewall.change({ id: first, rules: [deny(22)], trialS: 60 })
  acts.length = 0
  await firewall.change({ id: first, rules: [deny(22)], trialS: 59 })
  expect(acts.splice(0)).toEqual(['load tcp dport { 22 } drop'])
  await firewall.change({ id: second, rules: [deny(23)], trialS: 60 })
  expect(acts).toEqual(['load tcp dport { 1 } drop', 'disarm', 'arm 60 false', 'load tcp dport { 23 } drop'])
})

test('what the timer has undone is not kept', async () => {
  const { firewall, path } = started()
  await firewall.change({ id: first, rules: [deny(22)], trialS: 60 })
  rmSync(`${path}.pending`)
  expect(await firewall.confirm(first)).toEqual({ confirmed: false })
  expect(existsSync(path)).toBe(false)
})

test('rules that nft refuses leave nothing, and no timer', async () => {
  const { firewall, acts, path } = started(() => Promise.reject(new Error('nft: no')))
  await expect(firewall.change({ id: first, rules: [deny(22)], trialS: 60 })).rejects.toThrow('nft: no')
  expect([acts.at(-1), existsSync(`${path}.pending`)]).toEqual(['disarm', false])
})

test('rules of the store are loaded once, and never over a change that waits', async () => {
  const { firewall, acts, path } = started()
  await firewall.change({ id: first, rules: [deny(22)] })
  await firewall.change({ id: second, rules: [deny(22)] })
  expect(acts).toEqual(['load tcp dport { 22 } drop'])
  await firewall.change({ id: second, rules: [deny(23)], trialS: 60 })
  await firewall.change({ id: first, rules: [deny(24)] })
  expect(readFileSync(path, 'utf8')).toContain('{ 22 }')
})

test('the smaller network comes first, of equal ones the one that denies; services have their ports', () => {
  const rules: FirewallRule[] = [
    { action: 'allow', service: 'ftp', proto: 'tcp' },
    { action: 'deny', service: 'imap', proto: 'tcp' },
    { action: 'allow', service: 'mysql', proto: 'tcp', from: '203.0.113.0/24' },
    { action: 'deny', port: 53, proto: 'udp', from: '2001:db8::/32' },
    { action: 'allow', port: 53, proto: 'udp', from: '2001:db8::/32' },
  ]
  expect(rulesText(first, rules, services).split('\n')).toEqual([
    `# Change ${first}`,
    'ip6 saddr 2001:db8::/32 udp dport { 53 } drop',
    'ip6 saddr 2001:db8::/32 udp dport { 53 } accept',
    'ip saddr 203.0.113.0/24 tcp dport { 3306 } accept',
    'tcp dport { 143, 993 } drop',
    'tcp dport { 21, 6600-7599 } accept',
    '',
  ])
})

test('the timer is one of systemd', () => {
  expect(timerWords(60)).toEqual([
    ...['--quiet', '--collect', '--unit=panel-firewall-revert', '--service-type=oneshot', '--on-active=60s'],
    ...['--timer-property=AccuracySec=100ms', '/etc/panel/firewall-load'],
  ])
})

const chain = (table: string, more: object = {}) => ({
  chain: { family: 'inet', table, name: 'input', hook: 'input', policy: 'accept', ...more },
})
const rule = (table: string, ...expr: object[]) => ({ rule: { family: 'inet', table, chain: 'input', expr } })
const match = { match: { op: '==', left: {}, right: 22 } }

test.each([
  ['a policy', [chain('filter', { policy: 'drop' })], true],
  ['a last rule', [chain('filter'), rule('filter', { counter: {} }, { drop: null })], true],
  ['a rule that rejects the rest', [chain('filter'), rule('filter', { reject: {} })], true],
  ['rules with conditions, such as those of fail2ban', [chain('f2b'), rule('f2b', match, { reject: {} })], false],
  ['what is beyond a rate', [chain('filter'), rule('filter', { limit: {} }, { drop: null })], false],
  ['a rule of another chain', [chain('filter'), rule('other', { drop: null })], false],
])('%s: whether it is a firewall of others', (_name, nftables, drops) => {
  expect(chainsIn(JSON.stringify({ nftables })).map((one) => one.drops)).toEqual([drops])
})

test('chains of the panel, of other hooks, and hostile names', () => {
  const hostile = `x\u001b[31m\n"} drop ${'y'.repeat(500)}`
  const all = [
    chain('panel_firewall', { policy: 'drop' }),
    chain('filter', { hook: 'forward', policy: 'drop' }),
    chain(hostile),
    { metainfo: {} },
  ]
  const [only, ...others] = chainsIn(JSON.stringify({ nftables: all }))
  expect(others).toEqual([])
  expect(only!.row.chain).toMatch(/^inet x\?\[31m\?"} drop y{1,180}$/)
  expect(only!.row.chain.length).toBe(200)
})

test.each([
  ['tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1,fd=6))', '22 tcp 0.0.0.0 sshd'],
  [
    'udp UNCONN 0 0 [fe80::1]%eth0:53 [::]:* users:(("named",pid=1,fd=3),("x",pid=2,fd=1))',
    '53 udp [fe80::1]%eth0 named',
  ],
  ['tcp LISTEN 0 5 *:9000 *:*', '9000 tcp * undefined'],
  ['tcp LISTEN 0 5 *:9000 *:* users:(("a\u001b[2J",pid=1,fd=6))', '9000 tcp * a?[2J'],
  ['tcp LISTEN 0 128 127.0.0.1:3306 0.0.0.0:*', undefined],
  ['tcp LISTEN 0 128 [::1]:953 [::]:*', undefined],
  ['udp UNCONN 0 0 0.0.0.0:45000 0.0.0.0:*', undefined],
  ['nonsense', undefined],
])('%j: what listens', (line, expected) => {
  const found = listenerIn(line)
  expect(found && `${found.port} ${found.proto} ${found.address} ${found.program}`).toBe(expected)
})
