import type { ImportOptions } from '../../../contract/imports.ts'
import type { ImportSource } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Report } from './report.ts'

/** Of one import: what is planned, and everything that decides it. */
export interface Planning {
  readonly ctx: Context
  readonly source: ImportSource
  readonly options: ImportOptions
  readonly owner: string
  readonly report: Report
}

/** Whether a part of the archive is left out. */
export const skips = ({ options }: Planning, part: NonNullable<ImportOptions['skip']>[number]): boolean =>
  options.skip?.includes(part) ?? false

type MapName = keyof NonNullable<ImportOptions['map']>

/** The new name of an object: the same, another, or null for one that is left out. */
export function mapped({ options }: Pick<Planning, 'options'>, kind: MapName, name: string): string | null {
  const names = options.map?.[kind] ?? {}
  return Object.hasOwn(names, name) ? names[name]! : name
}

/** A name to map that the archive lacks is a mistake that would go unnoticed. */
export function refuseUnmapped({ options, report }: Planning, kind: MapName, names: readonly string[]): void {
  const known = new Set(names)
  const part = kind === 'domains' ? 'domains' : kind === 'mailboxes' ? 'mail' : kind === 'ips' ? 'dns' : 'mysql'
  for (const name of Object.keys(options.map?.[kind] ?? {}))
    if (!known.has(name)) report.add(part, name, 'conflict', `map.${kind} names it, but the archive has no such name`)
}
