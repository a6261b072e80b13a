import { describe, expect, test } from 'vitest'
import { readCommand } from '../../../src/host/agent/service/requests.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { account, bench, server, snapshot } from '../helpers.ts'
import { orderOf, unitOf } from './fixtures.ts'

const order = orderOf(1, { kind: 'git', url: 'https://git.example/x', address: '192.0.2.1' })
const git = order.source

/** How an agent parses a command. */
const validated = (input: object) => () =>
  readCommand({ type: 'command', id: 1, node: 'local', command: 'deployApp', input }, 'local')

describe('deploy command', () => {
  test('accepts a deploy command as the panel sends it', () => {
    expect(validated(order)).not.toThrow()
    expect(validated({ ...order, source: { ...git, ref: 'v1', username: 'a', password: 'p ä' } })).not.toThrow()
    expect(validated({ ...order, source: { kind: 'retained' }, install: 'npm ci', root: 'a/b', room: 5 })).not.toThrow()
  })

  const odd: Record<string, object> = {
    'an address that is a name': { source: { ...git, address: 'git.example' } },
    'a ref that is an option': { source: { ...git, ref: '--upload-pack=x' } },
    'a ref that goes up': { source: { ...git, ref: 'a/../b' } },
    'a password of two lines': { source: { ...git, password: 'a\npath=x' } },
    'a username of two lines': { source: { ...git, username: 'a\nhost=x' } },
    'a key that is not one': { source: { ...git, deployKey: 'ProxyCommand x' } },
    'a host key of two': { source: { ...git, hostKey: 'ssh-ed25519 AAAA\nother ssh-rsa AAAA' } },
    'an unknown source': { source: { kind: 'path', path: '/etc' } },
    'an upload elsewhere': { source: { kind: 'upload', id: '../../x', size: 1 } },
    'a command of two lines': { build: 'a\nb' },
    'a root above': { root: '../x' },
    'an absolute root': { root: '/etc' },
    'release 0': { release: 0 },
    'a release that is a path': { release: '../1' },
    'a name that is a path': { app: { ...order.app, name: '../x' } },
    'an environment for the loader': { app: { ...order.app, env: { LD_PRELOAD: '/tmp/x.so' } } },
    'an environment with PORT': { app: { ...order.app, env: { PORT: '1' } } },
    'an environment with PANEL_RUN': { app: { ...order.app, env: { PANEL_RUN: 'x' } } },
    'an environment name with =': { app: { ...order.app, env: { 'A=B': 'x' } } },
    'an environment value with NUL': { app: { ...order.app, env: { A: 'x\0y' } } },
    'a health path elsewhere': { app: { ...order.app, healthPath: 'http://x/' } },
    'a health path of two lines': { app: { ...order.app, healthPath: '/\r\nx: y' } },
    'a host of two lines': { app: { ...order.app, host: 'a\r\nx: y' } },
    'a field of a newer panel': { sandbox: true },
  }

  test.each(Object.entries(odd))('refuses a deploy command with %s', (_, over) => {
    expect(validated({ ...order, ...over })).toThrow()
  })
})

describe('state of apps', () => {
  test.each([
    ['a name that is a path', unitOf({ name: '../x' })],
    ['a root above', unitOf({ root: 'a/../..' })],
    ['a port of another', unitOf({ port: 80 })],
    ['an environment for the loader', unitOf({ env: { LD_LIBRARY_PATH: '/tmp' } })],
    ['a start of two lines', unitOf({ start: 'a\nb' })],
  ])('refuses a state with %s, and writes nothing', async (_, unit) => {
    const { root } = bench()
    const driver = createDirectoryDriver({ root })
    await driver.apply({ server, accounts: [account()] })
    const before = snapshot(root)
    const bad = account({ parts: { apps: { apps: [unit], gone: [] } } })
    await expect(driver.apply({ server, accounts: [bad] })).rejects.toThrow()
    expect(snapshot(root)).toEqual(before)
  })
})
