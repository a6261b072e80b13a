import { describe, expect, test } from 'vitest'
import { parts } from '../../src/host/parts/index.ts'
import { account, apply, bench, type Over, server } from './helpers.ts'

const unsupported = { name: 'HostError', stage: 'unsupported' }

describe('parts that a host does not know', () => {
  const strange: [string, Over][] = [
    ['a part', { parts: { quantum: { entangled: true } } as object }],
    ['a field of a part', { parts: { web: { http3: true } } }],
    ['a field of the account', { nickname: 'bobby' } as object],
    ['a state of a part that has none', { parts: { users: {} } as object }],
  ]
  test.each(strange)('refuses %s, and applies nothing', async (_, over) => {
    const { driver, has } = bench()
    const state = account(over)
    const input = { ...state, parts: { ...over.parts, ...state.parts } }
    await expect(apply(driver, input)).rejects.toMatchObject(unsupported)
    expect(has('')).toBe(false)
  })
})

test.each(['limits', 'php', 'web', 'dns', 'mail', 'ssh', 'cron'])('the state of %s is never omitted', async (name) => {
  const { driver, has } = bench()
  const { [name]: _, ...rest } = account().parts as Record<string, object>
  const state = { ...account(), parts: rest as never }
  await expect(apply(driver, state)).rejects.toMatchObject({ name: 'HostError' })
  expect(has('')).toBe(false)
})

test('an apply of some parts covers only these', async () => {
  const { driver } = bench()
  const some = parts.map(({ name }) => name).slice(1, 3)
  const { areas, warnings } = await driver.apply({ server, accounts: [account()] }, { areas: some })
  expect(areas.map(({ area }) => area)).toEqual(some)
  expect(warnings).toEqual([])
})
