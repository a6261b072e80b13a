import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HostDriver, HostError } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { account, apply, bench, changes, idOf, nameOf, type Over, snapshot, tempDir } from './helpers.ts'

type Step = (driver: HostDriver) => Promise<unknown>
type Tree = Record<string, string>

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5)
const to = (over: Over): Step => {
  return (driver) => apply(driver, account(over))
}

/** The step during which an installation is interrupted, and the state before it. */
const transactions: [string, Step | undefined, Step][] = [
  ['create', undefined, to({})],
  ['suspend', to({}), to({ suspended: true })],
  ['unsuspend', to({ suspended: true }), to({})],
  ['rename', to({}), to({ username: 'robert' })],
  ['change of domain', to({}), to({ mainDomain: 'new.example' })],
  ['both at once', to({}), to({ username: 'robert', mainDomain: 'new.example', parts: { limits: { diskMb: 7 } } })],
  ['remove', to({}), (driver) => driver.remove(nameOf(account()))],
]

async function prepare(root: string, first: Step | undefined): Promise<void> {
  const driver = createDirectoryDriver({ root, now })
  await apply(driver, account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' }))
  await first?.(driver)
  const own = join(root, 'home/bob/mail/bob.example')
  if (first) mkdirSync(own, { recursive: true })
  if (first) writeFileSync(join(own, 'letter'), 'dear bob')
}

/** Node 24's own copy does not preserve the modes of directories. */
const copyOf = (root: string): string => {
  const copy = join(tempDir(), 'host')
  execFileSync('cp', ['-a', root, copy])
  return copy
}

/** A step as a series of points, and the state after each of its transactions. */
interface Course {
  readonly points: readonly string[]
  readonly states: readonly Tree[]
}

async function courseOf(root: string, step: Step): Promise<Course> {
  const points: string[] = []
  const copy = copyOf(root)
  const states = [snapshot(copy)]
  const onFailPoint = (point: string) => {
    if (point === 'journal' && points.length > 0) states.push(snapshot(copy))
    points.push(point)
  }
  await step(createDirectoryDriver({ root: copy, now, onFailPoint }))
  return { points, states: [...states, snapshot(copy)] }
}

/** Runs a step up to the point of that number, as if the process had been killed there. */
function freezeAt(root: string, step: Step, number: number): Promise<void> {
  let reached = 0
  return new Promise((frozen, failed) => {
    const onFailPoint = () => {
      if (reached++ !== number) return
      frozen()
      return new Promise<void>(() => {})
    }
    step(createDirectoryDriver({ root, now, onFailPoint })).then(
      () => failed(new Error(`never came to ${number}`)),
      failed,
    )
  })
}

const numberOf = async (root: string, step: Step, point: string) => (await courseOf(root, step)).points.indexOf(point)

/** From here on the new state is installed, and only old files remain to be removed. */
const isDone = (point: string) => point === 'sweep' || point === 'close'

/** How many transactions of a step have been installed at a point. */
const doneAt = (points: readonly string[], number: number) =>
  points.slice(0, number + 1).filter((point) => point === 'sweep').length

/** What changes nothing needs no copy. */
const triedIn = (root: string, points: readonly string[], number: number) =>
  doneAt(points, number) === 0 ? root : copyOf(root)

describe.each(transactions)('interrupted %s', (_, first, step) => {
  test('completes each transaction after recover, wherever it was interrupted', async () => {
    const root = join(tempDir(), 'host')
    await prepare(root, first)
    const { points, states } = await courseOf(root, step)
    expect(points.length).toBeGreaterThan(6)
    for (const [number, point] of points.entries()) {
      const tried = triedIn(root, points, number)
      await freezeAt(tried, step, number)
      const { undone } = await createDirectoryDriver({ root: tried, now }).recover()
      expect(snapshot(tried), point).toEqual(states[doneAt(points, number)])
      expect(undone, point).toEqual(point === 'journal' || isDone(point) ? [] : [idOf(1)])
    }
  })

  test('completes each transaction at once after an error anywhere, and reports it', async () => {
    const root = join(tempDir(), 'host')
    await prepare(root, first)
    const { points, states } = await courseOf(root, step)
    for (const [number, point] of points.entries()) {
      if (isDone(point)) continue
      const tried = triedIn(root, points, number)
      let reached = 0
      const onFailPoint = () => {
        if (reached++ === number) throw new Error('the disk is broken')
      }
      const attempt = step(createDirectoryDriver({ root: tried, now, onFailPoint }))
      if (doneAt(points, number) === 0) await expect(attempt, point).rejects.toThrow(HostError)
      else expect(await attempt, point).toMatchObject({ warnings: [{ kind: 'home', account: idOf(1) }] })
      expect(snapshot(tried), point).toEqual(states[doneAt(points, number)])
    }
  })

  test('ends as if nothing had happened when repeated without recover', async () => {
    const root = join(tempDir(), 'host')
    await prepare(root, first)
    const { points, states } = await courseOf(root, step)
    for (const number of points.keys()) {
      if (number % 8 !== 1 && !isDone(points[number]!)) continue
      const copy = copyOf(root)
      await freezeAt(copy, step, number)
      await step(createDirectoryDriver({ root: copy, now }))
      expect(snapshot(copy), points[number]).toEqual(states.at(-1))
    }
  })
})

describe('checks of an apply', () => {
  const refusal = () => {
    throw new Error('syntax error in line 3')
  }

  test('changes nothing when a check before installation fails', async () => {
    const { root, driver } = bench()
    await apply(driver, account())
    const before = snapshot(root)
    const strict = createDirectoryDriver({ root, checks: { precheck: refusal } })
    const attempt = apply(strict, account({ suspended: true }))
    await expect(attempt).rejects.toMatchObject({ stage: 'precheck', message: 'syntax error in line 3' })
    expect(snapshot(root)).toEqual(before)
  })

  test('shows checks the new files before they are installed, and their final paths', async () => {
    const seen: string[] = []
    const { driver, has } = bench({
      checks: {
        precheck: (staged) => {
          if (!staged.some(({ path }) => path.endsWith('.zone'))) return
          seen.push(String(has('etc/bind/panel/zones/bob.example.zone')))
        },
        validate: (paths) => {
          if (paths.some((path) => path.endsWith('.zone')))
            seen.push(String(has('etc/bind/panel/zones/bob.example.zone')))
        },
      },
    })
    await apply(driver, account())
    expect(seen).toEqual(['false', 'true'])
  })

  test('restores the old files when a check after installation fails', async () => {
    const { root, driver } = bench()
    await apply(driver, account())
    const before = snapshot(root)
    const strict = createDirectoryDriver({ root, checks: { validate: refusal } })
    const attempt = apply(strict, account({ username: 'robert' }))
    await expect(attempt).rejects.toMatchObject({ stage: 'validate' })
    expect(snapshot(root)).toEqual(before)
  })

  test('fails the account of a failing check, not those applied with it', async () => {
    const root = join(tempDir(), 'host')
    const precheck = (staged: readonly { path: string }[]) => {
      if (staged.some(({ path }) => path.includes('bob.example'))) refusal()
    }
    const { driver, has } = bench({ root, checks: { precheck } })
    const carol = account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' })
    await expect(apply(driver, account(), carol)).rejects.toThrow('syntax error')
    expect([has('home/bob'), has('home/carol/sites')]).toEqual([false, true])
  })
})

test('an aborted apply installs nothing', async () => {
  const { root, driver } = bench()
  await apply(driver, account())
  const before = snapshot(root)
  const stop = new AbortController()
  const onFailPoint = (point: string) => {
    if (point === 'precheck') stop.abort()
  }
  const stopped = createDirectoryDriver({ root, onFailPoint })
  const state = { server: { hostname: 'host.example', nameservers: ['ns1.host.example', 'ns2.host.example'] } }
  const attempt = stopped.apply({ ...state, accounts: [account({ suspended: true })] }, { signal: stop.signal })
  await expect(attempt).rejects.toMatchObject({ name: 'AbortError' })
  expect(snapshot(root)).toEqual(before)
})

test('old files left behind are not mistaken for ones to restore', async () => {
  const { root, driver, read } = bench()
  await apply(driver, account())
  writeFileSync(join(root, 'etc/panel/nginx/sites/.bob.example.conf.panel-old'), 'ancient')
  const suspended = to({ suspended: true })
  await freezeAt(root, suspended, await numberOf(root, suspended, 'aside etc/panel/nginx/sites/bob.example.conf'))
  await driver.recover()
  expect(read('etc/panel/nginx/sites/bob.example.conf')).toContain('fastcgi_pass')
})

test('an interrupted recover is finished by the next one', async () => {
  const { root, driver } = bench()
  await apply(driver, account())
  const before = snapshot(root)
  const suspended = to({ suspended: true })
  await freezeAt(root, suspended, await numberOf(root, suspended, 'validate'))
  const sites = join(root, 'etc/panel/nginx/sites')
  renameSync(join(sites, '.bob.example.conf.panel-old'), join(sites, 'bob.example.conf'))
  rmSync(join(root, 'etc/panel/mail/nosubmit.d/bob'))
  await driver.recover()
  expect(snapshot(root)).toEqual(before)
})

test('a journal that is incomplete on disk belongs to an apply that had installed nothing', async () => {
  const { root, driver } = bench()
  await apply(driver, account())
  const before = snapshot(root)
  for (const [name, content] of Object.entries({ undo: '', 'undo.panel-new': '{"key"' })) {
    writeFileSync(join(root, `var/lib/panel-host/journal/${idOf(1)}.${name}`), content)
  }
  await driver.recover()
  expect(snapshot(root)).toEqual(before)
})

const script = `
  import { createDirectoryDriver } from ${JSON.stringify(new URL('../../src/host/driver/file-driver.ts', import.meta.url).href)}
  const { root, state, at } = JSON.parse(process.argv.at(-1))
  let count = 0
  const onFailPoint = () => { if (++count === at) process.kill(process.pid, 'SIGKILL') }
  await createDirectoryDriver({ root, onFailPoint }).apply(state)
`

function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('exit', (_, signal) => resolve(signal)))
}

test('kill -9 in the middle is undone by recover', { timeout: 30_000 }, async () => {
  const root = join(tempDir(), 'host')
  await prepare(root, to({}))
  const before = snapshot(root)
  const server = { hostname: 'host.example', nameservers: ['ns1.host.example', 'ns2.host.example'] }
  const state = { server, accounts: [account({ username: 'robert', mainDomain: 'new.example' })] }
  const argument = JSON.stringify({ root, state, at: 40 })
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script, argument]
  expect(await ended(spawn(process.execPath, args, { stdio: 'inherit' }))).toBe('SIGKILL')
  expect(snapshot(root)).not.toEqual(before)
  const { driver } = bench({ root })
  expect(await driver.recover()).toEqual({ undone: [idOf(1)] })
  expect(snapshot(root)).toEqual(before)
  expect(changes(await driver.apply(state))).toBeGreaterThan(0)
})
