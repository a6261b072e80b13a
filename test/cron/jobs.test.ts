import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import { FailingDriver } from '../drivers.ts'
import { withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['cron.apply succeeded'] }

describe('cron jobs', () => {
  test('creates, changes and deletes cron jobs, each in one job', async () => {
    const { panel, path, create } = await withAlice({})
    const crontab = join(panel.dir, 'host/etc/panel/cron/alice')
    const made = await create(' */5  * * * * ', 'php ~/sites/a/cron.php', { comment: 'orders' })
    const { id } = made.body.cron_job
    expect([made.status, made.body.cron_job]).toEqual([
      202,
      {
        id,
        schedule: '*/5 * * * *',
        schedule_description: 'every 5 minutes',
        command: 'php ~/sites/a/cron.php',
        mail: true,
        enabled: true,
        timeout_s: 3600,
        comment: 'orders',
        next_run_at: panel.clock.now() + 5 * 60_000,
        created_at: panel.clock.now(),
        updated_at: panel.clock.now(),
      },
    ])
    expect(await occurred(panel)).toEqual(applied)
    expect(readFileSync(crontab, 'utf8')).toBe(`*/5 * * * * ${id}\n`)
    await panel.clock.advance(1000)
    const off = await panel.patch(`${path}/${id}`, { enabled: false, timeout_s: 60 })
    expect(off.body.cron_job).toMatchObject({ enabled: false, timeout_s: 60, updated_at: panel.clock.now() })
    expect(off.body.cron_job).not.toHaveProperty('next_run_at')
    expect(await occurred(panel)).toEqual(applied)
    expect(existsSync(crontab)).toBe(false)
    await panel.patch(`${path}/${id}`, { enabled: true, schedule: '@daily' })
    expect((await panel.get(`${path}/${id}`)).body).toMatchObject({
      schedule: '@daily',
      command: 'php ~/sites/a/cron.php',
    })
    expect(await occurred(panel)).toEqual(applied)
    expect((await panel.delete(`${path}/${id}`)).body.cron_job.id).toBe(id)
    expect(await occurred(panel)).toEqual(applied)
    expect((await panel.get(path)).body.items).toEqual([])
    expect(problem(await panel.get(`${path}/${id}`))).toEqual([404, 'not-found'])
  })

  test.each([
    ['@reboot', 'true', 'schedule'],
    ['60 * * * *', 'true', 'schedule'],
    ['0 0 31 2 *', 'true', 'schedule'],
    ['0 0 * * * *', 'true', 'schedule'],
    ['@daily', 'echo a\necho b', 'command'],
    ['@daily', 'echo \0', 'command'],
    ['@daily', 'echo \x1b[2J', 'command'],
    ['@daily', 'echo \u0085', 'command'],
    ['@daily', '', 'command'],
    ['@daily', 'ü'.repeat(1025), 'command'],
  ])('refuses cron jobs of %j with %j', async (schedule, command, field) => {
    const { panel, create, job, path } = await withAlice({})
    expect(problem(await create(schedule, command))).toEqual([400, 'validation', field])
    const id = await job('true')
    expect(problem(await panel.patch(`${path}/${id}`, { [field]: field === 'command' ? command : schedule }))).toEqual([
      400,
      'validation',
      field,
    ])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test.each([{ timeout_s: 0 }, { timeout_s: 86_401 }, { comment: 'a'.repeat(256) }, { comment: 'a\nb' }])(
    'refuses cron jobs with %j',
    async (fields) => {
      const { create } = await withAlice({})
      expect(problem(await create('@daily', 'true', fields))).toEqual([400, 'validation', ...Object.keys(fields)])
    },
  )

  test('limits cron jobs to 50', async () => {
    const { panel, create } = await withAlice({})
    for (let n = 0; n < 50; n++) expect((await create('@daily', 'ü'.repeat(1024))).status).toBe(202)
    await occurred(panel)
    expect(problem(await create('@daily', 'true'))).toEqual([409, 'too-many'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('hides cron jobs from another account', async () => {
    const { panel, job } = await withAlice({})
    const bob = await panel.account('bob')
    const id = await job('true')
    for (const reply of [
      await panel.get(`/accounts/${bob.id}/cron/jobs/${id}`),
      await panel.delete(`/accounts/${bob.id}/cron/jobs/${id}`),
      await panel.post(`/accounts/${bob.id}/cron/jobs/${id}/run`),
    ])
      expect(problem(reply)).toEqual([404, 'not-found'])
  })

  test('removes cron jobs that never reach the host', async () => {
    let failing: FailingDriver | undefined
    const driver = (root: string) => {
      failing = new FailingDriver(root, 0)
      return failing
    }
    const { panel, path, job, create } = await withAlice({ driver })
    const id = await job('true')
    failing!.failures = 3
    await create('@daily', 'false')
    await exhaust(panel)
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['cron.apply failed'] })
    expect((await panel.get(path)).body.items.map((one: { id: string }) => one.id)).toEqual([id])
  })

  test('shows the next time of cron jobs only while the account may run them', async () => {
    const { panel, alice, path, job } = await withAlice({})
    const id = await job('true', {}, '@hourly')
    expect((await panel.get(`${path}/${id}`)).body.next_run_at).toBeGreaterThan(panel.clock.now())
    await panel.post(`/accounts/${alice.id}/suspend`)
    expect((await panel.get(`${path}/${id}`)).body).not.toHaveProperty('next_run_at')
  })

  test('hides the command of cron jobs from the audit trail', async () => {
    const { panel, job } = await withAlice({})
    await job('mysqldump -psecret')
    const rows = (await panel.get('/audit')).body.items
    expect(JSON.stringify(rows)).not.toContain('secret')
    expect(rows.find((row: { operation: string }) => row.operation === 'createCronJob').after).toMatchObject({
      schedule: '@yearly',
    })
  })
})
