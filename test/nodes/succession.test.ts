import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ensureServerBuilt, panel } from '../cli/run.ts'
import { ask, type Served, scratchFolder, startServer } from '../cli/server.ts'
import { lineOf } from './joined.ts'
import { freePort, startNode } from './processes.ts'

const api = (served: Served, method: string, path: string, body?: object) =>
  ask(served.socket, method, `/api/v1${path}`, body)

const until = (is: () => Promise<unknown>, expected: unknown) => expect.poll(is).toEqual(expected)

const create = async (served: Served, username: string, node: string): Promise<void> => {
  const { body } = await api(served, 'POST', '/accounts', { username, domain: `${username}.example`, node })
  await until(async () => (await api(served, 'GET', `/jobs/${body.job_id}`)).body.job?.status, 'succeeded')
}

const activeNodes = async (served: Served) =>
  (await api(served, 'GET', '/nodes?per_page=100')).body.items.filter(
    ({ state }: { state: string }) => state === 'active',
  )

/** Joins a machine with its line. */
async function enrol(served: Served, dir: string, name: string): Promise<string> {
  const { join_line } = (await api(served, 'POST', '/nodes', { name })).body
  const [, , ...words] = join_line.split(' | ')[1].split(' ')
  const root = join(dir, name)
  const { code, stderr } = await panel(['host', ...words, '--root', root], { input: `${lineOf(join_line).secret}\n` })
  expect(code, stderr).toBe(0)
  startNode(root)
  return root
}

test('nodes find the server that takes over at the next address of their list, and lose nothing', {
  timeout: 60_000,
}, async () => {
  ensureServerBuilt()
  const dir = scratchFolder()
  const [first, second] = [await freePort(), await freePort()]
  const [oldDir, newDir] = [join(dir, 'old'), join(dir, 'new')]
  const old = await startServer(oldDir, ['--node-port', String(first)])
  const control_addresses = [`127.0.0.1:${first}`, `127.0.0.1:${second}`]
  expect((await api(old, 'PATCH', '/settings', { control_addresses })).status).toBe(200)
  const root = await enrol(old, dir, 'web2')
  await until(async () => (await activeNodes(old)).length, 2)
  await create(old, 'kept', 'web2')
  const copy = join(scratchFolder(), 'panel.db')
  const sqlite = new Database(join(oldDir, 'panel.db'), { readonly: true })
  await sqlite.backup(copy)
  sqlite.close()
  copyFileSync(join(oldDir, 'secret.key'), join(copy, '../secret.key'))
  await create(old, 'lost', 'web2')
  await old.stop('SIGKILL')

  const taken = await panel(['takeover', copy, '--data-dir', newDir, '--no-start'])
  expect(taken.code, taken.stderr).toBe(0)
  const next = await startServer(newDir, ['--node-port', String(second)])
  await until(async () => (await activeNodes(next)).length, 2)
  await until(async () => (await api(next, 'GET', '/jobs?kind=host.apply&status=succeeded')).body.total, 2)
  const web2 = (await activeNodes(next)).find(({ name }: { name: string }) => name === 'web2')
  const orphans = (await api(next, 'GET', `/nodes/${web2.id}/orphans`)).body.items
  expect(orphans.map(({ username }: { username: string }) => username)).toEqual(['lost'])
  // What no account owns reaches the new machine with its first account.
  const { differences } = (await api(next, 'GET', '/host/diff')).body
  expect(differences.filter(({ account_id }: { account_id?: string }) => account_id)).toEqual([])
  for (const name of ['kept', 'lost']) expect(existsSync(join(root, 'home', name))).toBe(true)
  await create(next, 'after', 'web2')

  const back = await startServer(oldDir, ['--node-port', String(first)])
  await next.stop('SIGKILL')
  const change = async () => (await api(back, 'POST', '/packages', { name: `late${Date.now()}` })).status
  await until(change, 503)
  expect((await api(back, 'GET', '/jobs?status=running')).body.total).toBe(0)
  expect(existsSync(join(root, 'home/after'))).toBe(true)
})
