import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { account, apply, bench, changes, idOf, snapshot } from './helpers.ts'

const former = 'var/lib/panel'
const present = 'var/lib/panel-host'

test('records of an older version are migrated once, with its unfinished work', async () => {
  const { driver, root, has } = bench()
  await apply(driver, account())
  const before = snapshot(root)
  renameSync(join(root, present), join(root, former))
  const half = { key: idOf(1), moves: [], made: [], files: [{ path: 'etc/panel/ftp/passwd.d/new', had: false }] }
  writeFileSync(join(root, `${former}/journal/${idOf(1)}.undo`), JSON.stringify(half))
  writeFileSync(join(root, 'etc/panel/ftp/passwd.d/new'), 'half')
  expect(await bench({ root }).driver.recover()).toEqual({ undone: [idOf(1)] })
  expect(snapshot(root)).toEqual(before)
  expect(has(former)).toBe(false)
  expect(changes(await apply(driver, account()))).toBe(0)
})

test('existing records stay, whatever is at the old path', async () => {
  const { driver, root } = bench()
  await apply(driver, account())
  mkdirSync(join(root, former))
  writeFileSync(join(root, former, 'mine'), 'x')
  const before = snapshot(root)
  await bench({ root }).driver.recover()
  expect(snapshot(root)).toEqual(before)
})
