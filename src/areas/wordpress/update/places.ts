import { FileError } from '../../../host/contract/driver.ts'
import { JobError } from '../../../runtime/jobs/job-kind.ts'
import { baseOf, encoded } from '../files.ts'
import type { UpdateItem, UpdateRow } from './tables.ts'
import { coreOf, makeDirectory, move, typeAt, type Updating } from './updating.ts'

/** Where an item's files are, wait and are kept. */
interface Places {
  readonly place: string
  readonly fresh: string
  readonly old: string
}

type Paths = Pick<UpdateRow, 'plugins_path' | 'themes_path'>

export const freshOf = (updating: Updating, { kind }: Pick<UpdateItem, 'kind'>): string =>
  kind === 'core' ? `${baseOf(updating.site)}/new/core/wordpress` : `${baseOf(updating.site)}/new/${kind}`

function placesOf(updating: Updating, paths: Paths, item: UpdateItem): Places {
  const place = { core: coreOf(updating), plugins: paths.plugins_path, themes: paths.themes_path }[item.kind]
  if (place === null) throw new JobError(`Its ${item.kind} are not in the home.`, true)
  return { place, fresh: freshOf(updating, item), old: `${baseOf(updating.site)}/old/${item.kind}` }
}

/** Puts the new files in place, and keeps the old ones; each name at once. */
export async function putInPlace(updating: Updating, paths: Paths, item: UpdateItem): Promise<void> {
  const { place, fresh, old } = placesOf(updating, paths, item)
  await makeDirectory(updating, old)
  for (const name of item.names) {
    if (await typeAt(updating, `${place}/${name}`)) await move(updating, `${place}/${name}`, `${old}/${name}`)
    await move(updating, `${fresh}/${name}`, `${place}/${name}`)
  }
}

/** Brings the old files back, from wherever the exchange was interrupted. It may run again. */
export async function putBack(updating: Updating, paths: Paths, item: UpdateItem): Promise<void> {
  const { place, fresh, old } = placesOf(updating, paths, item)
  for (const name of item.names) {
    const isOld = (await typeAt(updating, `${old}/${name}`)) !== undefined
    const isNew = (await typeAt(updating, `${fresh}/${name}`)) === undefined
    if (isNew && (await typeAt(updating, `${place}/${name}`)))
      await move(updating, `${place}/${name}`, `${fresh}/${name}`)
    if (isOld) await move(updating, `${old}/${name}`, `${place}/${name}`)
  }
}

const PAGE_SIZE = 1_000

/** Names in a directory; none if it is missing. */
export async function namesIn({ files, signal }: Updating, directory: string): Promise<string[]> {
  try {
    const { items } = await files.act('list', { path: encoded(directory), limit: PAGE_SIZE }, { signal })
    return items.map(({ name }) => Buffer.from(name, 'base64').toString())
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return []
    throw error
  }
}
