import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { databaseSockets } from '../../src/host/setup/steps/database-sockets.ts'
import { localClients } from '../../src/host/setup/steps/local-clients.ts'
import { mariadb } from '../../src/host/setup/steps/mariadb.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { ports } from '../../src/host/setup/steps/ports.ts'
import { ssh } from '../../src/host/setup/steps/ssh.ts'
import { bench, facts } from './context.ts'

const textOf = (step: SetupStep, end: string, of = facts): string => {
  const { content } = step.files!(of).find(({ path }) => path.endsWith(end))!
  return typeof content === 'string' ? content : content('')
}

test('each account has 50 connections to MariaDB through its own socket, under a user that it cannot signal', () => {
  const service = textOf(databaseSockets, 'panel-mysql@.service')
  // systemd-socket-proxyd lets one more pass than it is told.
  expect(service).toContain(' --connections-max=49 ')
  for (const line of ['DynamicUser=yes', 'SupplementaryGroups=panel-sql', 'PrivateNetwork=yes', 'MemoryMax=64M'])
    expect(service).toContain(`\n${line}\n`)
  expect(textOf(databaseSockets, 'panel-mysql@.socket')).toContain('\nListenStream=/run/panel-mysql/%i/mysqld.sock\n')
  expect(databaseSockets.dirs).toEqual([{ path: '/run/panel-mysql', mode: 0 }])
})

test('PHP and sessions see it in place of the socket of the server', () => {
  const unit = textOf(php, 'panel-php-.service.d/panel.conf')
  expect(unit).toMatch(/^BindReadOnlyPaths=.* -\/run\/panel-mysql\/%j:\/run\/mysqld$/m)
  expect(unit).toContain('\nWants=panel-mysql@%j.socket\nAfter=panel-mysql@%j.socket\n')
  const line = '/run/mysqld /run/panel-mysql/ user:create=0750,mysql,panel-sql\n'
  expect(textOf(ssh, 'namespace.d/panel.conf').endsWith(line)).toBe(true)
  const without = { ...facts, without: new Set(['mysql'] as const) }
  expect(textOf(ssh, 'namespace.d/panel.conf', without)).not.toContain('mysqld')
})

test.each([
  ['755 root', true],
  ['750 panel-sql', false],
  [undefined, false],
])(
  'the directory of the socket of the server, found as %s, is closed, and apps that see it start anew',
  async (found, closes) => {
    const context = bench((command) => {
      if (command.includes('/stat -c %a %G ')) return found
      return command.includes('UnitFileState') ? 'enabled' : command.includes('/stat ') ? '750' : 'active'
    })
    await applyStep(context, mariadb, facts)
    const acts = context.ran.filter((command) => /stop|install/.test(command))
    const close = '/usr/bin/install -d -o mysql -g panel-sql -m 0750 /run/mysqld'
    expect(acts).toEqual(closes ? ['/usr/bin/systemctl stop panel-app-*.service', close] : [])
    expect(textOf(mariadb, 'mariadb.service.d/panel.conf')).toContain(`\nExecStartPre=+${close}\n`)
  },
)

test.each([
  ['ftp', '{ 21, 2222 }', 40],
  ['mailbox', '{ 110, 143, 993, 995 }', 250],
  ['smtp', '{ 25, 465, 587 }', 50],
  ['database', '3306', 50],
])('connections from outside to %s are counted by address', (name, ports, max) => {
  const table = textOf(localClients, 'local.nft')
  for (const count of [
    `add @remote_${name} { ip saddr ct count over ${max} }`,
    `add @remote_${name}6 { ip6 saddr and ffff:ffff:ffff:ffff:: ct count over ${max} }`,
  ])
    expect(table).toContain(`    tcp dport ${ports} ct state new ${count} reject with tcp reset\n`)
})

test('those by TCP are counted by account, by address, and together', () => {
  const table = textOf(localClients, 'local.nft')
  for (const count of ['add @databases { meta skuid ct count over 50 }', 'ct count over 500'])
    expect(table).toContain(`ct state new ${count} reject with tcp reset\n`)
  expect(textOf(mariadb, '90-panel-bounds.cnf')).toContain('\nmax_connections = 2000\n')
})

test.each([
  [7711, 7712, 7713],
  [7711, 8000, 8001],
  [443, 444, 7600],
  [24_000, 7712, 7713],
])('with the server on %i and nodes on %i, the first port for all is %i', async (port, nodePort, first) => {
  const context = bench(() => '1024')
  await applyStep(context, ports, { ...facts, port, nodePort })
  expect(context.ran).toContain(`/usr/sbin/sysctl -q -w net.ipv4.ip_unprivileged_port_start=${first}`)
})
