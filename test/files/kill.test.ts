import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Kill } from '../faults/main.ts'
import { newDirectory, start } from '../faults/process.ts'
import { zipOf } from '../host/archive/made.ts'

const ends = ['succeeded', 'failed', 'cancelled']
const names = ['a', 'b', 'd/c', 'd/e/f', 'g']

test.each<Kill>([
  { point: 'extract-unpacked', after: 0 },
  { point: 'extract-ready', after: 0, victim: 'agent' },
  { point: 'extract-moved', after: 1 },
  { point: 'extract-moved', after: 2, victim: 'agent' },
])(
  'kill -9 while an archive is unpacked (%o): it is repeated, and no hidden file is left',
  { timeout: 60_000 },
  async (kill) => {
    const dir = newDirectory()
    const server = await start(dir)
    const made = (await server.ask('POST', '/accounts', { username: 'alice', domain: 'alice.example' }))!.body
    await server.until(`/jobs/${made.job_id}`, ({ body }) => ends.includes(body.job.status), 400)
    const tmp = join(dir, 'host/home/alice/tmp')
    mkdirSync(join(tmp, 'to/d'), { recursive: true })
    for (const name of ['b', 'd/c', 'd/kept']) writeFileSync(join(tmp, 'to', name), 'old')
    writeFileSync(join(tmp, 'a.zip'), zipOf(...names.map((path) => ({ path, content: 'new' }))))
    await server.arm(kill)
    const path = `/accounts/${made.account.id}/files/extract`
    const { job_id } = (await server.ask('POST', path, { path: 'tmp/a.zip', to: 'tmp/to', overwrite: true }))!.body
    if (kill.victim !== 'agent') expect(await server.ended).toBe('SIGKILL')
    const next = kill.victim === 'agent' ? server : await start(dir)
    const { body } = await next.until(`/jobs/${job_id}`, ({ body }) => ends.includes(body.job.status), 400)
    expect(body.job).toMatchObject({ status: 'succeeded' })
    for (const name of names) expect(readFileSync(join(tmp, 'to', name), 'utf8'), name).toBe('new')
    expect(readFileSync(join(tmp, 'to/d/kept'), 'utf8')).toBe('old')
    expect(readdirSync(join(dir, 'host/home/alice/.panel/work'))).toEqual([])
  },
)
