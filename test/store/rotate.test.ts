import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rotateSecret } from '../../src/server/upkeep.ts'
import { keyId, keysIn } from '../../src/shared/keys.ts'
import { type Json, TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'

const password = 'correct horse battery'
const login = { username: 'alice', password }
const first = Buffer.alloc(32, 7)

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-rotate-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'secret.key'), first, { mode: 0o600 })
  return dir
}

/** The sealed values of a store, in plain text. */
interface Known {
  readonly dir: string
  readonly webhook: string
  readonly secrets: string[]
  readonly totp: string
  readonly recovery: string[]
}

/** A store with a webhook whose secret was renewed, and an account with a second factor. */
async function sealedStore(): Promise<Known> {
  const dir = place()
  const panel = await new TestPanel({ dir }).start()
  await panel.account('alice', { password })
  const { webhook, secret } = (await panel.post('/webhooks', { url: 'https://hooks.example/a' })).body
  const renewed = (await panel.post(`/webhooks/${webhook.id}/rotate-secret`, { grace_hours: 24 })).body
  const browser = new Browser(panel)
  await browser.post('/user/auth/login', login)
  const totp = (await browser.post('/user/auth/totp/setup')).body.secret
  const enabled = await browser.post('/user/auth/totp/enable', { code: codeOf(panel, totp) })
  expect(enabled.status).toBe(200)
  await panel.stop()
  return { dir, webhook: webhook.id, secrets: [renewed.secret, secret], totp, recovery: enabled.body.recovery_codes }
}

const codeOf = (panel: TestPanel, secret: string): string =>
  generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })

async function signIn(panel: TestPanel, code: string): Promise<Json> {
  const browser = new Browser(panel)
  expect((await browser.post('/user/auth/login', login)).body.mfa_required).toBe(true)
  return (await browser.post('/user/auth/login/totp', { code })).status
}

/** A panel on the directory can read everything that was sealed. */
async function expectReadable({ dir, webhook, secrets, totp, recovery }: Known): Promise<void> {
  const panel = new TestPanel({ dir })
  await panel.start()
  try {
    const row = panel.store.sqlite
      .prepare('SELECT secret, former_secret FROM webhooks WHERE id = ?')
      .get(webhook) as Json
    const opened = [row.secret, row.former_secret].map((one) => panel.panel.runtime.unseal('webhook secret', one))
    expect(opened).toEqual(secrets)
    await panel.clock.advance(60_000 * (11 - recovery.length))
    expect(await signIn(panel, codeOf(panel, totp))).toBe(200)
    expect(await signIn(panel, recovery.pop()!)).toBe(200)
  } finally {
    await panel.stop()
  }
}

/** No value refers to the key, in any table. */
function expectForgotten(dir: string, key: Buffer): void {
  const bytes = readFileSync(join(dir, 'panel.db'), 'latin1')
  expect(bytes).toContain(`v2.${keyId(keysIn(dir)[0]!)}.`)
  expect(bytes).not.toContain(`v2.${keyId(key)}.`)
}

/** Rotates in a separate process, which kills itself at a point; returns how it ended. */
async function rotateIn(dir: string, point: string): Promise<unknown> {
  const main = join(import.meta.dirname, 'rotate-main.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', main, dir, point], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  return signal ?? code
}

describe('change of secret.key', () => {
  test('encrypts everything with a new one, and leaves nothing under the old', async () => {
    const known = await sealedStore()
    expect(await rotateSecret(known.dir)).toBe(14)
    expect(readdirSync(known.dir)).not.toContain('secret.key.next')
    expect(statSync(join(known.dir, 'secret.key')).mode & 0o777).toBe(0o600)
    expect(keysIn(known.dir)[0]!.equals(first)).toBe(false)
    await expectReadable(known)
    expectForgotten(known.dir, first)
  })

  test.each(['key-written', 'before-commit', 'resealed', 'renamed'])(
    'leaves a store usable when killed at the point %s, and ends when it is run again',
    { timeout: 60_000 },
    async (point) => {
      const known = await sealedStore()
      expect(await rotateIn(known.dir, point)).toBe('SIGKILL')
      const pending = readdirSync(known.dir).includes('secret.key.next')
      expect(pending).toBe(point !== 'renamed')
      const next = keysIn(known.dir).at(-1)!
      await expectReadable(known)
      await rotateSecret(known.dir)
      expect(keysIn(known.dir)).toHaveLength(1)
      if (pending) expect(keysIn(known.dir)[0]!.equals(next)).toBe(true)
      await expectReadable(known)
      expectForgotten(known.dir, first)
    },
  )

  test('refuses a change while a server runs, without a store, and with a key that decrypts nothing', async () => {
    const empty = place()
    await expect(rotateSecret(empty)).rejects.toThrow('there is no panel.db')
    const known = await sealedStore()
    writeFileSync(join(known.dir, 'secret.key'), Buffer.alloc(32, 9))
    await expect(rotateSecret(known.dir)).rejects.toThrow(
      'certificates.private_key holds a value that cannot be decrypted',
    )
    expect(readdirSync(known.dir)).not.toContain('secret.key.next')
    writeFileSync(join(known.dir, 'secret.key'), first)
    await expectReadable(known)
  })
})
