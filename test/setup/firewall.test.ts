import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { factsOf } from '../../src/host/setup/facts.ts'
import { refuseOtherFirewalls } from '../../src/host/setup/firewalls.ts'
import { SetupRecord } from '../../src/host/setup/record.ts'
import { firewall, servicePorts } from '../../src/host/setup/steps/firewall.ts'
import { tempDir } from '../host/helpers.ts'
import { facts } from './context.ts'

/** A machine with some files, whose programs print this. */
function machine(files: Readonly<Record<string, string>> = {}, output: Readonly<Record<string, string>> = {}) {
  const root = tempDir()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const run = async (program: string, words: readonly string[]) =>
    output[[program.slice(program.lastIndexOf('/') + 1), ...words].join(' ')] ?? ''
  return { root, run, record: new SetupRecord(root), own: () => {}, say: () => {} }
}

const chains = (policy: string) =>
  JSON.stringify({ nftables: [{ chain: { family: 'ip', table: 'filter', name: 'INPUT', hook: 'input', policy } }] })
const listed = 'nft -j list ruleset'

describe('a firewall of others', () => {
  test.each([
    ['ufw', { 'etc/ufw/ufw.conf': '# x\nENABLED=yes\n' }, {}, 'ufw is enabled'],
    [
      'firewalld',
      {},
      { 'systemctl show --property=UnitFileState --value firewalld.service': 'enabled\n' },
      'firewalld is enabled',
    ],
    ['nftables', { 'usr/sbin/nft': '' }, { [listed]: chains('drop') }, 'The chain ip filter INPUT'],
    [
      'iptables',
      { 'usr/sbin/iptables-legacy': '', 'proc/net/ip_tables_names': 'nat\nfilter\n' },
      { 'iptables-legacy -S INPUT': '-P INPUT ACCEPT\n-A INPUT -p tcp -j ACCEPT\n-A INPUT -j DROP\n' },
      'Rules of iptables drop packets',
    ],
  ])('is refused: %s', async (_name, files, output, reason) => {
    await expect(
      refuseOtherFirewalls(machine(files as Record<string, string>, output as Record<string, string>)),
    ).rejects.toThrow(reason)
  })

  test('nothing else is', async () => {
    await expect(refuseOtherFirewalls(machine())).resolves.toBeUndefined()
    const context = machine(
      {
        ...{ 'etc/ufw/ufw.conf': 'ENABLED=no\n', 'usr/sbin/nft': '' },
        ...{ 'usr/sbin/iptables-legacy': '', 'proc/net/ip_tables_names': 'filter\n' },
      },
      { [listed]: chains('accept'), 'iptables-legacy -S INPUT': '-P INPUT ACCEPT\n-A INPUT -s 192.0.2.1 -j DROP\n' },
    )
    await expect(refuseOtherFirewalls(context)).resolves.toBeUndefined()
  })
})

describe('ports of services', () => {
  const open = (more: object) =>
    servicePorts({ ...facts, firewall: { ssh: [22] }, ...more }).map(({ service, port, proto }) =>
      [service, port, proto].join(' '),
    )

  test('those of services that were left out are closed, and MariaDB', () => {
    expect(open({ without: new Set(['mail', 'dns', 'ftp']) })).toEqual([
      ...['ssh 22 tcp', 'panel 7711 tcp', 'nodes 7712 tcp', 'http 80 tcp', 'https 443 tcp', 'https 443 udp'],
    ])
    expect(open({ without: new Set() })).not.toContain('mysql 3306 tcp')
    expect(open({ without: new Set() })).toContain('ftp 6600 tcp')
  })

  test('a node has no panel, and SSH is open where sshd listens', () => {
    const ports = open({ isNode: true, firewall: { ssh: [22, 2200] } })
    expect(ports).toContain('ssh 2200 tcp')
    expect(ports.filter((one) => /panel|nodes/.test(one))).toEqual([])
  })

  test('sshd is asked, and what listens', async () => {
    const context = machine(
      { 'etc/default/panel': 'PANEL_HOSTNAME=host.example\n' },
      {
        'sshd -T': 'port 2200\naddressfamily any\n',
        'ss -H -l -n -t -p': 'LISTEN 0 128 [::]:2022 [::]:* users:(("sshd",pid=1,fd=3))\n',
      },
    )
    expect((await factsOf(context, { firewall: true })).firewall).toEqual({ ssh: [2022, 2200] })
    expect((await factsOf(context)).firewall).toBeUndefined()
    context.record.note({ firewall: true })
    expect((await factsOf(context)).firewall).toEqual({ ssh: [2022, 2200] })
    expect((await factsOf(context, { firewall: false })).firewall).toBeUndefined()
    context.record.note({ firewall: false })
    expect(new SetupRecord(context.root).firewall).toBe(false)
  })

  test('the table drops what nothing names', () => {
    const files = firewall.files!({ ...facts, firewall: { ssh: [22] } })
    const table = files.find(({ path }) => path === '/etc/panel/firewall.nft')!.content as string
    expect(table).toContain('type filter hook input priority filter; policy drop;')
    expect(table.indexOf('jump by_rule')).toBeLessThan(table.indexOf('tcp dport { 22, '))
  })
})
