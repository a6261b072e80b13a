import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'

/** The tests' Litestream; undefined if there is none for this machine. */
export const litestream: string | undefined = found()

function found(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const folder = dirname(require.resolve(`@flydotio/litestream-${platform()}-${arch()}/package.json`))
    const program = join(folder, 'litestream')
    accessSync(program, constants.X_OK)
    return program
  } catch {
    return undefined
  }
}
