import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Kill } from '../faults/main.ts'
import { newDirectory, type Served, start } from '../faults/process.ts'
import type { Json } from '../harness.ts'
import { fill } from './fixtures.ts'

const ended = (server: Served, job: string): Promise<Json> =>
  server
    .until(`/jobs/${job}`, ({ body }) => ['succeeded', 'failed', 'cancelled'].includes(body.job.status), 400)
    .then(({ body }) => body.job)

/** A server in its own process, with its agent in another, and an account with files. */
async function withFiles() {
  const dir = newDirectory()
  const server = await start(dir)
  const { account, job_id } = (await server.ask('POST', '/accounts', { username: 'alice', domain: 'alice.example' }))!
    .body
  await ended(server, job_id)
  const home = join(dir, 'host/home/alice')
  fill(home)
  return { dir, server, home, path: `/accounts/${account.id}/backups`, folder: join(dir, 'backups', account.id) }
}

/** Continues with the same server, or with another if it was killed. */
async function goOn(server: Served, dir: string, { victim }: Pick<Kill, 'victim'>): Promise<Served> {
  if (victim === 'agent') return server
  expect(await server.ended).toBe('SIGKILL')
  return start(dir)
}

const visible = ({ items }: Json): string[] => items.map(({ kind, status }: Json) => `${kind} ${status}`)

test.each<Kill>([
  { point: 'backup-part', after: 0, victim: 'agent' },
  { point: 'backup-part', after: 1 },
  { point: 'backup-named', after: 0 },
])('kill -9 during a backup (%o): it starts over, and is complete', async (kill) => {
  const { dir, server, path, folder } = await withFiles()
  await server.arm(kill)
  const { backup, job_id } = (await server.ask('POST', path, {}))!.body
  const next = await goOn(server, dir, kill)
  expect((await ended(next, job_id)).status).toBe('succeeded')
  expect(readdirSync(folder)).toEqual([backup.id])
  const check = (await next.ask('POST', `${path}/${backup.id}/check`))!.body
  await ended(next, check.job_id)
  expect(visible((await next.ask('GET', path))!.body)).toEqual(['manual complete'])
})

test.each<Kill>([
  { point: 'restore-unpacked', after: 0, victim: 'agent' },
  { point: 'restore-out', after: 1 },
  { point: 'restore-in', after: 0 },
  { point: 'restore-in', after: 1, victim: 'agent' },
  { point: 'restore-done', after: 0 },
])('kill -9 while files are restored (%o): the home is as saved, with one safety backup', async (kill) => {
  const { dir, server, home, path } = await withFiles()
  const made = (await server.ask('POST', path, { parts: ['files'] }))!.body
  await ended(server, made.job_id)
  const copy = join(dir, 'copy')
  execFileSync('cp', ['-a', home, copy])
  writeFileSync(join(home, 'sites/large.bin'), 'small')
  rmSync(join(home, 'sites/run.sh'))
  mkdirSync(join(home, 'added/deep'), { recursive: true })
  await server.arm(kill)
  const { job_id } = (await server.ask('POST', `${path}/${made.backup.id}/restore`, {}))!.body
  const next = await goOn(server, dir, kill)
  expect((await ended(next, job_id)).status).toBe('succeeded')
  execFileSync('diff', ['-r', '--no-dereference', home, copy])
  expect(visible((await next.ask('GET', path))!.body)).toEqual(['manual complete', 'safety complete'])
  expect(existsSync(join(home, `restore-${made.backup.id}`))).toBe(false)
})
