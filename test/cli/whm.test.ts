import { beforeAll, expect, test } from 'vitest'
import { ended, ensureBuilt, start } from './run.ts'
import { scratchFolder, startServer } from './server.ts'

beforeAll(() => ensureBuilt())

const run = (dir: string, ...words: string[]) => ended(start([...words, '--data-dir', dir]))

test('a token for a billing system is printed with the user and the address to paste', async () => {
  const dir = scratchFolder()
  await startServer(dir, ['--whm-port', '0'])
  const made = await run(dir, 'tokens', 'create', 'billing', '--for', 'whm', '-o', 'json')
  expect([made.code, made.stderr]).toEqual([0, ''])
  expect(JSON.parse(made.stdout)).toMatchObject({
    user: 'root',
    secret: expect.stringMatching(/^pnl_/),
    url: expect.stringMatching(/^https:\/\/localhost:\d+$/),
    token: { name: 'billing', scopes: ['accounts:write', 'packages:write'] },
  })
  const wide = await run(dir, 'tokens', 'create', 'resellers', '--for', 'whm-resellers')
  expect(wide.stdout).toMatch(/^user\tsecret\turl\nroot\tpnl_\w{40}\thttps:\/\/localhost:\d+\n$/)
  const scopes = await run(dir, 'tokens', 'list', '--columns', 'scopes', '--no-headers')
  expect(scopes.stdout).toBe('accounts:write,packages:write\naccounts:write,packages:write,server:write\n')
})

test('sets the scopes from the purpose of a token alone, which is one of two', async () => {
  const dir = scratchFolder()
  await startServer(dir)
  const both = await run(dir, 'tokens', 'create', 'billing', '--for', 'whm', '--scopes', 'full-access')
  expect([both.code, both.stdout]).toEqual([2, ''])
  expect(both.stderr).toContain('--scopes does not go together with --for')
  expect((await run(dir, 'tokens', 'create', 'billing', '--for', 'plesk')).code).toBe(2)
  expect((await run(dir, 'tokens', 'list', '-q')).stdout).toBe('')
  expect((await run(dir, 'whm', 'show', '--columns', 'enabled,user', '--no-headers')).stdout).toBe('false\troot\n')
})
