import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endLockHolders } from '../../src/host/debian/file-locks.ts'
import { tempDir } from '../host/helpers.ts'

interface FakeProcess {
  readonly pid: number
  readonly uid: number
  readonly start?: number
  /** What the kernel says of each descriptor. */
  readonly descriptors?: readonly string[]
  readonly maps?: string
}

/** The accounts whose programs are ended where the kernel shows these locks and processes. */
async function ended(locks: readonly string[], processes: readonly FakeProcess[]): Promise<number[]> {
  const proc = tempDir()
  writeFileSync(join(proc, 'locks'), locks.map((line, index) => `${index}: ${line}\n`).join(''))
  for (const { pid, uid, start = 1, descriptors = [], maps = '' } of processes) {
    const folder = join(proc, String(pid))
    mkdirSync(join(folder, 'fdinfo'), { recursive: true })
    const status = `Name:\tx\nState:\tS (sleeping)\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\n`
    writeFileSync(join(folder, 'status'), status)
    writeFileSync(join(folder, 'stat'), `${pid} (a) b) S ${'0 '.repeat(18)}${start} 0\n`)
    writeFileSync(join(folder, 'maps'), maps)
    for (const [name, info] of descriptors.entries()) writeFileSync(join(folder, 'fdinfo', String(name)), info)
  }
  const uids: number[] = []
  await endLockHolders(proc, async (uid) => void uids.push(uid))
  return uids
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const posix = (pid: number, inode = 7) => `POSIX  ADVISORY  READ  ${pid} 08:01:${inode} 0 0`
const ofFile = (inode: number) => `OFDLCK ADVISORY  READ  -1 08:01:${inode} 0 0`
const withLocks = (count: number) =>
  ['pos:\t0\nflags:\t0100002\nmnt_id:\t29\nino:\t7\n', ...times(count, `lock:\t1: ${posix(1)}\n`)].join('')

test('an account with thousands of locks loses its programs, whatever processes and files they are in', async () => {
  const many = { descriptors: [withLocks(3_000), withLocks(3_000)] }
  const greedy = [101, 102].map((pid) => ({ pid, uid: 20_001, ...many }))
  const modest = { pid: 103, uid: 20_002, descriptors: [withLocks(2_000)] }
  expect(await ended(times(14_000, posix(101)), [...greedy, modest])).toEqual([20_001])
})

test('locks count for who has them, not for the process that the list names', async () => {
  const victim = { pid: 101, uid: 20_001, descriptors: [withLocks(1)] }
  const greedy = { pid: 102, uid: 20_002, descriptors: [withLocks(12_000)] }
  expect(await ended(times(12_000, posix(101)), [victim, greedy])).toEqual([20_002])
})

test('nothing is looked at while the machine has few, and services of the machine may have many', async () => {
  expect(await ended(times(9_000, posix(101)), [{ pid: 101, uid: 20_001, descriptors: [withLocks(12_000)] }])).toEqual(
    [],
  )
  const service = { pid: 101, uid: 105, descriptors: [withLocks(30_000)] }
  expect(await ended(times(30_000, posix(101)), [service, { pid: 102, uid: 20_001 }])).toEqual([])
})

test('who hides the locked files ends one after the other, the newest first', async () => {
  const quiet = { pid: 100, uid: 20_000, start: 99, descriptors: [withLocks(2)] }
  const mapped = { pid: 101, uid: 20_001, start: 10, maps: '7f00-7f01 r--s 00000000 08:01 7 /home/x/file\n' }
  const sent = { pid: 102, uid: 20_002, start: 20, descriptors: ['pos:\t0\nscm_fds:\t1\n'] }
  const ring = { pid: 103, uid: 20_003, start: 5, descriptors: ['pos:\t0\nSqMask:\t0x1\nUserFiles:\t1\n'] }
  const locks = times(11_000, ofFile(7))
  expect(await ended(locks, [quiet, mapped, sent, ring])).toEqual([20_002])
  expect(await ended(locks, [quiet, mapped, ring])).toEqual([20_001])
  expect(await ended(locks, [quiet, ring])).toEqual([20_003])
  expect(await ended(locks, [quiet])).toEqual([])
})

test('a process that ends meanwhile is passed over', async () => {
  const proc = tempDir()
  writeFileSync(join(proc, 'locks'), times(11_000, `1: ${posix(9)}\n`).join(''))
  mkdirSync(join(proc, '9'))
  await expect(endLockHolders(proc, async () => expect.unreachable())).resolves.toBeUndefined()
})
