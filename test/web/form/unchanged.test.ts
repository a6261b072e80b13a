import { expect, test } from 'vitest'
import { operations } from '../../../src/contract/index.ts'
import type { Declaration } from '../../../src/contract/operation.ts'
import { type Json, startPanel } from '../../harness.ts'
import { pathIn } from '../../world.ts'
import { makeVisited, pages } from '../map.ts'
import { formIn } from '../visitor.ts'

/** What changes meanwhile, or by any save: a text that is saved is one's own, and a key of DKIM is made in time. */
const passing = /^(updated_at|last_|next_|.*_bytes|.*measured_at|disk_used_mb|inodes_used|source|dkim_selector)/

const lasting = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(lasting)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (passing.test(name) ? [] : [[name, lasting(one)]])),
  )
}

const settingIn = (body: string): string[] =>
  [...body.matchAll(/name="do" value="(\w+)"/g)]
    .map(([, id]) => id!)
    .filter((id) => /^(put|patch)$/.test((operations as Record<string, Declaration>)[id]?.method ?? ''))

/** The fields that differ, with both values. */
function differences(before: Json, after: Json): Json {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return { before, after }
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const one = differences(before[name], after[name])
      return one === undefined ? [] : [[name, one]]
    }),
  )
}

test('a form that is saved as it stands changes nothing', { timeout: 300_000 }, async () => {
  const panel = await startPanel()
  const { world, whoSees, addressOf } = await makeVisited(panel)
  const changed: Record<string, unknown> = {}
  let saved = 0
  for (const page of pages.filter(({ screen }) => operations[screen.shows].method === 'get')) {
    const [who, address] = [whoSees(page.base), addressOf(page)]
    const path = pathIn(world, operations[page.screen.shows])
    if (path === undefined) continue
    const first = await who.get(address)
    for (const id of new Set(settingIn(first.body))) {
      const before = lasting((await panel.get(path)).body)
      const { action, fields } = formIn((await who.get(address)).body, id)
      const { status } = await who.post(action, fields)
      await panel.settle()
      const after = lasting((await panel.get(path)).body)
      if (status < 400) saved++
      const found = status < 400 ? differences(before, after) : undefined
      if (found !== undefined) changed[`${page.base} ${id}`] = found
    }
  }
  expect(changed).toEqual({})
  expect(saved).toBeGreaterThan(20)
})
