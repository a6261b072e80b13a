import { expect, test } from 'vitest'
import { allOf } from '../../src/whm/pages.ts'

test('other requests get their turn between two pages of a long list', async () => {
  const steps: string[] = []
  const items = await allOf(({ page }) => {
    steps.push(`page ${page}`)
    setImmediate(() => steps.push('another request'))
    return Promise.resolve({ items: [Number(page)], total: 3 })
  })
  expect(items).toEqual([1, 2, 3])
  expect(steps).toEqual(['page 1', 'another request', 'page 2', 'another request', 'page 3'])
})
