import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'
import { keyOf } from './fixtures.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-ssh-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

test('manages SSH access on the command line', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const panel = (line: string, ...more: string[]) =>
    inProcess([...line.split(' '), ...more, '--data-dir', server.dir], { XDG_CONFIG_HOME: home })
  const succeeds = async (line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await panel(line, ...more)
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return stdout
  }
  await succeeds('accounts create alice --domain alice.example -q')
  expect(await panel('ssh update -a alice --enabled')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('nologin'),
  })
  await succeeds('accounts update alice --shell /bin/bash -q')
  await succeeds('ssh add-key laptop -a alice -q --public-key', `${keyOf(1)} alice@laptop\n`)
  const [heading, row] = (await succeeds('ssh keys -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['name', 'type', 'fingerprint', 'created_at'])
  expect(row).toMatch(/^laptop\tssh-ed25519\tSHA256:/)
  await succeeds('ssh update -a alice --enabled -q')
  expect(JSON.parse(await succeeds('ssh show -a alice -o json'))).toEqual({
    enabled: true,
    shell: '/bin/bash',
    host: 'localhost',
    port: 22,
    host_keys: [],
  })
  const refused = await panel('ssh add-key other -a alice --public-key', `from="*" ${keyOf(2)}`)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('without options before it')])
  await succeeds('ssh delete-key laptop -a alice --yes -q')
  expect(JSON.parse(await succeeds('ssh keys -a alice -o json'))).toEqual([])
})
