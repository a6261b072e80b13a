import { describe, expect, test } from 'vitest'
import type { RunningJob } from '../../src/runtime/jobs/job-kind.ts'
import { JobError } from '../../src/runtime/jobs/job-kind.ts'
import { turns } from '../clock.ts'
import { domainsIn } from '../domains/fixtures.ts'
import { startPanel } from '../harness.ts'
import { job, learn, listen, queue } from './fixtures.ts'

describe('steps of a job', () => {
  test('shows the steps of the kind of a job, and the current one while it runs', async () => {
    const panel = await startPanel()
    let running!: RunningJob
    let end = (): void => {}
    learn(panel, {
      kind: 'test.steps',
      steps: ['prepare', 'apply', 'finish'],
      run: async (one) => {
        running = one
        await new Promise<void>((resolve) => {
          end = resolve
        })
        return undefined
      },
    })
    const id = await queue(panel, 'test.steps')
    await turns(10)
    const first = await job(panel, id)
    expect(first.steps).toEqual(['prepare', 'apply', 'finish'])
    expect(first).not.toHaveProperty('step')
    const at = async () => {
      await panel.clock.advance(200)
      return (await job(panel, id)).step
    }
    running.step('prepare')
    expect(await at()).toBe('prepare')
    running.step('apply')
    expect(await at()).toBe('apply')
    running.step('build')
    running.step('prepare')
    expect(await at()).toBe('apply')
    running.step('finish')
    end()
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'succeeded', step: 'finish' })
    expect((await panel.get('/jobs')).body.items.find((one: { id: string }) => one.id === id)).toMatchObject({
      step: 'finish',
      steps: ['prepare', 'apply', 'finish'],
    })
  })

  test('shows the step where a job failed, and starts over with the next attempt', async () => {
    const panel = await startPanel()
    let attempts = 0
    learn(panel, {
      kind: 'test.steps.apply',
      steps: ['prepare', 'apply'],
      maxAttempts: 2,
      run: async (one) => {
        one.step('prepare')
        if (attempts++ > 0) throw new JobError('Not prepared.')
        one.step('apply')
        throw new JobError('Not applied.')
      },
    })
    const id = await queue(panel, 'test.steps.apply')
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'queued', step: 'apply', error: 'Not applied.' })
    await panel.clock.advance(10_000)
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'failed', step: 'prepare', error: 'Not prepared.' })
  })

  test('leaves steps out of kinds that declare none', async () => {
    const panel = await startPanel()
    learn(panel, {
      kind: 'test.plain',
      run: async (one) => {
        one.step('apply')
        return undefined
      },
    })
    const id = await queue(panel, 'test.plain')
    await panel.settle()
    const done = await job(panel, id)
    expect([done.status, 'step' in done, 'steps' in done]).toEqual(['succeeded', false, false])
  })

  test('shows the steps of an account: made, suspended, terminated', async () => {
    const panel = await startPanel()
    const [create, suspend, terminate] = ['create', 'suspend', 'terminate'].map((one) =>
      listen(panel, `account.${one}`),
    )
    const alice = await panel.account('alice')
    expect(create).toEqual(['prepare', 'apply', 'measure'])
    await panel.post(`/accounts/${alice.id}/suspend`)
    await panel.settle()
    expect(suspend).toEqual(['stop', 'prepare', 'apply', 'measure'])
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    expect(terminate).toEqual(['stop', 'remove'])
  })

  test('shows the steps of domains and zones', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const [domain, zone] = [listen(panel, 'domain.create'), listen(panel, 'dns.zone.update')]
    const { zone_id } = await domainsIn(panel, alice.id).domain('shop.example')
    expect(domain).toEqual(['prepare', 'apply', 'measure'])
    const records = `/accounts/${alice.id}/dns/zones/${zone_id}/records`
    await panel.post(records, { name: 'one', type: 'A', value: '192.0.2.9' })
    await panel.settle()
    expect(zone).toEqual(['prepare', 'apply'])
  })

  test('shows the steps of backups: made, restored after a safety backup, and made before removal', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const backups = `/accounts/${alice.id}/backups`
    const made = listen(panel, 'backup.account')
    const { backup } = (await panel.post(backups, {})).body
    await panel.settle()
    expect(made).toEqual(['files', 'mail', 'config'])
    const restored = listen(panel, 'backup.restore')
    await panel.post(`${backups}/${backup.id}/restore`, {})
    await panel.settle()
    expect(restored).toEqual(['check', 'backup', 'config', 'dns', 'mail', 'files', 'finish'])
    await panel.patch('/settings', { final_backup_days: 7 })
    const terminate = listen(panel, 'account.terminate')
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    expect(terminate).toEqual(['stop', 'backup', 'remove'])
  })
})
