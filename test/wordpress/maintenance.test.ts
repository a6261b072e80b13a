import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import { hasPhp } from './core.ts'
import { configOf, root } from './fixtures.ts'
import { withRunningSite } from './running.ts'

const done = { events: ['job.completed'], jobs: ['wordpress.change succeeded'] }

describe.skipIf(!hasPhp)('setWordpressMaintenance', () => {
  test('closes a site until it is opened, also one whose code fails', async () => {
    const { panel, at, place } = await withRunningSite(`${configOf()}\nexit;`)
    const set = (enabled: unknown) => panel.put(`${at}/maintenance`, { enabled })
    const file = place(`${root}/.maintenance`)
    const { status, body } = await set(true)
    expect([status, body.site.status]).toEqual([202, 'working'])
    expect(problem(await set(false))).toEqual([409, 'busy'])
    expect(await occurred(panel)).toEqual(done)
    expect(readFileSync(file, 'utf8')).toBe('<?php $upgrading = time();')
    expect((await panel.get(at)).body.status).toBe('unhealthy')
    await set(false)
    expect(await occurred(panel)).toEqual(done)
    expect(existsSync(file)).toBe(false)
    await set(false)
    expect(await occurred(panel)).toEqual(done)
    expect(problem(await set('yes'))).toEqual([400, 'validation', 'enabled'])
  })

  test('a directory in place of the file fails the job, and the site is as before', async () => {
    const { panel, at, write } = await withRunningSite()
    write(`${root}/.maintenance/keep`, 'x')
    await panel.put(`${at}/maintenance`, { enabled: true })
    await exhaust(panel)
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['wordpress.change failed'] })
    expect((await panel.get(at)).body.status).toBe('active')
  })

  test('needs both scopes, the feature, and an account that is not suspended', async () => {
    const { panel, alice, at } = await withRunningSite()
    for (const scopes of [['files:write'], ['mysql:write']]) {
      const token = await panel.token(scopes, { account: alice.id })
      expect((await panel.put(`${at}/maintenance`, { enabled: true }, { token })).status).toBe(403)
    }
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await occurred(panel)
    expect(problem(await panel.put(`${at}/maintenance`, { enabled: true }))).toEqual([409, 'suspended'])
    expect(await occurred(panel)).toEqual(nothing)
  })
})
