import { expect, test } from 'vitest'
import { screens } from '../../src/areas/index.ts'
import { operationList } from '../../src/contract/index.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import { sideOf } from '../../src/web/kit/page-scope.ts'
import { withoutScreen } from './without-screen.ts'

const declared = await screens()
const onPages = new Set(
  declared.flatMap(({ shows, acts = {}, sections: extra = {}, downloads = {} }) => [
    shows as string,
    ...Object.keys(acts),
    ...Object.keys(downloads),
    ...Object.values(extra).map(({ run }) => run as string),
  ]),
)
const commanded = (operationList as readonly Declaration[]).filter(({ cli }) => cli).map(({ id }) => id)

test('every operation with a command has a page, or a line that says why not', () => {
  const missing = commanded.filter((id) => !onPages.has(id) && !Object.hasOwn(withoutScreen, id))
  expect(missing).toEqual([])
})

test('no operation with a page has a line that says why not', () => {
  expect(Object.keys(withoutScreen).filter((id) => onPages.has(id) || !commanded.includes(id))).toEqual([])
})

test('a list that is read with selected fields shows no others', () => {
  const unread = declared.flatMap(({ path, fields, columns = [], name = 'id', to = '' }) => {
    const visible = [...columns, name, ...[...to.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!)]
    return fields
      ? visible.filter((field) => field !== 'id' && !fields.includes(field)).map((one) => `${path} ${one}`)
      : []
  })
  expect(unread).toEqual([])
})

test('the navigation of each panel has at most 20 entries, and tabs lead to pages', () => {
  for (const of of ['account', 'server'] as const) {
    const own = declared.filter((one) => sideOf(one) === of)
    const entries = own.filter(({ nav }) => nav).map(({ path, only }) => `${path} ${only ?? ''}`)
    expect([of, entries.length <= 20, entries]).toEqual([of, true, entries])
    const beside = own.flatMap(({ nav }) => nav?.beside ?? [])
    expect(beside.filter((path) => !own.some((one) => one.path === path))).toEqual([])
  }
})
