import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { ended, ensureServerBuilt, environment, root } from './run.ts'
import { ask, scratchFolder, startServer } from './server.ts'

const block = /<!-- session -->\n+```console\n([\s\S]*?)```\n+<!-- \/session -->/

test('the session in the README is the recorded tour', async () => {
  const { steps, typed } = await import(pathToFileURL(join(root, 'bin/tour.mjs')).href)
  const session = block.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  const lines = session.split('\n')
  expect(
    lines.filter((line) => line.startsWith('$ ')),
    'npm run docs:session',
  ).toEqual(steps.map(typed))
  expect(lines.filter((line) => stripVTControlCharacters(line) !== line || line.length > 100)).toEqual([])
})

test('the tour runs on its own server, whatever is saved or exported', { timeout: 60_000 }, async () => {
  ensureServerBuilt()
  const [dataDir, config] = [scratchFolder(), scratchFolder()]
  const { socket, url } = await startServer(dataDir)
  const made = await ask(socket, 'POST', '/api/v1/tokens', { name: 'x', scopes: ['full-access'] })
  const env = environment({
    XDG_CONFIG_HOME: config,
    PANEL_DATA_DIR: dataDir,
    PANEL_CACERT: join(dataDir, 'tls/cert.pem'),
  })
  const run = (...words: string[]) => ended(spawn(process.execPath, words, { env, cwd: root }))
  const login = spawn(process.execPath, ['bin/panel.js', 'login', url, '--context', 'prod', '--token-stdin'], {
    env,
    cwd: root,
  })
  login.stdin.end(made.body.secret)
  expect((await ended(login)).code).toBe(0)

  const { code, stdout, stderr } = await run('bin/tour.mjs')
  expect({ code, stderr: stderr.includes('error') }).toEqual({ code: 0, stderr: false })
  expect(stdout).toContain('$ panel accounts terminate alice --yes')
  expect((await ask(socket, 'GET', '/api/v1/events')).body.items).toEqual([])
})
