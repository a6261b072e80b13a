import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UsedSpace } from '../../src/host/backup/home.ts'
import { localHome } from '../../src/host/backup/local.ts'
import { make } from '../../src/host/backup/make.ts'
import { restorePart } from '../../src/host/backup/restore.ts'
import type { Run } from '../../src/host/debian/commands.ts'
import { Quota } from '../../src/host/debian/quota.ts'
import { Directory } from '../../src/host/homes/home/directory.ts'
import { account, idOf, nameOf, tempDir } from '../host/helpers.ts'

const MEGABYTE = 1024 * 1024
const bob = nameOf(account())

/** The quota tools of a machine, for the one account. */
function quotaTools(diskMb: number, inodes = 0) {
  let now = [diskMb * 1024, inodes]
  const calls: string[] = []
  const run: Run = async (program, words) => {
    if (program.endsWith('/repquota'))
      return `User,BlockStatus,FileStatus,BlockUsed,BlockSoftLimit,BlockHardLimit,BlockGrace,FileUsed,FileSoftLimit,FileHardLimit,FileGrace\n#0,ok,ok,20,0,0,,2,0,0,\n#${bob.uid},ok,ok,8192,${now[0]},${now[0]},,40,${now[1]},${now[1]},\n`
    now = [Number(words[3]), Number(words[5])]
    calls.push(`${words[1]}: ${Math.ceil(now[0]! / 1024)} MB, ${now[1]} files`)
    return ''
  }
  const folder = join(tempDir(), 'raised')
  const quota = () => new Quota(run, { kind: () => 'ext4', folder })
  return { quota, calls, folder, limit: () => now[0]! * 1024 }
}

const state = (diskMb: number) => account({ parts: { limits: { diskMb } } })
const by = (mb: number, inodes = 0): UsedSpace => ({ bytes: mb * MEGABYTE, inodes })

test('is raised for as long as work lasts, and as it was afterwards, also if the work fails', async () => {
  const { quota, calls, folder } = quotaTools(10, 100)
  const raised = quota()
  expect(await raised.raised(bob, by(6, 30), async () => calls.at(-1))).toBe(`${bob.uid}: 20 MB, 194 files`)
  expect(calls).toEqual([`${bob.uid}: 20 MB, 194 files`, `${bob.uid}: 10 MB, 100 files`])
  await expect(raised.raised(bob, by(1), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(calls.at(-1)).toBe(`${bob.uid}: 10 MB, 100 files`)
  expect(readdirSync(folder)).toEqual([])
})

test('is at most doubled, and not made where there is none', async () => {
  const limited = quotaTools(10)
  await limited.quota().raised(bob, by(500), async () => {})
  expect(limited.calls[0]).toBe(`${bob.uid}: 24 MB, 0 files`)
  const unlimited = quotaTools(0)
  await unlimited.quota().raised(bob, by(500), async () => {})
  expect(unlimited.calls).toEqual([])
})

test('a package that changes meanwhile counts, and is what remains', async () => {
  const { quota, calls } = quotaTools(10)
  const raised = quota()
  await raised.raised(bob, by(6), () => raised.set(state(30)))
  expect(calls).toEqual(['20', '40', '30'].map((mb) => `${bob.uid}: ${mb} MB, 0 files`))
})

test('the next agent ends what one that was killed had raised', async () => {
  const { quota, calls, folder } = quotaTools(10)
  void quota().raised(bob, by(6), () => new Promise(() => {}))
  await expect.poll(() => calls).toHaveLength(1)
  await quota().recover()
  expect(calls.at(-1)).toBe(`${bob.uid}: 10 MB, 0 files`)
  expect(readdirSync(folder)).toEqual([])
})

test('an account that is removed, or changed before the next agent, leaves no note of a raise', async () => {
  for (const end of [(one: Quota) => one.forget(bob), (one: Quota) => one.set(state(15))]) {
    const { quota, folder } = quotaTools(10)
    void quota().raised(bob, by(6), () => new Promise(() => {}))
    await expect.poll(() => existsSync(folder) && readdirSync(folder)).toHaveLength(1)
    await end(quota())
    expect(readdirSync(folder)).toEqual([])
  }
})

/** A home of 6 MB, of which sites have 5, and its backup. */
async function savedHome() {
  const home = tempDir()
  mkdirSync(join(home, 'sites/shop'), { recursive: true })
  mkdirSync(join(home, 'mail/box'), { recursive: true })
  writeFileSync(join(home, 'sites/big'), Buffer.alloc(4 * MEGABYTE, 'x'))
  writeFileSync(join(home, 'sites/shop/page'), Buffer.alloc(MEGABYTE, 'y'))
  writeFileSync(join(home, 'mail/box/letter'), Buffer.alloc(MEGABYTE, 'z'))
  const where = { backups: join(tempDir(), 'backups'), host: tempDir() }
  const place = { account: bob.id, backup: idOf(7) }
  const saved = localHome(() => Directory.at(home))
  const order = { place, account: bob, createdAt: 0, parts: ['files', 'mail'], texts: [], databases: [] } as const
  const { manifestSha256 } = await make(where.backups, { home: saved, databases: undefined }, order, {})
  return { home, where, saved, order: { place, manifestSha256, account: bob, restore: idOf(8) } }
}

const encoded = (...paths: string[]) => paths.map((path) => Buffer.from(path).toString('base64'))

test.each([
  ['all files', { part: 'files' }, 5],
  ['the mail', { part: 'mail' }, 1],
  ['one directory', { part: 'files', paths: encoded('sites/shop') }, 1],
  ['one directory to another place', { part: 'files', paths: encoded('sites/shop'), to: encoded('again')[0]! }, 0],
  ['all files to another place', { part: 'files', to: encoded('again')[0]! }, 0],
] as const)('a restore of %s in place may use as much more as it replaces', async (_, what, megabytes) => {
  const { home, where, saved, order } = await savedHome()
  writeFileSync(join(home, 'sites/shop/page'), Buffer.alloc(MEGABYTE, 'n'))
  const raises: UsedSpace[] = []
  const quota = {
    async raised<T>(_: unknown, by: UsedSpace, work: () => Promise<T>): Promise<T> {
      raises.push(by)
      return work().finally(() => expect(readdirSync(home)).not.toContain(`restore-${order.place.backup}`))
    },
  }
  await restorePart({ ...where, quota }, saved, { ...order, ...what }, {})
  expect(raises.map(({ bytes }) => Math.floor(bytes / MEGABYTE))).toEqual([megabytes])
  const at = 'to' in what ? 'again/sites/shop/page' : 'sites/shop/page'
  expect(readFileSync(join(home, at), 'latin1')[0]).toBe(what.part === 'mail' ? 'n' : 'y')
})
