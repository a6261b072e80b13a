import { describe, expect, test } from 'vitest'
import { checksOf } from '../../src/host/debian/checks.ts'
import { type Run, run } from '../../src/host/debian/commands.ts'
import { Daemons } from '../../src/host/debian/daemons.ts'
import { Owed } from '../../src/host/debian/owed.ts'
import { suiteOf } from '../../src/host/debian/suite.ts'
import type { Plan } from '../../src/host/install/plan.ts'
import { account, nameOf, tempDir } from '../host/helpers.ts'

const release = (id: string, codename: string, name: string) =>
  `PRETTY_NAME="${name}"\nNAME="Debian GNU/Linux"\nVERSION_CODENAME=${codename}\nID=${id}\n`

describe('the release', () => {
  test.each([
    ['bookworm', 'Debian 12', '8.2', '2.3'],
    ['trixie', 'Debian 13', '8.4', '2.4'],
  ])('%s has its own PHP and Dovecot', (codename, name, php, dovecot) => {
    expect(suiteOf(release('debian', codename, name))).toEqual({ name, php, dovecot })
  })

  test.each([
    ['debian', 'bullseye', 'Debian GNU/Linux 11 (bullseye)'],
    ['ubuntu', 'noble', 'Ubuntu 24.04 LTS'],
  ])('%s %s is refused by its name', (id, codename, name) => {
    expect(() => suiteOf(release(id, codename, name))).toThrow(
      `${name} is not supported: panel hosts on Debian 12 and 13.`,
    )
  })
})

describe('a command', () => {
  test('takes its words as they are, and its input', async () => {
    expect(await run('/bin/echo', ['$HOME; `id`', '*'])).toBe('$HOME; `id` *\n')
    expect(await run('/bin/cat', [], { input: 'a secret' })).toBe('a secret')
  })

  test('that fails says why, in the line that names the error', async () => {
    const script = 'echo one >&2; echo "[emerg] unknown directive" >&2; echo last >&2; exit 3'
    await expect(run('/bin/sh', ['-c', script], { stage: 'validate' })).rejects.toMatchObject({
      stage: 'validate',
      message: '/bin/sh failed: [emerg] unknown directive',
    })
    expect(await run('/bin/sh', ['-c', 'exit 3'], { fine: [3] })).toBe('')
  })
})

const recorded = () => {
  const commands: string[] = []
  const noted: Run = async (program, args) => {
    commands.push([program, ...args].join(' '))
    return ''
  }
  return { commands, noted }
}

const staged = (path: string) => ({ path, staged: `/x/${path}`, file: {} as never })

test('each file is judged by the daemon that reads it', async () => {
  const { commands, noted } = recorded()
  const placed: string[] = []
  const checks = checksOf(noted, { name: 'Debian 13', php: '8.4', dovecot: '2.4' }, (paths) => placed.push(...paths))
  await checks.precheck?.([
    staged('etc/bind/panel/zones/bob.example.zone'),
    staged('etc/panel/php/bob.conf'),
    staged('etc/panel/users.d/bob'),
  ])
  await checks.validate?.(['etc/panel/users.d/bob'])
  await checks.validate?.(['etc/panel/tls/bob.example.crt', 'etc/bind/panel/zones.d/bob'])
  expect(commands).toEqual([
    '/usr/bin/named-checkzone -q bob.example /x/etc/bind/panel/zones/bob.example.zone',
    '/usr/sbin/php-fpm8.4 -t --fpm-config /x/etc/panel/php/bob.conf',
    '/usr/sbin/nginx -t -q',
    '/usr/bin/named-checkconf',
  ])
  expect(placed).toEqual(['etc/panel/users.d/bob', 'etc/panel/tls/bob.example.crt', 'etc/bind/panel/zones.d/bob'])
})

test('what arrives while a daemon reloads shares the next reload', async () => {
  const { commands, noted } = recorded()
  let go = (): void => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const daemons = new Daemons(
    async (program, args) => {
      const answer = await noted(program, args)
      if (args.includes('reload')) await held
      return answer
    },
    [],
    new Owed(tempDir()),
  )
  const path = 'etc/panel/nginx/sites/bob.example.conf'
  const plan: Plan = { key: 'x', moves: [], makes: [], chmods: [], changes: [{ path, had: true }] }
  const all = [1, 2, 3, 4, 5].map(() => daemons.settle(nameOf(account()), [plan]))
  await expect.poll(() => commands.filter((one) => one.includes('disable')).length).toBe(5)
  go()
  await Promise.all(all)
  expect(commands.filter((one) => one.endsWith('reload nginx'))).toHaveLength(2)
})
