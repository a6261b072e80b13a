import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { heapMb } from '../heap.ts'

const megabyte = 1024 * 1024
const size = 128

test('an upload is streamed, and never held in memory', { timeout: 60_000 }, async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  const upload = (await panel.post(`/accounts/${id}/uploads`, { size: size * megabyte })).body
  let [sent, before, max] = [0, 0, 0]
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent === 8) before = heapMb()
        if (sent === size - 8) max = heapMb()
        if (sent === size) return controller.close()
        sent++
        controller.enqueue(new Uint8Array(megabyte).fill(sent))
      },
    },
    { highWaterMark: 1 },
  )
  const path = `/accounts/${id}/uploads/${upload.id}?offset=0`
  const request = new Request(`https://host.example/api/v1${path}`, {
    method: 'PATCH',
    body,
    duplex: 'half',
    headers: { 'Content-Type': 'application/octet-stream' },
  } as RequestInit)
  const answer = await panel.panel.app.fetch(request, { local: true })
  expect(await answer.json()).toMatchObject({ offset: size * megabyte })
  expect(max - before).toBeLessThan(30)
})
