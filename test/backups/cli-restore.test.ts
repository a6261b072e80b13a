import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasScript, typed } from '../cli/pty.ts'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-restore-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

test.runIf(hasScript)('a restore says what it will replace before it asks', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const env = { XDG_CONFIG_HOME: home }
  const panel = (line: string) => inProcess([...line.split(' '), '--data-dir', server.dir], env)
  await panel('accounts create alice --domain alice.example -q')
  const site = join(server.dir, 'host/home/alice/sites/alice.example')
  mkdirSync(site, { recursive: true })
  const page = join(site, 'index.html')
  writeFileSync(page, 'saved')
  const { id } = JSON.parse((await panel('backups create -a alice -o json')).stdout)
  writeFileSync(page, 'since')
  const asks = (more: string, answer: string) =>
    typed(`backups restore ${id} -a alice ${more} --data-dir ${server.dir}`, env, [['(y/N)', answer]])

  const refused = await asks('', 'n\r')
  expect([refused.code, readFileSync(page, 'utf8')]).toEqual([1, 'since'])
  const lines = refused.text.split('\n').map((line) => line.replaceAll(/\d+(\.\d+)? k?B/g, 'SIZE').trimEnd())
  expect(lines[0]).toMatch(
    /^This replaces the current data of alice with the backup from 2\d{3}-\d\d-\d\d \d\d:\d\d UTC \(.+\):$/,
  )
  expect(lines.slice(1, 6).map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ['config', '1 file, SIZE', expect.stringContaining('what came since stays')],
    ['dns', '1 file, SIZE', expect.stringContaining('the records of each zone')],
    ['mail', expect.stringMatching(/^\d+ files?, SIZE$/), 'all mail'],
    ['files', expect.stringMatching(/^\d+ files?, SIZE$/), expect.stringContaining('later changes are lost')],
    [],
  ])
  expect(refused.text).toContain('in a safety backup that is kept for 7 days')

  const chosen = await asks('--paths sites/alice.example --to before --no-safety', 'y\r')
  expect([chosen.code, readFileSync(page, 'utf8')]).toEqual([0, 'since'])
  expect(chosen.text).toMatch(/ files {3}sites\/alice\.example, into before\n/)
  expect(chosen.text).toContain('No safety backup is made: what is replaced is gone.')
  const restored = join(server.dir, 'host/home/alice/before/sites/alice.example/index.html')
  expect(readFileSync(restored, 'utf8')).toBe('saved')
})
