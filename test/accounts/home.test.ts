import { readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WarningDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

/** An account that has replaced its sites directory with a link. */
async function linked(): Promise<{ panel: TestPanel; alice: Json; host: string }> {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  panel.forget()
  const host = join(panel.dir, 'host')
  const home = join(host, 'home/alice')
  renameSync(join(home, 'sites'), join(home, 'kept'))
  symlinkSync('kept', join(home, 'sites'))
  return { panel, alice, host }
}

/** A job's status, and the warnings in its log. */
async function ended(panel: TestPanel, id: string): Promise<{ status: string; warnings: string[] }> {
  await panel.settle()
  const { job, log } = (await panel.get(`/jobs/${id}`)).body
  return { status: job.status, warnings: log.filter(({ level }: Json) => level === 'warn').map(warned) }
}

const warned = ({ message }: Json): string => message

describe('files that an account put in its home', () => {
  test('applies the limits despite files in the home, and warns about them in the job', async () => {
    const { panel, alice, host } = await linked()
    const { body } = await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 5, php_max_children: 1 })
    expect(await ended(panel, body.job_id)).toEqual({
      status: 'succeeded',
      warnings: [expect.stringContaining('home/alice/sites is not a directory')],
    })
    expect(readFileSync(join(host, 'etc/panel/limits.d/alice'), 'utf8')).toContain('disk_mb=5\n')
    expect(readFileSync(join(host, 'etc/panel/php/8.4-e3b0c44298fc-alice.conf'), 'utf8')).toContain(
      'pm.max_children = 1\n',
    )
    expect(panel.events()).toEqual(['account.limits_changed', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.update succeeded'])
  })

  test('does not delay a package with smaller limits', async () => {
    const { panel, alice, host } = await linked()
    const small = (await panel.post('/packages', { name: 'small', disk_quota_mb: 7 })).body
    panel.forget()
    const { body } = await panel.put(`/accounts/${alice.id}/package`, { package_id: small.id })
    expect(await ended(panel, body.job_id)).toMatchObject({ status: 'succeeded', warnings: [expect.any(String)] })
    expect(readFileSync(join(host, 'etc/panel/limits.d/alice'), 'utf8')).toContain('disk_mb=7\n')
  })
})

test('an account whose home cannot be created fails', async () => {
  const panel = await startPanel({ driver: (root) => new WarningDriver(root, 'The home of alice is in the way.') })
  const { body } = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
  for (let attempt = 0; attempt < 3; attempt++) {
    await panel.settle()
    await panel.clock.advance(20_000)
  }
  const { job } = (await panel.get(`/jobs/${body.job_id}`)).body
  expect(job).toMatchObject({ status: 'failed', error: 'The home of alice is in the way.' })
  expect(panel.events()).toEqual(['account.created', 'job.failed'])
  expect(panel.jobs()).toEqual(['account.create failed'])
  expect((await panel.get(`/accounts/${body.account.id}`)).status).toBe(404)
})
