import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isAccountUid } from '../../shared/account-uids.ts'
import type { Run } from './commands.ts'
import { textOf } from './fragments.ts'
import { endAllSessions } from './sessions.ts'

const POLL_INTERVAL_MS = 1_000
/** Shared memory, queues and semaphores of System V that one account may have: of each kind the kernel has 4,096 or more. */
const MAX_OBJECTS = 200

const lists = '/proc/sysvipc'
/** logind's, of users with sessions. */
const usersFolder = '/run/systemd/users'

/**
 * The kinds: ipcrm's option, the kernel's list, and its column with an object's creator. The owner does not count: a
 * creator may give an object away.
 */
const kinds = [
  { option: '-m', list: 'shm', creator: 9 },
  { option: '-q', list: 'msg', creator: 9 },
  { option: '-s', list: 'sem', creator: 6 },
] as const

interface IpcObject {
  readonly option: string
  readonly id: string
  readonly uid: number
}

function objectsIn(proc: string): IpcObject[] {
  return kinds.flatMap(({ option, list, creator }) => {
    const lines = (textOf(join(proc, list)) ?? '').split('\n').slice(1)
    const rows = lines.map((line) => line.trim().split(/\s+/)).filter((row) => row.length > creator)
    return rows.map((row) => ({ option, id: row[1]!, uid: Number(row[creator]) }))
  })
}

/** They outlive the programs that made them. */
export async function removeObjects(run: Run, uid: number, proc = lists): Promise<void> {
  const found = objectsIn(proc).filter((one) => one.uid === uid)
  // As many as an argument list can hold.
  for (let at = 0; at < found.length; at += MAX_REMOVED) {
    const words = found.slice(at, at + MAX_REMOVED).flatMap(({ option, id }) => [option, id])
    // Some may have gone meanwhile.
    await run('/usr/bin/ipcrm', words, { stage: 'remove', fine: [1] })
  }
}

const MAX_REMOVED = 10_000

/** Where the lists are. Tests have their own. */
export interface IpcPlaces {
  readonly proc: string
  readonly users: string
}

/**
 * Sessions share the lists of the machine with all users, unlike units of accounts, and no limit of the kernel counts
 * what each user has. Ends the sessions of an account that has too much, and removes what it has without a session.
 */
export async function boundObjects(run: Run, { proc, users }: IpcPlaces = { proc: lists, users: usersFolder }) {
  const counts = new Map<number, number>()
  for (const { uid } of objectsIn(proc)) if (isAccountUid(uid)) counts.set(uid, (counts.get(uid) ?? 0) + 1)
  for (const [uid, count] of counts) {
    if (count > MAX_OBJECTS) {
      process.stderr.write(`warning: all sessions of ${uid} were ended: it had ${count} objects of System V IPC\n`)
      await endAllSessions(run, uid)
    } else if (existsSync(join(users, String(uid)))) continue
    await removeObjects(run, uid, proc)
  }
}

export function watchObjects(run: Run): void {
  let turn = Promise.resolve()
  setInterval(() => {
    turn = turn.then(() => boundObjects(run)).catch(() => {})
  }, POLL_INTERVAL_MS).unref()
}
