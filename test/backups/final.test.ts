import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { events, withHome } from './fixtures.ts'

const day = 86_400_000

async function withFinal() {
  const input = await withHome()
  await input.panel.patch('/settings', { final_backup_days: 10 })
  input.panel.forget()
  const terminate = (query = '') => input.panel.delete(`/accounts/${input.alice.id}?confirm=alice${query}`)
  const stored = async (): Promise<string[]> =>
    (await input.panel.get('/backups')).body.items.map(({ kind, status }: Json) => `${kind} ${status}`)
  return { ...input, terminate, stored }
}

const ended = { events: ['account.terminated', 'job.completed'], jobs: ['account.terminate succeeded'] }

test('a final backup is made before an account is removed, and kept as long as configured', async () => {
  const { panel, folder, terminate, stored, home } = await withFinal()
  const { job_id } = (await terminate()).body
  expect(await events(panel)).toEqual(ended)
  expect(existsSync(home)).toBe(false)
  expect(await stored()).toEqual(['final complete'])
  const [backup] = (await panel.get('/backups')).body.items
  expect(backup).toMatchObject({ job_id, expires_at: panel.clock.now() + 10 * day })
  expect(existsSync(join(folder, backup.id, 'files.tar.zst'))).toBe(true)
  panel.clock.jump(10 * day)
  await panel.clock.advance(60_000)
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.delete succeeded'] })
  expect([await stored(), existsSync(folder)]).toEqual([[], false])
})

test('if the final backup fails the account stays; final_backup=false continues without one', async () => {
  const { panel, alice, home, terminate, stored } = await withFinal()
  rmSync(join(home, 'mail'), { recursive: true })
  writeFileSync(join(home, 'mail'), 'in the way')
  const { job_id } = (await terminate()).body
  for (let n = 0; n < 40; n++) {
    await panel.settle()
    await panel.clock.advance(20_000)
  }
  expect(await events(panel)).toEqual({
    events: ['account.terminated', 'job.failed'],
    jobs: ['account.terminate failed'],
  })
  expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toBe(
    'The backup is incomplete: mail: mail: there is no directory in its place. To terminate alice without a final backup: panel accounts terminate alice --no-final-backup',
  )
  expect([(await panel.get(`/accounts/${alice.id}`)).body.status, existsSync(home)]).toEqual(['terminating', true])
  expect(await stored()).toEqual(['final incomplete'])
  await terminate('&final_backup=false')
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['account.terminate succeeded'] })
  expect(existsSync(home)).toBe(false)
})

test('a job waiting for its next attempt can be told to continue without one', async () => {
  const { panel, home, terminate, stored } = await withFinal()
  rmSync(join(home, 'mail'), { recursive: true })
  writeFileSync(join(home, 'mail'), 'in the way')
  const first = (await terminate()).body
  await panel.settle()
  const second = (await terminate('&final_backup=false')).body
  expect(second.job_id).toBe(first.job_id)
  expect(await events(panel)).toEqual(ended)
  expect([await stored(), existsSync(home)]).toEqual([['final incomplete'], false])
})

test('makes no final backup if the setting is 0', async () => {
  const { panel, terminate, stored } = await withFinal()
  await panel.patch('/settings', { final_backup_days: 0 })
  await terminate()
  expect(await events(panel)).toEqual(ended)
  expect(await stored()).toEqual([])
})
