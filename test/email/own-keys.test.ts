import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ensureServerBuilt, inProcess, root } from '../cli/run.ts'
import { scratchFolder, startServer } from '../cli/server.ts'
import { makeReadyKeys, readyKeys } from '../ready-keys.ts'

beforeAll(ensureServerBuilt)
beforeAll(() => makeReadyKeys(root))

/** The other tests' servers have ready ones. */
test('the shipped server makes the keys that it signs mail with', { timeout: 60_000 }, async () => {
  const dir = scratchFolder()
  await startServer(dir)
  const panel = (line: string) => inProcess([...line.split(' '), '--data-dir', dir])
  expect((await panel('accounts create alice --domain alice.example -q')).code).toBe(0)
  const { stdout } = await panel('email domains show alice.example -o json')
  expect(JSON.parse(stdout)).toMatchObject({ dkim_enabled: true, dkim_selector: 'panel1' })
  const pem = readFileSync(join(dir, 'host/etc/panel/mail/dkim.d/alice/alice.example.panel1.pem'), 'utf8')
  expect(createPrivateKey(pem).asymmetricKeyDetails?.modulusLength).toBe(2048)
  const ready = await Promise.all(Array.from({ length: 4 }, readyKeys().make))
  expect(ready.map(({ privatePem }) => privatePem)).not.toContain(pem)
})
