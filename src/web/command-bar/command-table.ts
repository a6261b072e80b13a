import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '../../shared/commands.ts'
import { packageRoot } from '../../shared/package-root.ts'

let table: Table | undefined

/** The command table that the build generated from the contract; loaded when a screen first needs it. */
export function commandTable(): Table {
  table ??= JSON.parse(readFileSync(join(packageRoot(), 'dist/table/all.json'), 'utf8')) as Table
  return table
}
