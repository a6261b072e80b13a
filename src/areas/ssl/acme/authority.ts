import type { KeyObject } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { exchange } from '../../../outgoing/exchange.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { newKey } from '../key.ts'
import { openKey, purposes, sealKey } from '../sealed.ts'
import { directoryOf } from '../settings.ts'
import { AcmeClient } from './client.ts'
import { AcmeError } from './error.ts'
import { acmeAccounts } from './tables.ts'

export interface Authority {
  readonly client: AcmeClient
  readonly accountKey: KeyObject
}

/** The configured authority, with the server's account there. */
export async function openAuthority(runtime: Runtime, signal: AbortSignal): Promise<Authority> {
  const { db } = runtime.store
  const directory = directoryOf(db)
  if (directory === undefined)
    throw new AcmeError('This server has no certificate authority: acme_directory_url is not set')
  const key = await accountKey(runtime, directory)
  const contact = getSetting(db, 'acme_contact_email') ?? undefined
  const ca = getSetting(db, 'acme_ca') ?? undefined
  const now = () => runtime.clock.now()
  const client = new AcmeClient({ directory, contact, key, ca, signal, exchange, now })
  await client.open()
  return { client, accountKey: key }
}

/** The key of the server's account at an authority, created on first use. */
async function accountKey(runtime: Runtime, directory: string): Promise<KeyObject> {
  const sealed = keyAt(runtime, directory) ?? (await keepNew(runtime, directory))
  return openKey(runtime, purposes.acme, sealed)
}

const keyAt = ({ store }: Runtime, directory: string): string | undefined =>
  store.db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory)).get()?.private_key

/** If two are created concurrently, the first is kept. */
async function keepNew(runtime: Runtime, directory: string): Promise<string> {
  const key = await newKey('ec-p256')
  return runtime.store.change(() => {
    const private_key = sealKey(runtime, purposes.acme, key)
    const row = { directory, private_key, created_at: runtime.clock.now() }
    runtime.store.db.insert(acmeAccounts).values(row).onConflictDoNothing().run()
    return keyAt(runtime, directory)!
  })
}
