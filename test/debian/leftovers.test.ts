import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { clearMemory, clearTemporary } from '../../src/host/debian/leftovers.ts'
import { tempDir } from '../host/helpers.ts'
import { has } from '../setup/context.ts'

function bench() {
  const commands: string[] = []
  const run: Run = async (program, args) => {
    commands.push([program, ...args].join(' '))
    return ''
  }
  return { commands, run }
}

const bob = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', username: 'bob', uid: 20001, mainDomain: 'bob.example' }

test("a user's files are deleted from world-writable directories", async () => {
  const { commands, run } = bench()
  await clearTemporary(run, bob)
  expect(commands).toEqual([
    '/usr/bin/systemd-run --pipe --wait --collect --quiet -- /usr/bin/find /tmp /var/tmp /dev/shm /dev/mqueue /run/lock ' +
      '/var/lib/php/sessions -xdev -depth -uid 20001 -delete',
  ])
})

test('memory, queues and semaphores of a user are removed, and those of no other', async () => {
  const proc = tempDir()
  has(
    proc,
    'shm',
    ' key shmid perms size cpid lpid nattch uid gid\n 0 7 666 4096 1 1 0 20001 20001\n 0 8 600 1 1 1 0 20002 20001\n',
  )
  has(proc, 'msg', ' key msqid perms cbytes qnum lspid lrpid uid gid\n 1 3 644 0 0 0 0 20001 20001\n')
  has(proc, 'sem', ' key semid perms nsems uid gid\n 1 5 600 1 20002 20002\n 2 6 600 20001 20001 1\n')
  const { commands, run } = bench()
  await clearMemory(run, 20001, proc)
  await clearMemory(run, 20003, proc)
  expect(commands).toEqual(['/usr/bin/ipcrm -m 7 -q 3 -s 6'])
})
