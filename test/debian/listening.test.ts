import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Listening, mariadbRestart } from '../../src/host/debian/db/listening.ts'
import { PendingReloads } from '../../src/host/debian/pending-reloads.ts'
import { Reloads } from '../../src/host/debian/reloads.ts'
import { tempDir } from '../host/helpers.ts'

const folder = 'etc/mysql/mariadb.conf.d'

function bench(restart: () => Promise<string>) {
  const root = `${tempDir()}/`
  const reloads = new Reloads([mariadbRestart(restart)], new PendingReloads(join(root, 'owed')))
  return { root, file: join(root, folder, '91-panel-listen.cnf'), reloads, listening: new Listening(reloads, root) }
}

test("a change of MariaDB's address restarts it once, and no change does not", async () => {
  let restarts = 0
  const { root, file, listening } = bench(async () => String(++restarts))
  mkdirSync(join(root, folder), { recursive: true })
  await Promise.all([listening.set(false), listening.set(false)])
  expect(readFileSync(file, 'utf8')).toBe('[mariadbd]\nbind-address = 127.0.0.1\n')
  await listening.set(true)
  expect(readFileSync(file, 'utf8')).toBe('[mariadbd]\nbind-address = *\n')
  expect([restarts, statSync(file).mode & 0o777]).toEqual([2, 0o644])
})

test('a failed restart is retried until it succeeds', async () => {
  let fails = true
  let restarts = 0
  const { root, reloads, listening } = bench(async () => {
    if (fails) throw new Error('MariaDB does not start.')
    return String(++restarts)
  })
  mkdirSync(join(root, folder), { recursive: true })
  await expect(listening.set(true)).rejects.toThrow('MariaDB does not start.')
  await expect(reloads.settle([])).rejects.toThrow('MariaDB does not start.')
  fails = false
  await reloads.settle([])
  await reloads.settle([])
  expect(restarts).toBe(1)
})

test('writes nothing without MariaDB', async () => {
  const { root, listening } = bench(() => Promise.reject(new Error('It was restarted.')))
  await listening.set(true)
  expect(existsSync(join(root, 'etc'))).toBe(false)
})
