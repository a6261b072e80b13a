import { chmodSync, mkdirSync } from 'node:fs'
import type { Context } from '../target.ts'
import { type Contexts, contextsFolder, savedContexts } from './file.ts'

const fileMode = 0o600
const folderMode = 0o700

/** Saves a server under a name and makes it the current one. */
export async function saveContext(name: string, context: Context): Promise<void> {
  const { contexts } = savedContexts()
  await write({ current: name, contexts: { ...contexts, [name]: context } })
}

/** Renames a saved server. */
export async function renameContext(name: string, other: string): Promise<void> {
  const { current, contexts } = savedContexts()
  const renamed = Object.entries(contexts).map(([one, context]) => [one === name ? other : one, context])
  const chosen = current === name ? other : current
  await write({ contexts: Object.fromEntries(renamed), ...(chosen !== undefined && { current: chosen }) })
}

/** Makes a saved server the current one; without a name, the local socket. */
export async function useContext(name: string | undefined): Promise<void> {
  const { contexts } = savedContexts()
  await write({ contexts, ...(name !== undefined && { current: name }) })
}

export async function removeContext(name: string): Promise<void> {
  const { current, contexts } = savedContexts()
  const { [name]: _removed, ...rest } = contexts
  await write({ contexts: rest, ...(current !== undefined && current !== name && { current }) })
}

/** Written to a temporary file and renamed, so that a reader never sees half of it. */
async function write(saved: Contexts): Promise<void> {
  const cwd = contextsFolder()
  mkdirSync(cwd, { recursive: true, mode: folderMode })
  chmodSync(cwd, folderMode)
  const { default: Conf } = await import('conf')
  const conf = new Conf({ cwd, configName: 'contexts', configFileMode: fileMode, accessPropertiesByDotNotation: false })
  conf.store = saved as never
}
