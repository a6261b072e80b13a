import { expect, test, vi } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { second } from './second.ts'

const minute = 60_000

test('a node that fails or never answers keeps no other from a change of queued mail', async () => {
  const panel = await startPanel()
  const names = ['web2', 'web3', 'web4'] as const
  const hosts = await Promise.all(names.map(async (name) => (await second(panel, { name })).host))
  const answers = [
    () => new Promise<never>(() => {}),
    () => Promise.reject(new Error('its disk is broken')),
    async () => ({ matched: 2, changed: 2, gone: [] }),
  ]
  const changes = hosts.map((host, at) => vi.spyOn(host, 'changeMailQueue').mockImplementation(answers[at]!))
  const { job_id } = (await panel.post('/mail/queue/delete', { sender: 'w@ext.example' })).body
  await soon(() => expect(changes.map((change) => change.mock.calls.length)).toEqual([1, 1, 1]))
  await panel.clock.advance(minute)
  await panel.settle()
  const { job, log } = (await panel.get(`/jobs/${job_id}`)).body
  expect([job.status, log.map(({ message }: Json) => message)]).toEqual([
    'succeeded',
    [
      'It is not known what was changed on web3: its disk is broken',
      'It is not known what was changed on web2: Node web2 did not answer within 60 seconds.',
      '2 messages are deleted',
    ],
  ])
})
