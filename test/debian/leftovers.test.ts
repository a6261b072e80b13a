import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { clearTemporary } from '../../src/host/debian/leftovers.ts'

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
