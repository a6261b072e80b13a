import { existsSync, readFileSync } from 'node:fs'

/** The folder of the package, wherever the bundler put this file. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder)
  return folder
}

export const version = (): string =>
  (JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8')) as { version: string }).version
