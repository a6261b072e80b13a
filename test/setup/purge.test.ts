import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { purgeBackups } from '../../src/host/setup/purge.ts'
import { inProcess } from '../cli/run.ts'
import { tempDir } from '../host/helpers.ts'
import { has } from './context.ts'

test('backups are removed with consent, and nothing else is', async () => {
  const root = tempDir()
  has(root, 'var/lib/panel-host/backups/01A/one/files.tar.zst')
  has(root, 'var/lib/panel-host/manifest/01A.json')
  await expect(purgeBackups(async () => false, root)).rejects.toThrow('Nothing was removed.')
  expect(existsSync(`${root}/var/lib/panel-host/backups/01A/one`)).toBe(true)
  expect(await purgeBackups(async (count) => count === 1, root)).toEqual(['01A'])
  expect(readdirSync(`${root}/var/lib/panel-host`)).toEqual(['manifest'])
  expect(await purgeBackups(async () => true, root)).toEqual([])
})

test('they stay while an agent keeps them', async () => {
  const root = tempDir()
  has(root, 'var/lib/panel-host/backups/01A/x')
  has(root, 'run/panel/x')
  const agent = createServer()
  await new Promise<void>((resolve) => agent.listen(`${root}/run/panel/host.sock`, resolve))
  onTestFinished(() => void agent.close())
  await expect(purgeBackups(async () => true, root)).rejects.toMatchObject({ hint: 'systemctl stop panel panel-host' })
})

test('what to remove must be named', async () => {
  expect(await inProcess(['host', 'purge', '--yes'])).toMatchObject({ code: 6 })
})
