import { open, readdir, readFile } from 'node:fs/promises'
import { isAccountUid } from '../../shared/account-uids.ts'
import type { Run } from './commands.ts'
import { endAllOf } from './processes.ts'
import { endAllSessions } from './sessions.ts'

const POLL_INTERVAL_MS = 1_000
/** Of one account. SQLite, PHP's sessions and mail programs have tens. */
const MAX_LOCKS = 10_000
/** Each read of the kernel's list starts at its beginning: what is longer is not read to its end. */
const MAX_LIST_BYTES = 1_500_000
/** Of one account, in one look. Whoever has more is ended too, once there are too many locks. */
const MAX_DESCRIPTORS = 50_000

/** Locks of the machine, or as many as are read. */
async function locksIn(proc: string): Promise<string> {
  const file = await open(`${proc}/locks`)
  try {
    const buffer = Buffer.alloc(MAX_LIST_BYTES)
    let length = 0
    for (let read = 1; read > 0 && length < MAX_LIST_BYTES; length += read)
      read = (await file.read(buffer, length, Math.min(65_536, MAX_LIST_BYTES - length), null)).bytesRead
    return buffer.toString('latin1', 0, length)
  } finally {
    await file.close()
  }
}

/** What an account's processes have. */
interface Holder {
  locks: number
  descriptors: number
  /** Files may be open without a descriptor, where the kernel shows no locks: sent to a socket, mapped, of io_uring. */
  mayHide: boolean
  newestProcess: number
}

/** The uids of processes of accounts. */
async function accountProcesses(proc: string): Promise<{ pid: string; uid: number }[]> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const status = await textOf(`${proc}/${pid}/status`)
      return { pid, uid: Number(/^Uid:\t(\d+)/m.exec(status)?.[1]) }
    }),
  )
  return found.filter(({ uid }) => isAccountUid(uid))
}

/** Empty if the process has ended. */
const textOf = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

/** The start of a process, in ticks since the machine's. */
const startOf = async (folder: string): Promise<number> =>
  Number((await textOf(`${folder}/stat`)).replace(/^.*\) /s, '').split(' ')[19] ?? 0)

async function lookAt(folder: string, holder: Holder, inodes: ReadonlySet<string>): Promise<void> {
  holder.newestProcess = Math.max(holder.newestProcess, await startOf(folder))
  for (const name of await readdir(`${folder}/fdinfo`).catch(() => [])) {
    if (++holder.descriptors > MAX_DESCRIPTORS || holder.locks > MAX_LOCKS) return
    const info = await textOf(`${folder}/fdinfo/${name}`)
    holder.locks += info.split('\nlock:').length - 1
    holder.mayHide ||= /^(scm_fds|UserFiles):\s*[1-9]/m.test(info)
  }
  if (inodes.size === 0 || holder.mayHide) return
  const mapped = (await textOf(`${folder}/maps`)).matchAll(/^\S+ \S+ \S+ \S+ (\d+)/gm)
  for (const [, inode] of mapped) holder.mayHide ||= inodes.has(inode!)
}

/** Inodes with locks that belong to no process, but to an open file. */
const inodesOfOpenFiles = (list: string): Set<string> =>
  new Set([...list.matchAll(/ OFDLCK .* [0-9a-f]+:[0-9a-f]+:(\d+) /g)].map(([, inode]) => inode!))

async function holdersOf(list: string, proc: string): Promise<Map<number, Holder>> {
  const inodes = inodesOfOpenFiles(list)
  const holders = new Map<number, Holder>()
  for (const { pid, uid } of await accountProcesses(proc)) {
    const holder = holders.get(uid) ?? { locks: 0, descriptors: 0, mayHide: false, newestProcess: 0 }
    holders.set(uid, holder)
    await lookAt(`${proc}/${pid}`, holder, inodes)
  }
  return holders
}

/** Those who have too many locks; else, one after the other, who may have them where they are not seen. */
function culpritsAmong(holders: ReadonlyMap<number, Holder>): number[] {
  const isCulprit = ({ locks, descriptors }: Holder) => locks > MAX_LOCKS || descriptors > MAX_DESCRIPTORS
  const seen = [...holders].filter(([, holder]) => isCulprit(holder))
  if (seen.length > 0) return seen.map(([uid]) => uid)
  const visible = [...holders.values()].reduce((sum, { locks }) => sum + locks, 0)
  if (visible > MAX_LOCKS) return []
  const hiding = [...holders].filter(([, { mayHide }]) => mayHide)
  const newest = hiding.toSorted(([, one], [, other]) => other.newestProcess - one.newestProcess)
  return newest.slice(0, 1).map(([uid]) => uid)
}

/**
 * The kernel neither charges the memory of file locks nor limits their number (RLIMIT_LOCKS has had no effect
 * since Linux 2.4). Ends all programs of an account that has thousands.
 */
export async function endLockHolders(proc: string, end: (uid: number) => Promise<void>): Promise<void> {
  const list = await locksIn(proc)
  if (list.split('\n').length <= MAX_LOCKS) return
  for (const uid of culpritsAmong(await holdersOf(list, proc))) {
    process.stderr.write(`warning: all programs of ${uid} were ended: they had too many file locks\n`)
    await end(uid).catch(({ message }: Error) => void process.stderr.write(`warning: ${message}\n`))
  }
}

export function watchLocks(run: Run): void {
  const end = async (uid: number) => {
    await endAllSessions(run, uid)
    await endAllOf(uid)
  }
  let isBusy = false
  const look = async () => {
    if (isBusy) return
    isBusy = true
    await endLockHolders('/proc', end).catch(() => {})
    isBusy = false
  }
  setInterval(() => void look(), POLL_INTERVAL_MS).unref()
}
