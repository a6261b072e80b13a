import { isDeepStrictEqual } from 'node:util'
import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type InstalledPhp, phpEndOfLife } from '../../contract/php.ts'
import { Problem } from '../../contract/problem.ts'
import type { PhpVersion } from '../../host/contract/driver.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { type PhpVersionRow, phpVersions } from './tables.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Null: that of Debian. */
    default_php_version: string | null
    /** 0: the programs of sites never end. */
    site_idle_minutes: number
  }
}

export const DEFAULT_IDLE_MINUTES = 10

const queries = prepared((db: Db) => ({
  ofNode: db
    .select()
    .from(phpVersions)
    .where(eq(phpVersions.node, sql.placeholder('node')))
    .prepare(),
}))

const numbersOf = (version: string): number[] => version.split('.').map(Number)

/** 8.10 comes after 8.9. */
export function compareVersions(a: string, b: string): number {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [numbersOf(a), numbersOf(b)]
  return major - otherMajor || minor - otherMinor
}

/** The versions that a node has, oldest first; none until it has said. */
export const installedPhp = (db: Db, node: string): PhpVersionRow[] =>
  queries(db)
    .ofNode.all({ node })
    .sort((a, b) => compareVersions(a.version, b.version))

/** What domains without a version have on a node: the setting if it is installed there, else Debian's own. */
export function defaultPhp(db: Db, node: string): string | undefined {
  const installed = installedPhp(db, node)
  const setting = getSetting(db, 'default_php_version')
  if (installed.some(({ version }) => version === setting)) return setting ?? undefined
  return installed.find(({ is_default }) => is_default)?.version
}

/** In words, for a version that is not among them. */
export function whyNotInstalled(db: Db, node: string, version: string): string | undefined {
  const installed = installedPhp(db, node).map((one) => one.version)
  if (installed.includes(version)) return undefined
  return installed.length === 0
    ? 'is not known to be installed: the host has not reported its versions yet'
    : `is not installed; installed: ${installed.join(', ')}`
}

/** 409 `not-configured` for the first version that a node lacks. */
export function refuseMissingPhp(db: Db, node: string, versions: readonly string[]): void {
  const missing = versions.find((version) => whyNotInstalled(db, node, version) !== undefined)
  if (missing === undefined) return
  throw new Problem('not-configured', `PHP ${missing} is not installed on ${node}: panel host setup --php ${missing}`)
}

/** Stores what a node reported, if that is new. */
export async function storeReport(store: Store, node: string, reported: readonly PhpVersion[]): Promise<void> {
  const rows = reported
    .map(({ version, default: is_default, extensions }) => ({ node, version, is_default, extensions: [...extensions] }))
    .sort((a, b) => compareVersions(a.version, b.version))
  if (isDeepStrictEqual(rows, installedPhp(store.db, node))) return
  await store.change(() => {
    store.db.delete(phpVersions).where(eq(phpVersions.node, node)).run()
    if (rows.length > 0) store.db.insert(phpVersions).values(rows).run()
  })
}

/** As the API shows them. */
export const phpView = (db: Db, node: string): z.infer<typeof InstalledPhp>[] =>
  installedPhp(db, node).map(({ version, is_default, extensions }) => {
    const end_of_life = phpEndOfLife[version]
    return { version, default: is_default, ...(end_of_life && { end_of_life }), extensions: [...extensions] }
  })
