import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'
import { HomeFiles } from '../../../src/host/homes/home/index.ts'
import { removeAll } from '../../../src/host/homes/home/remove.ts'
import { HostTrash } from '../../../src/host/homes/host-trash.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-remove-'))
  onTestFinished(() => void execFileSync('rm', ['-rf', dir]))
  return dir
}

/** A chain of directories, made from the inside out: its path would be too long. */
function chain(place: string, name: string, levels: number): void {
  const step = 100
  const part = (count: number) => Array.from({ length: count }, () => 'd').join('/')
  mkdirSync(join(place, 'whole', part(step)), { recursive: true })
  for (let made = step; made < levels; made += step) {
    mkdirSync(join(place, 'next', part(step)), { recursive: true })
    execFileSync('mv', [join(place, 'whole'), join(place, 'next', part(step))])
    execFileSync('mv', [join(place, 'next'), join(place, 'whole')])
  }
  execFileSync('mv', [join(place, 'whole'), join(place, name)])
}

test('a tree of 5,000 levels is removed, whatever the length of its name, with few directories open', async () => {
  const dir = folder()
  const name = `gone.${'x'.repeat(240)}`
  chain(dir, name, 5_000)
  let open = 0
  const step = async () => {
    open = Math.max(open, readdirSync('/proc/self/fd').length)
  }
  const before = readdirSync('/proc/self/fd').length
  await holding(Directory.at(dir), (parent) => removeAll(parent, Buffer.from(name), { step }))
  expect(readdirSync(dir)).toEqual([])
  expect(open - before).toBeLessThan(120)
})

test('what one account left does not keep what others left from being removed', async () => {
  const dir = folder()
  const id = (letter: string) => letter.repeat(26)
  for (const letter of ['A', 'B', 'C'])
    mkdirSync(join(dir, `x-20260101T000000Z-${id(letter)}/sub`), { recursive: true })
  const trash = new HostTrash([dir])
  // Stands for what cannot be removed: a file system mounted in it.
  const stuck = `gone.x-20260101T000000Z-${id('A')}`
  const output: string[] = []
  const progress = (line: string) => void output.push(line)
  const remove = Directory.prototype.removeDirectory
  const busy = vi.spyOn(Directory.prototype, 'removeDirectory').mockImplementation(function (this: Directory, name) {
    return name.toString() === stuck ? Promise.reject(new Error('it is busy')) : remove.call(this, name)
  })
  onTestFinished(() => busy.mockRestore())
  await expect(trash.empty(Date.UTC(2026, 5), { progress })).rejects.toThrow(
    `1 entries of the trash could not be removed: x-20260101T000000Z-${id('A')}: it is busy`,
  )
  expect(readdirSync(dir)).toEqual([stuck])
  expect(output.length).toBe(3)
  busy.mockRestore()
  expect(await trash.empty(Date.UTC(2026, 5))).toEqual({ removed: 0 })
  expect(readdirSync(dir)).toEqual([])
})

test("one item that cannot be removed does not keep an account's other items in its trash", async () => {
  const dir = folder()
  for (const name of ['one', 'two', 'three']) mkdirSync(join(dir, 'alice/.trash', name, 'inner'), { recursive: true })
  writeFileSync(join(dir, 'alice/.trash/two/file'), '')
  const account = { id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', username: 'alice', uid: 20_000, mainDomain: 'alice.example' }
  const files = new HomeFiles({ above: dir, logs: dir, nameOf: () => 'alice' }, account)
  const busy = vi.spyOn(Directory.prototype, 'unlink').mockRejectedValue(new Error('it is busy'))
  onTestFinished(() => busy.mockRestore())
  await expect(files.act('emptyTrash', { before: 1 })).rejects.toThrow('it is busy')
  expect(readdirSync(join(dir, 'alice/.trash'))).toEqual(['two'])
})
