import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { AppliedLog } from '../../src/host/install/applied.ts'
import { Coalesced } from '../../src/shared/async/coalesce.ts'
import { account, accounts, apply, type Bench, bench, nameOf, snapshot, tempDir } from './helpers.ts'

const vhost = 'etc/panel/nginx/sites/bob.example.conf'
const pool = 'etc/panel/php/8.4-e3b0c44298fc-bob.conf'
const log = (root: string) => join(root, 'var/lib/panel-host/applied')

/** A machine that is up for the first time. */
const up = (): Bench => bench({ boot: 'first' })

/** The same machine after a reboot: what had not been written back is gone. */
const restarted = (root: string) => createDirectoryDriver({ root, boot: 'second' })

/** The effect of a power failure on files that were never flushed. */
function empty(root: string, folder: string): void {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) truncateSync(join(entry.parentPath, entry.name))
}

describe('power failure', () => {
  test('restores files of accounts that were emptied or lost', async () => {
    const { driver, root } = up()
    for (const one of accounts(5)) await apply(driver, one)
    const before = snapshot(root)
    empty(root, 'etc/panel')
    empty(root, 'var/lib/panel-host/manifest')
    rmSync(join(root, 'etc/bind/panel/zones/user3.example.zone'))
    rmSync(join(root, 'home/user2/apps'), { recursive: true })
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })

  test('removes the records of an earlier process at the next start, although the machine kept running', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    expect(readFileSync(join(log(root), 'new'), 'utf8')).toContain('"account"')
    await createDirectoryDriver({ root, boot: 'first' }).recover()
    await expect.poll(() => readdirSync(log(root))).toEqual([])
  })

  test('removes the records at a clean stop, since they hold keys and hashes', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    expect(readFileSync(join(log(root), 'new'), 'utf8')).toContain('"account"')
    await driver.checkpoint()
    driver.close()
    expect(readdirSync(log(root))).toEqual([])
  })

  test('restores the directory of a new site, and keeps one that its owner has filled', async () => {
    const { driver, root, read } = up()
    for (const account of accounts(3)) await apply(driver, account)
    const page = (name: string) => `home/${name}/sites/${name}.example/public/index.html`
    writeFileSync(join(root, page('user2')), 'my own page')
    const before = snapshot(root)
    rmSync(join(root, 'home/user1/sites'), { recursive: true })
    await restarted(root).recover()
    expect(read(page('user2'))).toBe('my own page')
    expect(snapshot(root)).toEqual(before)
  })

  test('keeps a deleted file deleted', async () => {
    const { driver, root, read } = up()
    await apply(driver, account())
    const config = read(pool)
    await apply(driver, account({ suspended: true }))
    await apply(driver, account({ suspended: true, parts: { limits: { diskMb: 7 } } }))
    const before = snapshot(root)
    writeFileSync(join(root, pool), config)
    empty(root, 'var/lib/panel-host/manifest')
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })

  test('applies the last state, even of a renamed account', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    await apply(driver, account({ username: 'robert', mainDomain: 'new.example' }))
    await apply(driver, account({ username: 'robert', mainDomain: 'new.example', suspended: true }))
    const before = snapshot(root)
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })

  test('keeps a removed account removed', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    await driver.remove(nameOf(account()))
    const before = snapshot(root)
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })

  test('skips a record that is half written', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    const records = readFileSync(join(log(root), 'new'), 'utf8').trimEnd()
    writeFileSync(join(log(root), 'new'), `${records}\n{"id":"01J0000`)
    const before = snapshot(root)
    empty(root, 'etc/panel/nginx')
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
    expect(readdirSync(log(root))).toEqual([])
  })

  test('one account that cannot be applied again does not affect others', async () => {
    const { driver, root, read } = up()
    const [one, other] = accounts(2)
    await apply(driver, one!)
    await apply(driver, other!)
    rmSync(join(root, 'etc/panel/limits.d/user0'))
    rmSync(join(root, 'etc/panel/limits.d/user1'))
    const records = readFileSync(join(log(root), 'new'), 'utf8')
    writeFileSync(join(log(root), 'new'), records.replaceAll('"uid":20001', '"uid":0'))
    await restarted(root).recover()
    expect(existsSync(join(root, 'etc/panel/limits.d/user0'))).toBe(false)
    expect(read('etc/panel/limits.d/user1')).toContain('disk_mb=100')
  })
})

describe('machine that fails while it applies again', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })

  /** Rebooted with a disk that fails once this is reached. */
  const failing = (root: string, where: string) =>
    createDirectoryDriver({
      root,
      boot: 'second',
      onFailPoint: (point) => {
        if (point.includes(where)) throw full
      },
    })

  test.each([
    ['a file of the host', 'etc/panel/limits.d/user1'],
    ['another', 'etc/panel/nginx/sites/user1.example.conf'],
  ])('does not start after a failure at %s, and forgets nothing', async (_, lost) => {
    const { driver, root } = up()
    for (const one of accounts(3)) await apply(driver, one)
    const before = snapshot(root)
    rmSync(join(root, lost))
    await expect(failing(root, lost).recover()).rejects.toThrow('The disk of the host is full.')
    expect(existsSync(join(root, lost))).toBe(false)
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })
})

describe('states that are not applied again', () => {
  test('applies nothing again unless the machine was rebooted', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    writeFileSync(join(root, vhost), '# by hand\n')
    const before = snapshot(root)
    await createDirectoryDriver({ root, boot: 'first' }).recover()
    expect(snapshot(root)).toEqual(before)
  })

  test('applies nothing again once the system has written it back', async () => {
    const { driver, root } = up()
    await apply(driver, account())
    await new AppliedLog(root, 'first').checkpoint()
    expect(readdirSync(log(root))).toEqual([])
    writeFileSync(join(root, vhost), '# by hand\n')
    const before = snapshot(root)
    await restarted(root).recover()
    expect(snapshot(root)).toEqual(before)
  })
})

test('records made during the write-back are kept for the next one', async () => {
  const root = join(tempDir(), 'host')
  const applied = new AppliedLog(root, 'first')
  await applied.add({ id: 'one', files: { web: ['a'] } })
  const ids = () => new AppliedLog(root, 'second').lost().map(({ id }) => id)
  const some = [applied.add({ id: 'two' }), applied.add({ id: 'three' })]
  const written = applied.checkpoint()
  const more = [applied.add({ id: 'four' }), applied.add({ id: 'five' })]
  await Promise.all([...some, ...more])
  expect(ids()).toEqual(expect.arrayContaining(['four', 'five']))
  await written
  expect(ids()).not.toContain('one')
  await applied.add({ id: 'six' })
  expect(ids()).toContain('six')
  await applied.checkpoint()
  expect(new AppliedLog(root, 'second').lost()).toEqual([])
})

test('callers that arrive while work is running share the next run', async () => {
  const ends: (() => void)[] = []
  const shared = new Coalesced(() => new Promise<void>((resolve) => void ends.push(resolve)))
  const first = shared.run()
  const others = [shared.run(), shared.run()]
  expect(ends).toHaveLength(1)
  ends[0]!()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  expect(ends).toHaveLength(2)
  const last = shared.run()
  ends[1]!()
  await Promise.all(others)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ends).toHaveLength(3)
  ends[2]!()
  await last
})
