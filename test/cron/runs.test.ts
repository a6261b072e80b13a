import { describe, expect, test } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { eventually, processesWith, withAlice } from './fixtures.ts'

const minute = 60_000

describe('cron job that is run manually', () => {
  test('runs in the home, with an environment of its own', async () => {
    const { panel, job, run, last, home } = await withAlice()
    const id = await job("echo 100% of '$HOME' is $HOME; pwd; id -un >/dev/null; env | sort; umask")
    const begun = await run(id)
    expect([begun.status, begun.body.run]).toEqual([
      202,
      { id: begun.body.run.id, trigger: 'manual', outcome: 'running', started_at: panel.clock.now() },
    ])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['cron.run succeeded'] })
    const { output, ...rest } = await last(id)
    expect(rest).toEqual({
      ...begun.body.run,
      outcome: 'succeeded',
      exit_code: 0,
      finished_at: panel.clock.now(),
      truncated: false,
    })
    expect(output).toContain(`100% of $HOME is ${home}\n${home}\n`)
    expect(output).toContain(`HOME=${home}\nLANG=C.UTF-8\nLOGNAME=alice\n`)
    expect(output).not.toMatch(/^(NODE|VITEST|npm)/m)
    expect(output).toMatch(/0022\n$/)
  })

  test.each([
    ['exit 3', { outcome: 'failed', exit_code: 3 }, 'The command exited with code 3.'],
    ['kill -TERM $$', { outcome: 'failed', signal: 'SIGTERM' }, 'The command was killed by SIGTERM.'],
    ['no-such-command', { outcome: 'failed', exit_code: 127 }, 'The command exited with code 127.'],
    ['if', { outcome: 'failed', exit_code: 2 }, 'The command exited with code 2.'],
  ])('fails with its command: %s', async (command, end, error) => {
    const { panel, job, run, last } = await withAlice()
    const id = await job(command)
    const { job_id } = (await run(id)).body
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['cron.run failed'] })
    expect(await last(id)).toMatchObject(end)
    expect((await panel.get(`/jobs/${job_id}`)).body.job).toMatchObject({ attempts: 1, error })
  })

  test('keeps the last 64 KiB of its output, with errors interleaved', async () => {
    const { panel, job, run, last } = await withAlice()
    const id = await job(
      "echo first; head -c 100000 /dev/zero | tr '\\0' 'x'; printf 'ü\\377'; echo error >&2; echo last",
    )
    await run(id)
    await panel.settle()
    const { output, truncated } = await last(id)
    expect(truncated).toBe(true)
    expect(output).toMatch(/^x+ü\ufffderror\nlast\n$/)
    expect(output.length).toBe(65_536 - 1)
  })

  test('kills a run at its timeout, with everything it started', async () => {
    const { panel, job, run, last } = await withAlice()
    const mark = '7531'
    const id = await job(
      `(setsid sleep ${mark}1 >/dev/null 2>&1 &) ; nohup sleep ${mark}2 >/dev/null & env -i sleep ${mark}3 & echo begun; sleep ${mark}4`,
      { timeout_s: 1 },
    )
    await run(id)
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['cron.run failed'] })
    expect(await last(id)).toMatchObject({ outcome: 'timeout', signal: 'SIGKILL', output: 'begun\n' })
    expect(processesWith(`sleep\0${mark}`)).toEqual([])
  })

  test('does not run twice concurrently', async () => {
    const { panel, job, run, runs } = await withAlice()
    const id = await job('sleep 7532')
    const begun = await run(id)
    expect(problem(await run(id))).toEqual([409, 'busy'])
    await panel.post(`/jobs/${begun.body.job_id}/cancel`)
    expect(await occurred(panel)).toEqual({ events: [], jobs: ['cron.run cancelled'] })
    expect(await runs(id)).toMatchObject([{ outcome: 'interrupted' }])
    expect(processesWith('sleep\x007532')).toEqual([])
    expect((await run(id)).status).toBe(202)
  })

  test('needs a server that runs commands of accounts, and an account that may', async () => {
    const { panel, job, run, alice } = await withAlice({})
    const id = await job('true')
    expect(problem(await run(id))).toEqual([409, 'not-configured'])
    expect(await occurred(panel)).toEqual(nothing)
    await panel.post(`/accounts/${alice.id}/suspend`)
    expect(problem(await run(id))).toEqual([409, 'suspended'])
  })
})

describe('cron job that is due', () => {
  test('runs on the minute, without a job or an event', async () => {
    const { panel, job, runs, scheduler, lines, path } = await withAlice()
    const id = await job('echo ran >> log', {}, '*/5 * * * *')
    await panel.clock.advance(5 * minute - 1)
    await scheduler().idle()
    expect(await runs(id)).toEqual([])
    await panel.clock.advance(1)
    await scheduler().idle()
    expect(await runs(id)).toMatchObject([
      { trigger: 'schedule', outcome: 'succeeded', exit_code: 0, started_at: panel.clock.now() },
    ])
    expect(lines('log')).toEqual(['ran'])
    expect(await occurred(panel)).toEqual(nothing)
    const visible = (await panel.get(`${path}/${id}`)).body
    expect(visible).toMatchObject({ next_run_at: panel.clock.now() + 5 * minute, last_run: { outcome: 'succeeded' } })
    expect(visible.last_run).not.toHaveProperty('output')
  })

  test('skips a run while the cron job runs', async () => {
    const { panel, job, runs, scheduler } = await withAlice()
    const id = await job('sleep 7533', {}, '* * * * *')
    await panel.clock.advance(2 * minute)
    expect((await runs(id)).map(({ outcome }) => outcome)).toEqual(['skipped', 'running'])
    await panel.panel.engines.get('cron')!.stop()
    await scheduler().idle()
    expect((await runs(id)).map(({ outcome }) => outcome)).toEqual(['skipped', 'interrupted'])
    expect(processesWith('sleep\x007533')).toEqual([])
  })

  test('runs on a changed schedule, and not while it is disabled', async () => {
    const { panel, job, lines, scheduler, path } = await withAlice()
    const id = await job('echo ran >> log', {}, '@yearly')
    await panel.patch(`${path}/${id}`, { schedule: '* * * * *' })
    await panel.clock.advance(minute)
    await scheduler().idle()
    expect(lines('log')).toEqual(['ran'])
    await panel.patch(`${path}/${id}`, { enabled: false })
    await panel.clock.advance(3 * minute)
    await scheduler().idle()
    expect(lines('log')).toEqual(['ran'])
  })

  test('neither runs during a suspension nor catches up after it', async () => {
    const { panel, alice, job, lines, scheduler } = await withAlice()
    await job('echo ran >> log', {}, '*/2 * * * *')
    await panel.post(`/accounts/${alice.id}/suspend`)
    await panel.settle()
    await panel.clock.advance(10 * minute)
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    await scheduler().idle()
    expect(lines('log')).toEqual([])
    await panel.clock.advance(2 * minute)
    await scheduler().idle()
    expect(lines('log')).toEqual(['ran'])
  })

  test('does not catch up after the server was down, or the clock jumped', async () => {
    const { panel, job, lines, scheduler } = await withAlice()
    await job('echo ran >> log', {}, '@hourly')
    panel.clock.jump(90 * minute)
    await panel.restart()
    await scheduler().idle()
    panel.clock.jump(-80 * minute)
    await panel.clock.advance(minute)
    await scheduler().idle()
    expect(lines('log')).toEqual([])
    await panel.clock.advance(49 * minute)
    await scheduler().idle()
    expect(lines('log')).toEqual(['ran'])
  })

  test('keeps its newest 50 runs', async () => {
    const { panel, job, runs, scheduler } = await withAlice()
    const id = await job('true', {}, '* * * * *')
    for (let n = 0; n < 53; n++) {
      await panel.clock.advance(minute)
      await scheduler().idle()
    }
    const stored = await runs(id)
    expect(stored).toHaveLength(50)
    expect(stored[0].started_at).toBe(panel.clock.now())
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM cron_runs').pluck().get()).toBe(50)
  })
})

describe('end of a run', () => {
  test('ends runs with a suspension, which waits until everything they started is gone', async () => {
    const { panel, alice, job, run, runs, scheduler } = await withAlice()
    const [one, other] = [await job('setsid sleep 7534 & sleep 7534'), await job('sleep 7534', {}, '* * * * *')]
    const left = await job('(setsid sleep 7534 >/dev/null 2>&1 &)')
    await run(left)
    await panel.settle()
    await run(one)
    await panel.clock.advance(minute)
    panel.forget()
    await panel.post(`/accounts/${alice.id}/suspend`)
    await panel.settle()
    expect(processesWith('sleep\x007534')).toEqual([])
    await scheduler().idle()
    for (const id of [one, other]) expect(await runs(id)).toMatchObject([{ outcome: 'interrupted' }])
  })

  test('ends runs with their cron job, and with their account', async () => {
    const { panel, alice, path, job, scheduler } = await withAlice()
    const id = await job('sleep 7535', {}, '* * * * *')
    await job('sleep 7535', {}, '* * * * *')
    await panel.clock.advance(minute)
    await eventually(() => processesWith('sleep\x007535').length).toBeGreaterThan(1)
    await panel.delete(`${path}/${id}`)
    await panel.settle()
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    await scheduler().idle()
    expect(processesWith('sleep\x007535')).toEqual([])
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM cron_runs').pluck().get()).toBe(0)
  })

  test('ends runs with the server, and does not repeat them automatically', async () => {
    const { panel, job, run, runs, lines } = await withAlice()
    const id = await job('echo ran >> log; sleep 7536')
    await run(id)
    await eventually(() => lines('log')).toEqual(['ran'])
    panel.forget()
    await panel.restart()
    await panel.settle()
    expect(await runs(id)).toMatchObject([{ outcome: 'interrupted' }])
    expect(panel.events()).toEqual(['job.failed'])
    expect(lines('log')).toEqual(['ran'])
    expect(processesWith('sleep\x007536')).toEqual([])
  })
})
