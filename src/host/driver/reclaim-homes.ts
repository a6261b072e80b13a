import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { HomeAccess } from '../homes/access.ts'
import { manifestFolder, readManifest } from '../install/manifest.ts'
import { Tree } from '../install/tree.ts'

/** Lets idle processes of homes end, rather than have one of each account. */
const PAUSE_BETWEEN_HOMES_MS = 500
/** There once every home has been looked through. */
const done = 'var/lib/panel-host/reclaimed'

/**
 * Once after an upgrade, in the background: gives back what earlier versions made root's in homes. A home that fails
 * holds up no other, and is tried again at the next start.
 */
export async function reclaimHomes(root: string, homes: HomeAccess, signal: AbortSignal): Promise<void> {
  if (existsSync(join(root, done))) return
  let failed = false
  for (const account of accountsAt(root)) {
    await pause(PAUSE_BETWEEN_HOMES_MS, undefined, { signal, ref: false })
    await homes.reclaim(account, signal).catch(() => {
      failed = true
    })
  }
  if (!failed) writeFileSync(join(root, done), '', { mode: 0o600 })
}

function accountsAt(root: string) {
  const folder = join(root, manifestFolder)
  const names = existsSync(folder) ? readdirSync(folder) : []
  const ids = names.flatMap((name) => /^([0-9A-Z]{26})\.json$/.exec(name)?.[1] ?? [])
  return ids.flatMap((id) => readManifest(new Tree(root), id) ?? [])
}
