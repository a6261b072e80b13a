import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolverCheck } from '../../src/cli/commands/doctor/work.ts'
import { serverName } from '../../src/host/setup/facts.ts'
import { foreignPort } from '../../src/host/setup/ports.ts'
import {
  refuseOtherPanels,
  refuseOwnResolver,
  refuseWithoutPackage,
  refuseWithoutSystemd,
} from '../../src/host/setup/refusals.ts'
import type { Facts, Port } from '../../src/host/setup/step.ts'
import { server, serverPort } from '../../src/host/setup/steps/panel.ts'
import { inProcess } from '../cli/run.ts'
import { tempDir } from '../host/helpers.ts'
import { bench, facts, has } from './context.ts'

describe('machine that cannot be set up', () => {
  test.each([
    ['cPanel', 'usr/local/cpanel'],
    ['Plesk', 'opt/psa'],
    ['Hestia', 'usr/local/hestia'],
    ['ISPConfig', 'usr/local/ispconfig'],
    ['Virtualmin', 'etc/webmin/virtual-server'],
  ])('refuses a machine that already hosts with %s', (name, path) => {
    const root = tempDir()
    expect(() => refuseOtherPanels(root)).not.toThrow()
    mkdirSync(join(root, path), { recursive: true })
    expect(() => refuseOtherPanels(root)).toThrow(
      `This machine already hosts with ${name}: panel needs a machine of its own.`,
    )
  })

  test('refuses a machine without systemd, or without the package', () => {
    const root = tempDir()
    expect(() => refuseWithoutSystemd(root)).toThrow('systemd is not running here')
    expect(() => refuseWithoutPackage(root)).toThrow('apt install ./panel_VERSION_ARCHITECTURE.deb')
  })
})

describe('machine that asks its own name server', () => {
  const withResolver = (...servers: string[]): string => {
    const root = tempDir()
    mkdirSync(join(root, 'etc'))
    mkdirSync(join(root, 'run/systemd/resolve'), { recursive: true })
    const [first, ...rest] = servers
    writeFileSync(join(root, 'etc/resolv.conf'), `search example\nnameserver ${first}\noptions edns0\n`)
    writeFileSync(
      join(root, 'run/systemd/resolve/resolv.conf'),
      rest.map((server) => `nameserver ${server}\n`).join(''),
    )
    return root
  }

  test.each([['127.0.0.1'], ['::1'], ['192.0.2.7'], ['127.0.0.53', '192.0.2.7']])(
    'refuses the machine: %s',
    (...servers) => {
      const root = withResolver(...servers)
      expect(() => refuseOwnResolver(root, ['192.0.2.7'])).toThrow(
        "this machine's own name server: name another resolver",
      )
      expect(resolverCheck([], root, ['192.0.2.7'])).toMatchObject({ status: 'bad', check: 'resolver' })
    },
  )

  test.each([['198.51.100.1'], ['127.0.0.53', '198.51.100.1']])('accepts the machine: %s', (...servers) => {
    const root = withResolver(...servers)
    expect(() => refuseOwnResolver(root, ['192.0.2.7'])).not.toThrow()
    expect(resolverCheck([], root, ['192.0.2.7']).status).toBe('ok')
    expect(resolverCheck(['198.51.100.1'], root, ['192.0.2.7']).status).toBe('bad')
  })
})

/** A /proc in which one process listens. */
function procWith(table: string, address: string, name: string): string {
  const proc = tempDir()
  mkdirSync(join(proc, 'net'))
  mkdirSync(join(proc, '77/fd'), { recursive: true })
  writeFileSync(join(proc, '77/comm'), `${name}\n`)
  writeFileSync(join(proc, '77/fd/2'), 'closed while it was looked at')
  symlinkSync('socket:[4242]', join(proc, '77/fd/3'))
  const state = table.startsWith('tcp') ? '0A' : '07'
  const line = `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 4242 1 0`
  writeFileSync(join(proc, 'net', table), `  sl  local_address\n${line}\n`)
  return proc
}

describe('port that a service needs', () => {
  const web = [{ port: 80, protocol: 'tcp', of: ['nginx'] }] as const
  const dns = [{ port: 53, protocol: 'udp', of: ['named'] }] as const

  test('refuses a port of another program, naming it', () => {
    expect(foreignPort(web, procWith('tcp6', '00000000000000000000000000000000:0050', 'apache2'))).toBe(
      'Port 80/tcp is in use by apache2 (process 77): stop it and remove its package, then run this again.',
    )
  })

  test('accepts a port of the right program, and others', () => {
    expect(foreignPort(web, procWith('tcp', '00000000:0050', 'nginx'))).toBeUndefined()
    expect(foreignPort(web, procWith('tcp', '00000000:0051', 'apache2'))).toBeUndefined()
  })

  test('accepts a port of the right program even if another process is found first', () => {
    const proc = procWith('tcp', '00000000:0050', 'worker')
    expect(foreignPort(web, proc)).toContain('worker (process 77)')
    mkdirSync(join(proc, '78/fd'), { recursive: true })
    writeFileSync(join(proc, '78/comm'), 'nginx\n')
    symlinkSync('socket:[4242]', join(proc, '78/fd/6'))
    expect(foreignPort(web, proc)).toBeUndefined()
  })

  test("takes the server's port from its options, and accepts it if this program has it open", () => {
    const portsOf = (port: number) => (server.ports as (of: Facts) => readonly Port[])({ ...facts, port })
    const proc = procWith('tcp', '00000000:1E1F', 'node')
    symlinkSync('/usr/bin/other', join(proc, '77/exe'))
    expect(foreignPort(portsOf(7711), proc)).toContain('Port 7711/tcp is in use by node (process 77)')
    expect(foreignPort(portsOf(8443), proc)).toBeUndefined()
    rmSync(join(proc, '77/exe'))
    symlinkSync(`${process.execPath} (deleted)`, join(proc, '77/exe'))
    expect(foreignPort(portsOf(7711), proc)).toBeUndefined()
  })

  test('refuses a port of a process that cannot be seen', () => {
    const proc = procWith('tcp', '00000000:0050', 'nginx')
    rmSync(join(proc, '77'), { recursive: true })
    expect(foreignPort(web, proc)).toContain('Port 80/tcp is in use by another program')
  })

  test('allows a port used only by a resolver on a loopback address', () => {
    expect(foreignPort(dns, procWith('udp', '3500007F:0035', 'systemd-resolve'))).toBeUndefined()
    expect(foreignPort(dns, procWith('udp', '0100007F:0035', 'dnsmasq'))).toContain('dnsmasq (process 77)')
  })
})

test.each([
  ['', 7711],
  ['PANEL_HOSTNAME=host.example\nPANEL_SERVE_OPTIONS=\n', 7711],
  ['PANEL_SERVE_OPTIONS=--node-port 7712 --port 8443\n', 8443],
  ['PANEL_SERVE_OPTIONS="--port=8443 --whm-port 2087"\n', 8443],
])('the options %j make the server listen on %i', (options, port) => {
  expect(serverPort(options)).toBe(port)
})

describe('name of the server', () => {
  test('takes the given name, else the previous one, else that of the machine', async () => {
    const context = bench(() => 'own.example\n')
    expect(await serverName(context, undefined)).toBe('own.example')
    has(context.root, 'etc/default/panel', 'PANEL_HOSTNAME=before.example\n')
    expect(await serverName(context, undefined)).toBe('before.example')
    expect(await serverName(context, 'Given.Example')).toBe('given.example')
  })

  test('refuses an invalid name', async () => {
    await expect(serverName(bench(), 'a b')).rejects.toThrow('a b is not a host name.')
  })
})

test('an unknown service cannot be left out', async () => {
  const { code, stderr } = await inProcess(['host', 'setup', '--without', 'mail,ssh'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--without takes mail, dns, ftp, mysql, spam, apache or none, not ssh'),
  ])
})
