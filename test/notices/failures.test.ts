import { expect, test } from 'vitest'
import { withAlice } from '../cron/fixtures.ts'
import { noticesOf } from './fixtures.ts'

test('a cron job with failing runs is reported, since the first of them, until one succeeds', {
  timeout: 60_000,
}, async () => {
  const { panel, alice, path, job, run } = await withAlice()
  const id = await job('test -e done', { comment: 'nightly' })
  await run(id)
  await panel.settle()
  const received = {
    kind: 'cron-failed',
    severity: 'error',
    object: 'cron_job',
    object_id: id,
    name: 'nightly',
    detail: 'The command exited with code 1.',
    since: panel.clock.now(),
    operation: 'runCronJob',
    command: `panel cron show ${id} -a alice`,
    mend: `panel cron run ${id} -a alice`,
    account_id: alice.id,
    username: 'alice',
  }
  expect(await noticesOf(panel)).toEqual([received])
  await panel.clock.advance(1000)
  await run(id)
  await panel.settle()
  expect(await noticesOf(panel, alice.id)).toEqual([received])
  await panel.patch(`${path}/${id}`, { enabled: false })
  expect(await noticesOf(panel)).toEqual([])
  await panel.patch(`${path}/${id}`, { enabled: true, command: 'true' })
  await panel.settle()
  expect(await noticesOf(panel)).toEqual([received])
  await run(id)
  await panel.settle()
  expect(await noticesOf(panel)).toEqual([])
})
