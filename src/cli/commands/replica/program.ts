import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { exit } from '../../../shared/exit.ts'
import { CliError } from '../../errors.ts'

/** A dollar sign in a secret or a path is one, and no variable of the environment. */
export const asWritten = '-no-expand-env'

/** The Litestream that the administrator installed. */
export function programOf(provided: string | undefined): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const places = provided === undefined ? folders.map((folder) => join(folder, 'litestream')) : [resolve(provided)]
  const found = places.find(isProgram)
  if (found) return found
  throw new CliError(exit.error, {
    type: 'panel:problems/no-litestream',
    title: provided ? `${provided} is not a program` : 'Litestream is not installed',
    hint: 'install it from https://litestream.io/install, or name it with --program',
  })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
