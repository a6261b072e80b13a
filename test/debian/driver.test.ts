import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AccountName, HostError } from '../../src/host/contract/driver.ts'
import type { MachineFacts } from '../../src/host/contract/facts.ts'
import { createDebianDriver } from '../../src/host/debian/driver.ts'
import { homeWork } from '../../src/host/debian/home.ts'
import { fill } from '../../src/host/debian/home-worker.ts'
import { directoryMachine } from '../../src/host/driver/directory-machine.ts'
import type { Machine } from '../../src/host/driver/machine.ts'
import { account, idOf, nameOf, server, snapshot, tempDir } from '../host/helpers.ts'

const isRoot = process.getuid?.() === 0
const ids = { uid: process.getuid!(), gid: process.getgid!() }

interface Bench {
  readonly root: string
  readonly steps: string[]
  readonly driver: ReturnType<typeof createDebianDriver>
}

/** The driver of a machine that only records its commands; homes are filled as the user of the test. */
function bench(over: Partial<Machine> = {}): Bench {
  const root = tempDir()
  const steps: string[] = []
  const note = (step: string) => void steps.push(step)
  const machine: Machine = {
    ...directoryMachine({ root, trustTenants: false }),
    kind: 'debian',
    owners: () => ids,
    checks: {},
    makeUser: async ({ username }) => note(`user ${username}`),
    fillHome: async ({ username }, plan) => {
      const work = homeWork(username, plan)
      note(`home ${work?.dirs.length ?? 0} ${work?.files.length ?? 0}`)
      if (work) fill({ ...work, home: join(root, work.home) })
    },
    settle: async ({ username }, plans) =>
      note(`settle ${username} ${plans.flatMap(({ changes }) => changes).length > 0}`),
    reopenLogs: async () => note('reopen logs'),
    stop: async ({ username }) => note(`stop ${username}`),
    forget: async ({ username }) => note(`forget ${username}`),
    ...over,
  }
  return { root, steps, driver: createDebianDriver(machine, root) }
}

const bob = () => account()

describe('Debian driver', () => {
  test('creates the user first, then the home as its owner while the daemons read their files', async () => {
    const { root, steps, driver } = bench()
    await driver.apply({ server, accounts: [bob()] })
    expect(steps[0]).toBe('user bob')
    expect(steps.slice(1).sort()).toEqual([expect.stringMatching(/^home [1-9]\d* \d+$/), 'settle bob true'])
    expect(existsSync(join(root, 'home/bob/tmp'))).toBe(true)
    const before = snapshot(join(root, 'etc'))
    steps.length = 0
    expect((await driver.apply({ server, accounts: [bob()] })).areas.every(({ changed }) => changed === 0)).toBe(true)
    expect(steps.toSorted()).toEqual(['home 0 0', 'settle bob false', 'user bob'])
    expect(snapshot(join(root, 'etc'))).toEqual(before)
  })

  test('renders for what has been installed since the agent started', async () => {
    let facts: MachineFacts = { php: { default: '8.2', loaded: {} } }
    const { root, driver } = bench({ facts: () => facts })
    const pools = () => readdirSync(join(root, 'etc/panel/php')).map((name) => name.slice(0, 3))
    await driver.apply({ server, accounts: [bob()] })
    expect([driver.features, pools()]).toEqual([[], ['8.2']])
    facts = { php: { default: '8.4', loaded: {} }, http3: true }
    await driver.apply({ server, accounts: [bob()] })
    expect([driver.features, pools()]).toEqual([['http3'], ['8.4']])
  })

  test('creates nothing of an account whose files a daemon refuses, and reloads no daemon', async () => {
    const validate = () => Promise.reject(new HostError('validate', 'nginx does not like it.'))
    const { root, steps, driver } = bench({ checks: { validate } })
    await expect(driver.apply({ server, accounts: [bob()] })).rejects.toThrow('nginx does not like it.')
    expect(steps).toEqual([])
    expect(existsSync(join(root, 'home/bob'))).toBe(false)
    expect(existsSync(join(root, 'etc/panel/nginx/sites/bob.example.conf'))).toBe(false)
  })

  test('warns of a home that could not be filled, after the rest is applied', async () => {
    const fillHome = () => Promise.reject(new HostError('stage', 'The home is full.'))
    const { steps, driver } = bench({ fillHome })
    const { warnings } = await driver.apply({ server, accounts: [bob()] })
    expect(warnings).toMatchObject([{ message: 'The inside of the home of bob was not updated: The home is full.' }])
    expect(steps).toEqual(['user bob', 'settle bob true'])
  })

  test('ends what runs for a suspended account before it works in its home', async () => {
    const steps: string[] = []
    const settle = async () => {
      steps.push('settle begins')
      await new Promise((resolve) => setImmediate(resolve))
      steps.push('settle ends')
    }
    const { driver } = bench({ settle, fillHome: async () => void steps.push('home') })
    await driver.apply({ server, accounts: [{ ...bob(), suspended: true }] })
    expect(steps).toEqual(['settle begins', 'settle ends', 'home'])
  })

  test('measures the other accounts if one cannot be measured, and all of them at once', async () => {
    const [one, two] = [nameOf(bob()), { ...nameOf(bob()), id: idOf(2), username: 'carol' }]
    let release = (): void => {}
    const measured = new Promise<void>((resolve) => {
      release = resolve
    })
    const measure = async ({ id }: AccountName) => {
      // The first is as slow as the second needs to be measured meanwhile.
      if (id === one.id) await measured.then(() => Promise.reject(new HostError('stage', 'It was stopped.')))
      release()
      return { bytes: 1, inodes: 1, atLeast: false, mailboxes: [] }
    }
    const { driver } = bench({ homes: () => ({ measure }) as never })
    expect(await driver.usage({ accounts: [one, two] })).toMatchObject([{ id: two.id, diskMb: 1 }])
    await expect(driver.usage({ accounts: [one] })).rejects.toThrow('It was stopped.')
  })

  test('stops processes before it removes an account, and deletes its user afterwards', async () => {
    const { root, steps, driver } = bench()
    await driver.apply({ server, accounts: [bob()] })
    steps.length = 0
    await driver.remove(nameOf(bob()))
    expect(steps).toEqual(['stop bob', 'forget bob'])
    expect(existsSync(join(root, 'home/bob'))).toBe(false)
  })

  test("leaves alone the server's own directory, which an older file-based host created", async () => {
    const { root, driver } = bench()
    mkdirSync(join(root, 'var/lib/panel'), { recursive: true })
    writeFileSync(join(root, 'var/lib/panel/panel.db'), 'the store')
    await driver.recover()
    expect(readFileSync(join(root, 'var/lib/panel/panel.db'), 'utf8')).toBe('the store')
  })

  test.runIf(isRoot)('gives files and directories the owners of their parts', async () => {
    const { root, driver } = bench({
      owners: ({ uid, gid }) => ({
        uid: uid === 'root' ? 0 : uid,
        gid: typeof gid === 'number' ? gid : gid === 'www-data' ? 33 : 0,
      }),
    })
    await driver.apply({ server, accounts: [bob()] })
    const { uid } = bob()
    const owner = (path: string) => {
      const stats = statSync(join(root, path))
      return [stats.uid, stats.gid]
    }
    expect(owner('home/bob')).toEqual([uid, 33])
    expect(owner('var/log/panel/bob')).toEqual([0, uid])
    expect(owner('etc/panel/nginx/sites/bob.example.conf')).toEqual([0, 0])
  })
})

test('what an owner has put in its home stays', () => {
  const home = tempDir()
  mkdirSync(join(home, 'sites'))
  writeFileSync(join(home, 'sites/mine'), 'mine')
  fill({
    home,
    moves: [{ from: 'sites/nothing', to: 'sites/other' }],
    dirs: [
      { path: 'sites', mode: 0o700 },
      { path: 'sites/new', mode: 0o755 },
    ],
    files: [{ path: 'sites/new/index.html', mode: 0o644, content: 'hello' }],
  })
  expect(readFileSync(join(home, 'sites/mine'), 'utf8')).toBe('mine')
  expect(statSync(join(home, 'sites')).mode & 0o777).not.toBe(0o700)
  expect(statSync(join(home, 'sites/new')).mode & 0o777).toBe(0o755)
  expect(readFileSync(join(home, 'sites/new/index.html'), 'utf8')).toBe('hello')
})
