import { beforeAll, expect, test } from 'vitest'
import { ensureServerBuilt } from '../cli/run.ts'
import { ask, scratchFolder, startServer } from '../cli/server.ts'
import { startReceiver } from './receiver.ts'

beforeAll(ensureServerBuilt, 120_000)

test('a built server sends events', async () => {
  const receiver = await startReceiver()
  const { socket } = await startServer(scratchFolder())
  const made = await ask(socket, 'POST', '/api/v1/webhooks', { url: receiver.url })
  const { body } = await ask(socket, 'POST', `/api/v1/webhooks/${made.body.webhook.id}/test`)
  await receiver.got(1)
  expect(receiver.bodies).toMatchObject([{ id: body.event_id, type: 'webhook.ping' }])
}, 60_000)
