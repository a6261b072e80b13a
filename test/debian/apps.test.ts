import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppLog } from '../../src/host/apps/app-log.ts'
import type { Runnable } from '../../src/host/apps/runnable.ts'
import { checkMade } from '../../src/host/apps/validate.ts'
import { buildWords } from '../../src/host/debian/apps/build.ts'
import { appWords } from '../../src/host/debian/apps/debian-runner.ts'
import { OwnedFolder } from '../../src/host/debian/apps/folder.ts'
import { launchText } from '../../src/host/debian/apps/launch.ts'
import { portsText } from '../../src/host/debian/apps/ports.ts'
import { UnitProcess } from '../../src/host/debian/apps/process.ts'
import { stateOf } from '../../src/host/debian/apps/state.ts'
import { Units } from '../../src/host/debian/apps/units.ts'
import { withPipedOutput } from '../../src/host/debian/output.ts'
import { hiddenPlaces } from '../../src/host/debian/sandbox.ts'
import { suiteOf } from '../../src/host/debian/suite.ts'
import { steps } from '../../src/host/setup/steps/index.ts'
import { orderOf, shortDir, unitOf } from '../host/apps/fixtures.ts'
import { account, nameOf, tempDir } from '../host/helpers.ts'

const secret = `it's "$HOME"\n\`id\` \\ é`

const shop = (over: Partial<Runnable> = {}): Runnable => {
  const { id, username, uid } = nameOf(account())
  return {
    ...unitOf({ env: { SECRET: secret } }),
    account: id,
    username,
    uid,
    release: 7,
    start: 'node app.js',
    ...over,
  }
}

describe('unit of an app', () => {
  test('names its account and slice, and what it can see', () => {
    const log = new AppLog('/', 'bob', 'shop', { isInUse: true })
    expect(appWords({ app: shop(), log }, 'panel-app-bob-x-7.service', '/run/panel-apps/x/7.launch', 30_000)).toEqual([
      '--quiet',
      '--service-type=exec',
      '--unit=panel-app-bob-x-7.service',
      '--description=App shop of bob, release 7',
      '--slice=panel-bob.slice',
      '--property=Wants=panel-mysql@bob.socket',
      '--property=After=panel-mysql@bob.socket',
      '--property=Wants=panel-terminals@bob.service',
      '--property=After=panel-terminals@bob.service',
      '--property=PrivateIPC=yes',
      '--property=TemporaryFileSystem=/tmp:mode=1777,nosuid,nodev,size=256m,nr_inodes=16k /var/tmp:mode=1777,nosuid,nodev,size=256m,nr_inodes=16k /dev/shm:mode=1777,nosuid,nodev,size=64m,nr_inodes=4k /run/lock:mode=1777,nosuid,nodev,noexec,size=1m,nr_inodes=1k /var/lib/php/sessions:mode=1733,nosuid,nodev,noexec,size=1m,nr_inodes=1k',
      '--property=LimitCORE=0',
      '--property=ProtectHome=tmpfs',
      '--property=BindPaths=/home/bob -/run/panel-terminals/bob:/dev/pts',
      '--property=TemporaryFileSystem=/etc/panel:ro',
      '--property=BindReadOnlyPaths=-/etc/panel/submit -/run/panel-mysql/bob:/run/mysqld',
      `--property=InaccessiblePaths=${hiddenPlaces}`,
      '--property=ProtectProc=invisible',
      '--property=ProtectSystem=full',
      '--property=CapabilityBoundingSet=CAP_SETGID CAP_SETUID CAP_SETPCAP',
      '--property=StandardInput=file:/run/panel-apps/x/7.launch',
      '--property=StandardOutput=append:/var/log/panel/bob/shop.app.log',
      '--property=StandardError=inherit',
      '--property=TimeoutStopSec=30',
      '--property=InaccessiblePaths=-/var/log/panel',
      ...withPipedOutput(shop().uid, ['/bin/sh']),
    ])
  })

  test('gets a pipe in place of its log, and all that it prints is kept', async () => {
    const root = tempDir()
    const path = join(root, 'log')
    const log = openSync(path, 'a')
    const text =
      'readlink /proc/self/fd/1 /proc/self/fd/2; echo one; echo two >&2; readlink /proc/self/fd/* | grep -c /log; trap "" TERM; kill -TERM 0; echo last'
    const words = withPipedOutput(0, ['/bin/sh', '-c', text])
    const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', log, log], detached: true })
    closeSync(log)
    expect((await once(child, 'exit'))[0]).toBe(0)
    await expect.poll(() => readFileSync(path, 'utf8')).toMatch(/^(pipe:\[\d+\]\n)\1one\ntwo\n0\nlast\n$/)
  })

  test('passes the environment through its shell, whatever it contains', () => {
    const root = tempDir()
    mkdirSync(join(root, 'home/bob/apps/shop/releases/7'), { recursive: true })
    const app = shop({ start: 'printf "%s|%s|%s|%s" "$SECRET" "$PORT" "$PWD" "$(cat)"' })
    const text = launchText(app, '/run/x/sock', 'mark', root)
    const output = execFileSync('/bin/sh', [], { input: text, env: { INVOCATION_ID: 'x' }, encoding: 'utf8' })
    expect(output).toBe(`${secret}|/run/x/sock|${root}/home/bob/apps/shop/releases/7|`)
  })

  test('does not run in another directory if its own is missing', () => {
    const text = launchText(shop({ start: 'echo it runs' }), '/run/x/sock', 'mark', tempDir())
    expect(() => execFileSync('/bin/sh', [], { input: text, stdio: 'pipe' })).toThrow('Command failed')
  })

  test('hides the environment of a build', () => {
    const source = { kind: 'git', url: 'https://git.example/x', address: '192.0.2.1', password: secret } as const
    const order = orderOf(7, source, { build: `make ${secret}`, secrets: ['SECRET'] })
    const words = buildWords({ ...order, app: { ...order.app, env: { SECRET: secret } } }, 'panel-build-bob-x.service')
    expect(words.join(' ')).not.toContain('HOME')
    expect(words.slice(0, 7)).toEqual([
      '--pipe',
      '--wait',
      '--collect',
      '--quiet',
      '--service-type=exec',
      '--unit=panel-build-bob-x.service',
      '--description=Build of shop 7 of bob',
    ])
  })

  test('starts a build as root, to drop its privileges where no program of its owner can reach it', () => {
    const order = orderOf(7, { kind: 'retained' })
    const words = buildWords(order, 'panel-build-bob-x.service')
    expect(words.some((word) => /^--[ug]id=/.test(word))).toBe(false)
    expect(words).toContain('--slice=panel-bob.slice')
    expect(words).toContain('--property=CapabilityBoundingSet=CAP_SETGID CAP_SETUID')
    expect(words).toContain(`--property=RuntimeMaxSec=${order.buildTimeoutS + 120}`)
  })
})

describe('state of a unit in systemd', () => {
  const received = (over: object) =>
    Object.entries({
      LoadState: 'loaded',
      ActiveState: 'active',
      MainPID: 0,
      ExecMainCode: 0,
      ExecMainStatus: 0,
      ...over,
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  test.each([
    [{ MainPID: 77 }, { pid: 77, isOver: false, exit: { code: 0, signal: null } }],
    [
      { ActiveState: 'failed', ExecMainCode: 1, ExecMainStatus: 3 },
      { isOver: true, exit: { code: 3, signal: null } },
    ],
    [
      { ActiveState: 'failed', ExecMainCode: 2, ExecMainStatus: 9 },
      { isOver: true, exit: { code: null, signal: 'SIGKILL' } },
    ],
    [
      { ActiveState: 'failed', ExecMainCode: 3, ExecMainStatus: 11 },
      { isOver: true, exit: { code: null, signal: 'SIGSEGV' } },
    ],
    [
      { LoadState: 'not-found', ActiveState: 'inactive' },
      { isOver: true, exit: { code: 0, signal: null } },
    ],
    [
      { ActiveState: 'deactivating', ExecMainCode: 1 },
      { isOver: false, exit: { code: 0, signal: null } },
    ],
  ])('reads the state %o', (over, state) => {
    expect(stateOf(received(over))).toMatchObject(state)
  })
})

test('a release that exits is reported with its code, once nothing of its unit is left', async () => {
  const child = spawn('/bin/sh', ['-c', 'read x; exit 3'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const ran: string[] = []
  let killed = false
  const units = new Units(async (_, words) => {
    ran.push(words[0]!)
    killed ||= words[0] === 'kill'
    return `LoadState=loaded\nActiveState=${killed ? 'failed' : 'deactivating'}\nMainPID=0\nExecMainCode=1\nExecMainStatus=3\n`
  })
  const nothing = async () => {}
  const process = new UnitProcess({
    unit: 'x',
    units,
    pid: child.pid,
    look: () => {},
    serves: nothing,
    drained: nothing,
  })
  expect(process.exit).toBeUndefined()
  child.stdin.end()
  expect(await process.exited).toEqual({ code: 3, signal: null })
  expect(ran).toEqual(['show', 'kill', 'show', 'reset-failed'])
})

test('no unit of the machine matches the names reserved for accounts', () => {
  const suite = suiteOf('ID=debian\nVERSION_CODENAME=trixie\n')
  const names = steps.flatMap(({ units }) => (units?.(suite) ?? []).map(({ name }) => name))
  expect(names).toContain('panel-ports.service')
  expect(names.filter((name) => /^panel-(?:app|build|cron)-/.test(name))).toEqual([])
})

test('only nginx and its own account can reach a port', () => {
  expect(
    portsText(
      [
        { port: 20_002, uid: 20_001 },
        { port: 20_001, uid: 20_000 },
      ],
      33,
    ),
  ).toBe(`# Written by panel: the ports of apps.
table inet panel_apps
delete table inet panel_apps
table inet panel_apps {
  set ports { type inet_service; elements = { 20001, 20002 }; }
  set users { type inet_service . uid; elements = { 20001 . 20000, 20001 . 33, 20002 . 20001, 20002 . 33 }; }
  chain from_outside {
    type filter hook input priority -10; policy accept;
    iif != "lo" tcp dport @ports drop
  }
  chain from_here {
    type filter hook output priority -10; policy accept;
    oif "lo" tcp dport @ports tcp dport . meta skuid != @users reject with tcp reset
    tcp sport @ports tcp flags & (syn | ack) == syn | ack tcp sport . meta skuid != @users drop
  }
}
`)
})

const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)('listening socket', () => {
  const uid = 20_000
  const listening = (path: string) =>
    new Promise<void>((resolve) => {
      const server = createServer().listen(path, () => resolve())
      onTestFinished(() => void server.close())
    })
  async function folder() {
    const made = new OwnedFolder(shortDir(), 'app')
    await made.make('7', uid)
    return made
  }

  test('takes the socket from its owner, and gives it to nginx and the owner', async () => {
    const made = await folder()
    const where = made.socket('7')
    expect([lstatSync(made.path).mode & 0o777, lstatSync(join(made.path, '7')).mode & 0o777]).toEqual([0o711, 0o700])
    expect(lstatSync(join(made.path, '7')).uid).toBe(uid)
    await listening(where)
    execFileSync('chown', [String(uid), where])
    await made.showAs(where, uid)
    const stats = lstatSync(made.at('app.sock'))
    expect([stats.isSocket(), stats.uid, stats.mode & 0o777]).toEqual([true, uid, 0o660])
    await made.showAs(where, uid)
  })

  test.each(['link', 'file', 'directory', 'socket of another'])('refuses a %s as the socket', async (kind) => {
    const made = await folder()
    const where = made.socket('7')
    if (kind === 'link') symlinkSync('/etc', where)
    else if (kind === 'file') writeFileSync(where, '')
    else if (kind === 'directory') mkdirSync(join(where, 'below'), { recursive: true })
    else await listening(where)
    await expect(made.showAs(where, uid)).rejects.toThrow('is not a socket of the account')
    expect(await made.names()).toEqual(['7'])
    expect(lstatSync('/etc').isDirectory()).toBe(true)
  })
})

test('a log that a program holds open is truncated in place, and its end is kept', async () => {
  const root = tempDir()
  const folder = join(root, 'var/log/panel/bob')
  mkdirSync(folder, { recursive: true })
  const log = new AppLog(root, 'bob', 'shop', { isInUse: true })
  await log.look()
  const inUse = openSync(log.path, 'a')
  onTestFinished(() => closeSync(inUse))
  const megabytes = Buffer.alloc(11 * 1024 * 1024, 'x')
  writeFileSync(inUse, megabytes)
  writeFileSync(inUse, 'the end\n')
  await log.look()
  expect(readFileSync(log.path, 'utf8')).toBe('')
  writeFileSync(inUse, 'after\n')
  expect(readFileSync(log.path, 'utf8')).toBe('after\n')
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const stored = readFileSync(`${log.path}-${day}`, 'latin1')
  expect([stored.length, stored.slice(-9)]).toEqual([10 * 1024 * 1024, 'xthe end\n'])
})

test.each([
  ['is stretched', (inUse: number) => ftruncateSync(inUse, 2 ** 40)],
  [
    'is given room',
    (inUse: number) => execFileSync('fallocate', ['-n', '-l', '20M', `/proc/${process.pid}/fd/${inUse}`]),
  ],
])('limits a log that its program %s without writing to it to the space of a full one', async (_what, take) => {
  const root = tempDir()
  mkdirSync(join(root, 'var/log/panel/bob'), { recursive: true })
  const log = new AppLog(root, 'bob', 'shop', { isInUse: true })
  await log.look()
  const inUse = openSync(log.path, 'a')
  onTestFinished(() => closeSync(inUse))
  writeFileSync(inUse, 'x')
  take(inUse)
  await log.look()
  expect(statSync(log.path)).toMatchObject({ size: 0, blocks: 0 })
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  expect(statSync(`${log.path}-${day}`).size).toBeLessThanOrEqual(20 * 1024 * 1024)
})

describe("build's description of its release", () => {
  const made = { commit: 'c0ffee'.padEnd(40, '0'), sizeBytes: 4096, root: '.', warnings: ['a link was left out'] }

  test.each([[made], [{ sizeBytes: 0, root: 'public/web', warnings: [] }]])('accepts the description %j', (one) => {
    expect(() => checkMade(one)).not.toThrow()
  })

  // The store sends it with every later state of the account, which the agent would refuse as a whole.
  test.each([
    [{ ...made, root: '../../../bob' }, 'The root is not valid'],
    [{ ...made, sizeBytes: -1 }, 'The size bytes is not valid'],
    [{ ...made, commit: '<b>' }, 'The commit is not valid'],
    [{ ...made, hostKey: 'ssh-ed25519' }, 'The host key is not valid'],
    [{ ...made, port: 25 }, 'does not know every field of a release'],
    [null, 'The a release is not valid'],
  ])('refuses the description %j', (one, message) => {
    expect(() => checkMade(one as never)).toThrow(message)
  })
})
