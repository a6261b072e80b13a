import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HostError } from '../../src/host/contract/error.ts'
import { checksOf } from '../../src/host/debian/checks.ts'
import { type Run, run } from '../../src/host/debian/commands.ts'
import { Daemons, reloadNamed } from '../../src/host/debian/daemons.ts'
import { PendingReloads } from '../../src/host/debian/pending-reloads.ts'
import { endAllOf, endGently, signalDaemon } from '../../src/host/debian/processes.ts'
import { checkSites, refusedIn } from '../../src/host/debian/sites.ts'
import { suiteOf } from '../../src/host/debian/suite.ts'
import type { Plan } from '../../src/host/install/plan.ts'
import { php } from '../../src/host/parts/php/index.ts'
import { systemFile } from '../../src/host/parts/spec.ts'
import { account, nameOf, server, tempDir } from '../host/helpers.ts'

const release = (id: string, codename: string, name: string) =>
  `PRETTY_NAME="${name}"\nNAME="Debian GNU/Linux"\nVERSION_CODENAME=${codename}\nID=${id}\n`

describe('release of Debian', () => {
  test.each([
    ['bookworm', 'Debian 12', '8.2', '2.3'],
    ['trixie', 'Debian 13', '8.4', '2.4'],
  ])('%s has its own PHP and Dovecot', (codename, name, php, dovecot) => {
    expect(suiteOf(release('debian', codename, name))).toMatchObject({ name, php, dovecot })
  })

  test.each([
    ['debian', 'bullseye', 'Debian GNU/Linux 11 (bullseye)'],
    ['ubuntu', 'noble', 'Ubuntu 24.04 LTS'],
  ])('refuses %s %s by name', (id, codename, name) => {
    expect(() => suiteOf(release(id, codename, name))).toThrow(
      `${name} is not supported: panel hosts on Debian 12 and 13.`,
    )
  })
})

describe('command', () => {
  test('takes its arguments verbatim, and its input', async () => {
    expect(await run('/bin/echo', ['$HOME; `id`', '*'])).toBe('$HOME; `id` *\n')
    expect(await run('/bin/cat', [], { input: 'a secret' })).toBe('a secret')
  })

  test('says why a command failed, with the line that names the error', async () => {
    const script = 'echo one >&2; echo "[emerg] unknown directive" >&2; echo last >&2; exit 3'
    await expect(run('/bin/sh', ['-c', script], { stage: 'validate' })).rejects.toMatchObject({
      stage: 'validate',
      message: 'sh -c … failed: [emerg] unknown directive. Correct that on the host, then try again.',
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

const staged = (path: string) => ({ path, staged: `/x/${path}`, file: systemFile(path, 0o644, ['']) })

test('each file is checked by the daemon that reads it', async () => {
  const { commands, noted } = recorded()
  const placed: string[] = []
  const checks = checksOf(noted, (paths) => placed.push(...paths))
  await checks.precheck?.([
    staged('etc/bind/panel/zones/bob.example.zone'),
    staged('etc/panel/php/8.4-e3b0c44298fc-bob.conf'),
    staged('etc/panel/users.d/bob'),
  ])
  await checks.validate?.(['etc/panel/users.d/bob'])
  await checks.validate?.(['etc/panel/tls/bob.example.crt', 'etc/bind/panel/zones.d/bob'])
  expect(commands).toEqual([
    '/usr/bin/named-checkzone -q bob.example /x/etc/bind/panel/zones/bob.example.zone',
    '/usr/sbin/php-fpm8.4 -t --fpm-config /x/etc/panel/php/8.4-e3b0c44298fc-bob.conf',
    '/usr/sbin/nginx -t -q',
    '/usr/bin/named-checkconf',
  ])
  expect(placed).toEqual(['etc/panel/users.d/bob', 'etc/panel/tls/bob.example.crt', 'etc/bind/panel/zones.d/bob'])
})

test('checks one of the pools that differ only by account name', async () => {
  const { commands, noted } = recorded()
  const { precheck } = checksOf(noted, () => {})
  const poolOf = (username: string, uid: number, children?: number) => {
    const { parts, ...core } = account({ username, uid, mainDomain: `${username}.example` })
    const [file] = php.render(core, { ...parts.php, children }, server, {}).files
    return { path: file!.path, staged: `/x/${username}`, file: file! }
  }
  await precheck?.([poolOf('bob', 20_001)])
  await precheck?.([poolOf('ann', 20_002)])
  await precheck?.([poolOf('ann', 20_002, 3)])
  await precheck?.([poolOf('on', 20_003)])
  await precheck?.([poolOf('on', 20_003)])
  expect(commands.map((one) => one.split(' ').at(-1))).toEqual(['/x/bob', '/x/ann', '/x/on', '/x/on'])
})

test('a pool that was refused is checked again', async () => {
  let isBad = true
  const php: Run = async () => (isBad ? Promise.reject(new HostError('precheck', 'unknown entry')) : '')
  const { precheck } = checksOf(php, () => {})
  const pool = staged('etc/panel/php/8.4-e3b0c44298fc-bob.conf')
  await expect(precheck?.([pool])).rejects.toThrow('unknown entry')
  isBad = false
  await precheck?.([pool])
  isBad = true
  await precheck?.([pool])
})

test('requests during a reload share the next reload', async () => {
  const { commands, noted } = recorded()
  let go = (): void => {}
  const inUse = new Promise<void>((resolve) => {
    go = resolve
  })
  const daemons = new Daemons(
    async (program, args) => {
      const answer = await noted(program, args)
      if (args.includes('reload')) await inUse
      return answer
    },
    [],
    new PendingReloads(tempDir()),
  )
  const path = 'etc/panel/nginx/sites/bob.example.conf'
  const plan: Plan = { key: 'x', moves: [], makes: [], chmods: [], changes: [{ path, had: true }], errors: [] }
  const all = [1, 2, 3, 4, 5].map(() => daemons.settle(nameOf(account()), [plan], { php: 'stop' }))
  await expect.poll(() => commands.filter((one) => one.includes(' stop ')).length).toBe(5)
  go()
  await Promise.all(all)
  expect(commands.filter((one) => one.endsWith('reload nginx'))).toHaveLength(2)
})

test("an account's PHP is checked when a change may affect it", async () => {
  const { commands, noted } = recorded()
  const daemons = new Daemons(noted, [], new PendingReloads(tempDir()))
  const plan: Plan = { key: 'x', moves: [], makes: [], chmods: [], changes: [], errors: [] }
  await daemons.settle(nameOf(account()), [plan])
  expect(commands).toEqual([])
  await daemons.settle(nameOf(account()), [plan], { php: 'stop' })
  expect(commands).toEqual([
    '/usr/bin/systemctl stop panel-php-*-bob.socket panel-cgi@bob.socket panel-site-http-bob.socket panel-site-https-bob.socket',
    '/usr/bin/systemctl kill --signal=TERM --kill-whom=main panel-php-*-bob.service',
    '/usr/bin/systemctl stop panel-php-*-bob.service panel-php@bob.service panel-cgi@bob.service panel-mysql@bob.socket panel-mysql@bob.service panel-terminals@bob.service panel-site-http-bob.service panel-site-https-bob.service panel-apache-bob.service',
    '/usr/bin/systemctl reset-failed panel-php-*-bob.socket panel-php-*-bob.service panel-*-bob.*',
  ])
})

test('a daemon is signalled only if its pid file has its number', async () => {
  const pidFile = `${tempDir()}/pid`
  const child = spawn('/bin/sleep', ['60'])
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  expect(signalDaemon({ program: 'sleep', pidFile }, 'SIGUSR1')).toBe(false)
  writeFileSync(pidFile, `${child.pid}\n`)
  expect(signalDaemon({ program: 'another', pidFile }, 'SIGUSR1')).toBe(false)
  await expect.poll(() => signalDaemon({ program: 'sleep', pidFile }, 'SIGUSR1')).toBe(true)
  expect(await ended).toBe('SIGUSR1')
})

test('named loads new zones, and reloads only those that changed', async () => {
  const { commands, noted } = recorded()
  await reloadNamed(noted, new Set(['etc/bind/panel/zones/bob.example.zone', 'etc/bind/panel/zones.d/bob']))
  await reloadNamed(noted, new Set(['var/lib/bind/panel/zones/bob.example.zone']))
  await reloadNamed(noted, undefined)
  expect(commands).toEqual([
    '/usr/sbin/rndc reconfig',
    '/usr/sbin/rndc reload bob.example',
    '/usr/sbin/rndc reload bob.example',
    '/usr/sbin/rndc reconfig',
    '/usr/sbin/rndc reload',
  ])
})

test('a changed zone is loaded when its reload ends', async () => {
  const answers = ['zone reload queued\n', 'zone reload queued\n', 'zone reload up-to-date\n']
  const commands: string[] = []
  const named: Run = async (_, args) => {
    commands.push(args.join(' '))
    return answers.shift() ?? ''
  }
  await reloadNamed(named, new Set(['var/lib/bind/panel/zones/bob.example.zone']))
  expect(commands).toEqual(Array(3).fill('reload bob.example'))
})

describe('another site that nginx refuses', () => {
  const folder = 'etc/panel/nginx/sites'
  const validated = async (changed: readonly string[]) => {
    const root = `${tempDir()}/`
    mkdirSync(`${root}${folder}`, { recursive: true })
    writeFileSync(`${root}${folder}/bad.example.conf`, 'broken {')
    const nginx: Run = async () => {
      if (!existsSync(`${root}${folder}/bad.example.conf`)) return ''
      throw new HostError('validate', `nginx failed: unexpected end of file in /${folder}/bad.example.conf:2`)
    }
    const refused = await checkSites(nginx, changed, root).then(
      () => undefined,
      ({ message }: Error) => message,
    )
    return { refused, files: readdirSync(`${root}${folder}`) }
  }

  test('sets the other site aside', async () => {
    expect(await validated([`${folder}/good.example.conf`])).toEqual({ files: ['bad.example.conf.refused'] })
  })

  test('leaves the other site if it is part of the change', async () => {
    for (const path of [
      `${folder}/bad.example.conf`,
      'etc/panel/tls/bad.example.crt',
      'etc/panel/nginx/include/bad.example.conf',
    ])
      expect(await validated([path])).toEqual({
        refused: expect.stringContaining('unexpected end of file'),
        files: ['bad.example.conf'],
      })
  })

  test('identifies the other site by its file or its certificate', () => {
    expect(refusedIn('cannot load certificate "/etc/panel/tls/bad.example.crt": PEM')).toBe(
      `${folder}/bad.example.conf`,
    )
    expect(refusedIn('unexpected "}" in /etc/panel/nginx/include/bad.example.conf:1')).toBe(
      `${folder}/bad.example.conf`,
    )
    expect(refusedIn('unknown directive in /etc/nginx/conf.d/mine.conf:1')).toBeUndefined()
  })
})

test('all processes of a user are killed, except the spared ones', async () => {
  const proc = tempDir()
  const uid = 20_001
  const children = [1, 2].map(() => spawn('/bin/sleep', ['60'], { stdio: 'ignore' }))
  const [spared, other] = children.map(({ pid }) => pid!) as [number, number]
  for (const pid of [spared, other]) {
    mkdirSync(`${proc}/${pid}`)
    writeFileSync(`${proc}/${pid}/status`, `State:\tS (sleeping)\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\n`)
  }
  children[1]!.once('exit', () => rmSync(`${proc}/${other}`, { recursive: true }))
  await endAllOf(uid, new Set([spared]), proc)
  expect(children[1]!.signalCode).toBe('SIGKILL')
  expect(children[0]!.signalCode).toBeNull()
  children[0]!.kill('SIGKILL')
})

describe('process that is asked to exit', () => {
  const started = async (script: string) => {
    const child = spawn('/bin/sh', ['-c', `${script}; echo ready; while :; do sleep 0.02; done`], { stdio: 'pipe' })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    return child
  }

  test('lets a process clean up first', async () => {
    const note = `${tempDir()}/note`
    const child = await started(`trap 'sleep 0.1; echo done > ${note}; exit 3' TERM`)
    await endGently(child.pid!)
    expect(existsSync(note)).toBe(true)
  })

  test('kills a process that does not exit', async () => {
    const child = await started(`trap '' TERM`)
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    await endGently(child.pid!, 50)
    expect(await ended).toBe('SIGKILL')
  })
})
