import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Reply, startPanel, type TestPanel } from '../harness.ts'
import { zipOf } from '../host/archive/made.ts'
import { swapping } from '../symlink-race.ts'

const swaps = 10_000
const headers = { 'Content-Type': 'application/octet-stream' }

type Ask = (panel: TestPanel, at: (path: string) => string) => Promise<Reply>

const requests: Readonly<Record<string, Ask>> = {
  read: (panel, at) => panel.get(at('/files/content?path=tmp/d/file')),
  write: (panel, at) => panel.send('PUT', at('/files/content?path=tmp/d/file'), { body: 'inside', headers }),
  async delete(panel, at) {
    const reply = await panel.delete(at('/files?path=tmp/d/gone'))
    if (reply.status === 200) await panel.post(at(`/trash/${reply.body.trash_item.id}/restore`), { to: 'tmp/gone' })
    if (reply.status === 200) await panel.post(at('/files/move'), { from: 'tmp/gone', to: 'tmp/d/gone' })
    return reply
  },
  async extract(panel, at) {
    const body = { path: 'tmp/a.zip', to: 'tmp/d', overwrite: true }
    const reply = await panel.post(at('/files/extract'), body)
    await panel.settle()
    return reply
  },
}

/** The outside, in every detail. */
const pictureOf = (dir: string): unknown =>
  readdirSync(dir).map((name) => {
    const stats = lstatSync(join(dir, name))
    return [name, stats.mode, stats.ino, stats.mtimeMs, readFileSync(join(dir, name), 'utf8')]
  })

test.each(Object.entries(requests))(
  'reads and changes nothing outside while a directory is swapped for a link 10,000 times: %s',
  { timeout: 60_000 },
  async (_, ask) => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const tmp = join(panel.dir, 'host/home/alice/tmp')
    const outside = join(panel.dir, 'outside')
    mkdirSync(join(tmp, 'd'))
    mkdirSync(outside)
    for (const name of ['file', 'gone']) {
      writeFileSync(join(tmp, 'd', name), 'inside')
      writeFileSync(join(outside, name), 'OUTSIDE')
    }
    writeFileSync(join(tmp, 'a.zip'), zipOf({ path: 'file', content: 'inside' }, { path: 'x/y', content: 'inside' }))
    const before = pictureOf(outside)
    let over = false
    const swapped = swapping(tmp, outside, swaps).finally(() => {
      over = true
    })
    let requested = 0
    for (; !over; requested++)
      expect(JSON.stringify((await ask(panel, (path) => `/accounts/${id}${path}`)).body)).not.toContain('OUTSIDE')
    await swapped
    expect(requested).toBeGreaterThan(0)
    expect(pictureOf(outside)).toEqual(before)
  },
)
