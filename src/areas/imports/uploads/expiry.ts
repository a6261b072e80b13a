import { eq } from 'drizzle-orm'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hour } from '../../../shared/time.ts'
import { imports, importUploads } from '../tables.ts'
import { sweep } from './files.ts'

/** Removes archives of uploads that have expired, and of imports that are done with them. */
export function expireUploads(runtime: Runtime): Engine {
  const stop = every(runtime, 6 * hour, 'old uploads of archives could not be removed', () =>
    sweep(runtime, (id) => isUsed(runtime, id)),
  )
  return { stop }
}

function isUsed({ store: { db }, clock }: Runtime, id: string): boolean {
  const upload = db.select().from(importUploads).where(eq(importUploads.id, id)).get()
  if (upload && upload.expires_at > clock.now()) return true
  return db.select({ id: imports.id }).from(imports).where(eq(imports.upload_id, id)).get() !== undefined
}
