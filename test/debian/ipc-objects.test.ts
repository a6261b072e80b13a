import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { boundObjects, removeObjects } from '../../src/host/debian/ipc-objects.ts'
import { tempDir } from '../host/helpers.ts'
import { has } from '../setup/context.ts'

/** A machine whose lists have these lines of the kernel. */
function machine(lists: { shm?: string[]; msg?: string[]; sem?: string[] }, users: number[] = []) {
  const [proc, folder] = [tempDir(), tempDir()]
  const list = (name: string, head: string, lines: string[] = []) => has(proc, name, `${[head, ...lines].join('\n')}\n`)
  list(
    'shm',
    '       key      shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap',
    lists.shm,
  )
  list('msg', '       key      msqid perms cbytes qnum lspid lrpid uid gid cuid cgid stime rtime ctime', lists.msg)
  list('sem', '       key      semid perms nsems uid gid cuid cgid otime ctime', lists.sem)
  for (const uid of users) has(folder, String(uid))
  const ran: string[] = []
  const run: Run = async (program, words) => {
    ran.push([program, ...words].join(' '))
    return ''
  }
  return { run, ran, proc, places: { proc, users: folder } }
}

const shm = (id: number, creator: number, owner = creator) =>
  `         0 ${id}   600 4096 7 7 0 ${owner} ${owner} ${creator} ${creator} 0 0 0 0 0`
const msg = (id: number, creator: number, owner = creator) =>
  `         0 ${id}   644 0 0 0 0 ${owner} ${owner} ${creator} ${creator} 0 0 0`
const sem = (id: number, creator: number, owner = creator) =>
  `         0 ${id}   600 1 ${owner} ${owner} ${creator} ${creator} 0 0`

const many = (count: number, creator: number) => Array.from({ length: count }, (_, id) => sem(id, creator))

test('memory, queues and semaphores that a user made are removed, also those given away, and those of no other', async () => {
  const { run, ran, proc } = machine({
    shm: [shm(7, 20_001), shm(8, 20_002), shm(9, 20_001, 20_002)],
    msg: [msg(3, 20_001)],
    sem: [sem(5, 20_002, 20_001), sem(6, 20_001)],
  })
  await removeObjects(run, 20_001, proc)
  await removeObjects(run, 20_003, proc)
  expect(ran).toEqual(['/usr/bin/ipcrm -m 7 -m 9 -q 3 -s 6'])
})

test('an account with more than 200 loses its sessions and all of them', async () => {
  const { run, ran, places } = machine({ shm: [shm(4, 20_001)], sem: many(200, 20_001) }, [20_001])
  await boundObjects(run, places)
  expect(ran.slice(0, 2)).toEqual([
    '/usr/bin/systemctl kill --kill-whom=all --signal=KILL user-20001.slice',
    '/usr/bin/systemctl stop user-20001.slice',
  ])
  expect(ran.at(-1)).toMatch(/^\/usr\/bin\/ipcrm -m 4( -s \d+){200}$/)
})

test.each([
  ['200 of an account with a session', many(200, 20_001), []],
  ['those of the machine', many(300, 26), []],
  ['what is left of an account without a session', many(2, 20_003), ['/usr/bin/ipcrm -s 0 -s 1']],
])('of %s it removes', async (_, list, expected) => {
  const { run, ran, places } = machine({ sem: list }, [20_001])
  await boundObjects(run, places)
  expect(ran).toEqual(expected)
})
