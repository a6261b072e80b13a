import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type PanelOptions, startPanel } from '../harness.ts'

/** Whether this machine has OpenSSH's own judge of keys. */
export const hasKeygen = existsSync('/usr/bin/ssh-keygen')

/** A new OpenSSH key: its public line, its private key, and its fingerprint. */
export function keygen(...args: string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'panel-ssh-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'id')
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'alice on her laptop', '-f', file, ...args])
  const visible = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' })
  return {
    line: readFileSync(`${file}.pub`, 'utf8'),
    secret: readFileSync(file, 'utf8'),
    fingerprint: visible.split(' ')[1]!,
    dir,
  }
}

/** A field of a blob, encoded as in RFC 4251. */
export function value(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return Buffer.concat([size, content])
}

/** A manually built key line. */
export const lineOf = (type: string, ...values: (Buffer | string)[]) =>
  `${type} ${Buffer.concat([type, ...values].map(value)).toString('base64')}`

/** An Ed25519 key derived from a number. */
export const keyOf = (number: number) => lineOf('ssh-ed25519', Buffer.alloc(32, number))

/** A panel with the account alice, who has a login shell, and helpers for her SSH access. */
export async function withAlice(fields: Record<string, unknown> = { shell: '/bin/bash' }, options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice', fields)
  const path = `/accounts/${alice.id}/ssh`
  const file = (name: string) => join(panel.dir, 'host/etc/panel/ssh/keys', name)
  return {
    panel,
    alice,
    path,
    add: (public_key: string, name = 'laptop') => panel.post(`${path}/keys`, { name, public_key }),
    enable: (enabled = true) => panel.patch(path, { enabled }),
    keys: async () => (await panel.get(`${path}/keys`)).body.items,
    /** The lines that sshd reads for a user; none if it has no file. */
    onHost: (name = 'alice') =>
      existsSync(file(name)) ? readFileSync(file(name), 'utf8').trimEnd().split('\n') : undefined,
  }
}
