import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { heapMb } from '../heap.ts'

const count = 100_000

test('100,000 files are listed in pages, none missing and none twice, in little memory', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  const dir = join(panel.dir, 'host/home/alice/tmp/many')
  mkdirSync(dir)
  for (let n = 0; n < count; n++) writeFileSync(join(dir, `file-${(n * 7919) % count}`), '')
  const page = async (cursor: string) =>
    (await panel.get(`/accounts/${id}/files?path=tmp/many&limit=1000${cursor}`)).body
  await page('')
  const before = heapMb()
  let [seen, last, max] = [0, '', before]
  for (let cursor = ''; ; ) {
    const { items, total, next } = await page(cursor)
    expect(total).toBe(count)
    for (const { name } of items) {
      if (name <= last) expect.fail(`${name} comes after ${last}`)
      last = name
    }
    seen += items.length
    if (seen % 20_000 === 0) max = Math.max(max, heapMb())
    if (next === undefined) break
    cursor = `&cursor=${next}`
  }
  expect(seen).toBe(count)
  expect(max - before).toBeLessThan(20)
})
