import { expect, test } from 'vitest'
import type { Json, TestPanel } from '../harness.ts'
import { events, nothing, received, withHome } from './fixtures.ts'

const minute = 60_000
const day = 86_400_000
/** The clock starts on a Thursday at noon. */
const noon = Date.UTC(2026, 0, 15, 12)

/** Moves to a time, and runs the next minute's check. */
async function at(panel: TestPanel, time: number): Promise<void> {
  panel.clock.jump(time - panel.clock.now())
  await panel.clock.advance(minute)
}

const scheduled = { events: ['backup.started', 'job.completed'], jobs: ['backup.account succeeded'] }

test('a daily backup is made at the configured hour, once, by the system', async () => {
  const { panel, alice, path } = await withHome()
  await panel.patch('/settings', { backup_hour: 4 })
  const reply = await panel.put(`${path}/schedule`, { every: 'daily', keep: 2 })
  expect([reply.status, reply.body]).toEqual([200, { every: 'daily', keep: 2 }])
  await at(panel, noon + 15.9 * 3_600_000)
  expect(await events(panel)).toEqual(nothing)
  await at(panel, noon + 16 * 3_600_000)
  expect(await events(panel)).toEqual(scheduled)
  await at(panel, noon + 20 * 3_600_000)
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.trial succeeded'] })
  const [event] = (await panel.get('/events?type=backup.started')).body.items
  expect(event.data).toMatchObject({ actor: { type: 'system' }, via: 'system', account: { id: alice.id } })
  const [backup] = (await panel.get(path)).body.items
  expect(backup).toMatchObject({ kind: 'scheduled', status: 'complete', id: event.data.object_id })
})

test('makes up for a missed backup once, and for none from before a new schedule', async () => {
  const { panel, path } = await withHome()
  await panel.put(`${path}/schedule`, { every: 'daily' })
  await panel.clock.advance(minute)
  expect(await events(panel)).toEqual(nothing)
  panel.clock.jump(5 * day)
  await panel.restart()
  await panel.clock.advance(minute)
  expect(await events(panel)).toEqual(scheduled)
  await at(panel, panel.clock.now() + minute)
  expect(await events(panel)).toEqual(nothing)
})

test('makes a weekly backup on Sundays, with the default that a package provides for its accounts', async () => {
  const { panel, path } = await withHome()
  const [plan] = (await panel.get('/packages')).body.items
  await panel.patch(`/packages/${plan.id}`, { backup_schedule: 'weekly', backup_keep: 4 })
  await panel.settle()
  expect((await panel.get(`${path}/schedule`)).body).toEqual({ every: 'weekly', keep: 4 })
  panel.forget()
  await at(panel, noon + 2 * day)
  expect(await events(panel)).toEqual(nothing)
  await at(panel, noon + 3 * day)
  expect(await events(panel)).toEqual(scheduled)
  await at(panel, noon + 9 * day)
  expect(await events(panel)).toEqual(nothing)
  await panel.put(`${path}/schedule`, { every: 'none' })
  expect((await panel.get(`${path}/schedule`)).body).toEqual({ every: 'none', keep: 4 })
  await at(panel, noon + 11 * day)
  expect(await events(panel)).toEqual(nothing)
})

test("the plan's number of complete ones is kept, and always the newest complete one", async () => {
  const { panel, path, home } = await withHome()
  await panel.put(`${path}/schedule`, { every: 'daily', keep: 1 })
  const stored = async () => (await panel.get(path)).body.items.map(({ kind, status }: Json) => `${kind} ${status}`)
  await at(panel, noon + day)
  await panel.settle()
  const [first] = (await panel.get(path)).body.items
  const { rmSync, writeFileSync } = await import('node:fs')
  rmSync(`${home}/mail`, { recursive: true })
  writeFileSync(`${home}/mail`, 'in the way')
  await at(panel, noon + 2 * day)
  await panel.settle()
  expect(await stored()).toEqual(['scheduled complete', 'scheduled incomplete'])
  rmSync(`${home}/mail`)
  await at(panel, noon + 3 * day)
  await panel.settle()
  expect(await stored()).toEqual(['scheduled incomplete', 'scheduled complete'])
  expect((await panel.get(`${path}/${first.id}`)).status).toBe(404)
  await at(panel, noon + 5 * day)
  await panel.settle()
  expect(await stored()).toEqual(['scheduled complete'])
})

test('an invalid schedule is refused with the field', async () => {
  const { panel, path } = await withHome()
  const bodies = [{ every: 'hourly' }, { keep: 0 }, { keep: 61 }, { destination_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }]
  const answers = []
  for (const body of bodies) answers.push(received(await panel.put(`${path}/schedule`, body)))
  const fields = ['every', 'keep', 'keep', 'destination_id']
  expect(answers).toEqual(fields.map((field) => `400 validation ${field}`))
  expect(await events(panel)).toEqual(nothing)
})
