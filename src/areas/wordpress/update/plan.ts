import type { TaskAnswer } from '../../../host/contract/driver.ts'
import { JobError } from '../../../runtime/jobs/job-kind.ts'
import { isNewer } from '../install/archives.ts'
import { findArchive, newestExtension, sourceOf } from '../install/source.ts'
import type { UpdateItem } from './tables.ts'
import { ask, type Updating } from './updating.ts'

const TIMEOUT_S = 60

/** What is to be updated: names, or all that there is. */
export interface UpdateRequest {
  /** `true` is the newest version. */
  readonly core?: string | undefined
  readonly plugins?: 'all' | readonly string[] | undefined
  readonly themes?: 'all' | readonly string[] | undefined
  readonly safe: boolean
  readonly pages: readonly string[]
}

type Installed = TaskAnswer<'plugins'>['items'][number]

/** What has a newer version: plugins, themes, then WordPress itself. */
export async function planUpdate(updating: Updating, request: UpdateRequest): Promise<UpdateItem[]> {
  return [
    ...(await extensionsToUpdate(updating, 'plugins', request.plugins)),
    ...(await extensionsToUpdate(updating, 'themes', request.themes)),
    ...(await coreToUpdate(updating, request.core)),
  ]
}

async function extensionsToUpdate(
  updating: Updating,
  kind: 'plugins' | 'themes',
  names: UpdateRequest['plugins'],
): Promise<UpdateItem[]> {
  if (names === undefined) return []
  const { items } = await ask(updating, { task: kind, input: {}, timeoutS: TIMEOUT_S })
  const known = new Map(items.map((one) => [one.slug, one]))
  const found = names === 'all' ? items : names.flatMap((slug) => known.get(slug) ?? missing(updating, slug))
  const updates: UpdateItem[] = []
  for (const one of found) updates.push(...(await extensionToUpdate(updating, kind, one, names === 'all')))
  return updates
}

function missing({ log }: Updating, slug: string): [] {
  log(`${slug} is not installed`, 'warn')
  return []
}

/** What a directory may be called. */
const slugPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/

async function extensionToUpdate(
  updating: Updating,
  kind: 'plugins' | 'themes',
  { slug, version = '0', active }: Installed,
  isQuiet: boolean,
): Promise<UpdateItem[]> {
  const { host, log, signal } = updating
  if (!slugPattern.test(slug)) return []
  const newest = await newestExtension(sourceOf(host.runtime), { kind, slug }, signal)
  if (newest !== undefined && isNewer(newest, version))
    return [{ kind, slug, from: version, to: newest, active, names: [slug], state: 'planned' }]
  if (!isQuiet) log(newest === undefined ? `The source does not have ${slug}` : `${slug} ${version} is the newest`)
  return []
}

async function coreToUpdate(updating: Updating, requested: string | undefined): Promise<UpdateItem[]> {
  if (requested === undefined) return []
  const { host, log, signal, site } = updating
  const version = requested === 'true' ? undefined : requested
  const archive = await findArchive(sourceOf(host.runtime), { version, locale: undefined }, signal)
  if (!archive && version) throw new JobError(`The source does not offer WordPress ${version}.`, true)
  const from = site.version ?? '0'
  if (archive && isNewer(archive.version, from))
    return [{ kind: 'core', slug: 'wordpress', from, to: archive.version, active: true, names: [], state: 'planned' }]
  log(archive ? `WordPress ${from} is the newest` : 'The source does not offer WordPress')
  return []
}
