import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HostError } from '../../src/host/contract/error.ts'
import type { Run } from '../../src/host/debian/commands.ts'
import { Configurations, poolCheckers } from '../../src/host/debian/inspect/configurations.ts'
import { ProgramError } from '../../src/host/programs/error.ts'
import { tempDir } from '../host/helpers.ts'

const checkers = [
  { name: 'nginx', check: ['/usr/sbin/nginx', '-t', '-q'] },
  { name: 'postfix', check: ['/usr/sbin/postfix', 'check'] },
  { name: 'dns', check: ['/usr/bin/named-checkconf'] },
] as const

test("the daemons' own checkers are called, and what they refuse is shown with their words", async () => {
  const programs: string[] = []
  const run: Run = async (program) => {
    programs.push(program)
    if (program.endsWith('nginx'))
      throw new HostError('validate', 'unknown directive "nonsense" in /etc/nginx/conf.d/a.conf:1')
    return ''
  }
  const found = await new Configurations(run, checkers).misconfigured(['nginx', 'postfix'])
  expect(programs).toEqual(['/usr/sbin/nginx', '/usr/sbin/postfix'])
  expect(found).toEqual([
    {
      name: 'nginx',
      check: '/usr/sbin/nginx -t -q',
      reason: 'unknown directive "nonsense" in /etc/nginx/conf.d/a.conf:1',
    },
  ])
})

test('a checker that needs a namespace of its own is run by systemd, since the agent may make none', async () => {
  const ran: string[] = []
  const run: Run = async (program, args) => {
    ran.push([program, ...args].join(' '))
    throw new ProgramError('validate', {
      program,
      words: args,
      output: "fatal: unknown configuration directive 'Nonsense' on line 3 of '/etc/proftpd/proftpd.conf'",
    })
  }
  const ftp = { name: 'ftp', check: ['/usr/bin/unshare', '--ipc', '/usr/sbin/proftpd', '-t'] } as const
  expect(await new Configurations(run, [ftp]).misconfigured(['ftp'])).toEqual([
    {
      name: 'ftp',
      check: '/usr/sbin/proftpd -t',
      reason: "unknown configuration directive 'Nonsense' on line 3 of '/etc/proftpd/proftpd.conf'",
    },
  ])
  expect(ran).toHaveLength(1)
  expect(ran[0]).toMatch(/^\/usr\/bin\/systemd-run --quiet --wait --pipe --collect -p PrivateIPC=yes \/bin\/sh -c /)
  expect(ran[0]).toMatch(/ sh \/usr\/sbin\/proftpd -t$/)
})

test('a checker that prints nothing is explained by what reads the same file', async () => {
  const run: Run = async (program, words) => {
    const output = program.endsWith('postconf') ? "postconf: fatal: /etc/postfix/main.cf, line 9: missing '='" : ''
    throw new ProgramError('validate', { program, words, output, end: 'it ended with code 1' })
  }
  expect(await new Configurations(run, [checkers[1]]).misconfigured(['postfix'])).toEqual([
    {
      name: 'postfix',
      check: '/usr/sbin/postfix check',
      reason: "postconf: fatal: /etc/postfix/main.cf, line 9: missing '='",
    },
  ])
})

test('a slow check is not waited for: the next call shows its result', async () => {
  let end!: () => void
  const run: Run = () =>
    new Promise((_, reject) => {
      end = () => reject(new HostError('validate', 'named.conf:3: unknown option'))
    })
  const configurations = new Configurations(run, [checkers[2]])
  expect(await configurations.misconfigured(['dns'], 0)).toEqual([])
  end()
  expect(await configurations.misconfigured(['dns'])).toMatchObject([{ reason: 'named.conf:3: unknown option' }])
})

test('PHP-FPM reads a file of each account: of those that are alike one is checked, and a broken one is named', async () => {
  const root = tempDir()
  const folder = join(root, 'etc/panel/php')
  mkdirSync(folder, { recursive: true })
  const pool = (username: string, more = '') => `[global]\ndaemonize = no\n[${username}]\nuser = ${username}\n${more}`
  for (const name of ['alice', 'bob', 'carol'])
    writeFileSync(join(folder, `8.4-e3b0c44298fc-${name}.conf`), pool(name, name === 'carol' ? 'nonsense = on\n' : ''))
  writeFileSync(join(folder, 'notes.txt'), '')
  const ran: string[] = []
  const run: Run = async (program, words) => {
    ran.push(`${program} ${words.at(-1)!.slice(folder.length + 1)}`)
    if (!words.at(-1)!.includes('carol')) return ''
    throw new ProgramError('validate', {
      program,
      words,
      output: `[27-Nov-2026 22:00:00] ERROR: [${words.at(-1)}:5] unknown entry 'nonsense'`,
    })
  }
  const found = await new Configurations(run, [], () => poolCheckers(root)).misconfigured([])
  expect(ran.sort()).toEqual([
    '/usr/sbin/php-fpm8.4 8.4-e3b0c44298fc-alice.conf',
    '/usr/sbin/php-fpm8.4 8.4-e3b0c44298fc-carol.conf',
  ])
  const file = join(folder, '8.4-e3b0c44298fc-carol.conf')
  expect(found).toEqual([
    {
      name: 'php',
      check: `/usr/sbin/php-fpm8.4 -t --fpm-config ${file}`,
      reason: expect.stringContaining(`[${file}:5] unknown entry 'nonsense'`),
    },
  ])
})
