import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { noShell } from '../../contract/accounts.ts'
import { Problem } from '../../contract/problem.ts'
import { servicePorts } from '../../contract/service-ports.ts'
import type * as declared from '../../contract/ssh.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { type FullAccount, fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'
import { opens } from './host.ts'
import { fingerprintOf, type PublicKey, readPublicKey } from './key/read.ts'
import { addKey, countKeys, keysOf, keyWith, removeKey, setEnabled, toKey } from './store.ts'
import type { SshKeyRow } from './tables.ts'

interface HostKey {
  readonly type: string
  readonly fingerprint: string
}

/** The host keys of this machine's SSH server, if it has one. */
export function hostKeys(folder = '/etc/ssh'): HostKey[] {
  const names = namesIn(folder).filter((name) => /^ssh_host_\w+_key\.pub$/.test(name))
  return names.sort().flatMap((name) => {
    const [type, blob] = readFileSync(join(folder, name), 'utf8').split(' ')
    return type && blob ? [{ type, fingerprint: fingerprintOf(Buffer.from(blob, 'base64')) }] : []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export const maxKeys = 50

const toSsh = ({ db, runtime }: Context, account: FullAccount): z.infer<typeof declared.Ssh> => ({
  enabled: opens(db, account),
  shell: account.shell,
  host: runtime.hostname,
  port: servicePorts.ssh,
  host_keys: hostOf(runtime).kind === 'debian' ? hostKeys() : [],
})

const getSsh: Handler<typeof declared.getSsh> = { handle: (ctx) => toSsh(ctx, fullAccount(ctx)) }

const updateSsh: Handler<typeof declared.updateSsh> = {
  handle(ctx, { body: { enabled } }) {
    const account = fullAccount(ctx)
    if (enabled && account.shell === noShell)
      throw new Problem('not-configured', `The shell of ${account.username} is nologin: give it a login shell first.`)
    ctx.note({ account, object_id: account.id, before: { enabled: opens(ctx.db, account) }, after: { enabled } })
    setEnabled(ctx, account.id, enabled)
    return { ssh: toSsh(ctx, account), job_id: enqueueApply(ctx) }
  },
}

const listSshKeys: Handler<typeof declared.listSshKeys> = {
  handle: (ctx) => ({ items: keysOf(ctx.db, ctx.found.account.id).map(toKey) }),
}

const addSshKey: Handler<typeof declared.addSshKey> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const key = readPublicKey(body.public_key)
    refuseOneMore(ctx, account.id, key)
    const { name } = body
    const made = { id: ctx.id(), account_id: account.id, name, ...key, applied: false, created_at: ctx.now }
    addKey(ctx, made)
    ctx.note({ account, object_id: made.id, after: noted(made) })
    return { key: toKey(made), job_id: enqueueApply(ctx) }
  },
}

function refuseOneMore({ db }: Context, account: string, { blob }: PublicKey): void {
  const same = keyWith(db, account, blob)
  if (same) {
    const message = `is the account's key ${same.name} already`
    throw new Problem('exists', `The key ${message}.`, { public_key: message })
  }
  if (countKeys(db, account) >= maxKeys)
    throw new Problem('too-many', `The account has ${maxKeys} SSH keys, which is the most.`)
}

const deleteSshKey: Handler<typeof declared.deleteSshKey> = {
  handle(ctx) {
    const { account, key } = ctx.found
    removeKey(ctx, key.id)
    ctx.note({ account, object_id: key.id, before: noted(key) })
    return { key: toKey(key), job_id: enqueueApply(ctx) }
  },
}

const noted = ({ name, type, fingerprint }: SshKeyRow) => ({ name, type, fingerprint })

const enqueueApply = (ctx: Context & { readonly found: { readonly account: FoundAccount } }): string =>
  ctx.enqueue({ kind: 'ssh.apply', account: ctx.found.account })

export const sshOperations = { getSsh, updateSsh, listSshKeys, addSshKey, deleteSshKey }
