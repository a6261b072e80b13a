import { JobError } from '../../../runtime/jobs/job-kind.ts'
import { minute } from '../../../shared/time.ts'
import { putFile } from '../../files/put-file.ts'
import { roomForAll } from '../../files/quota.ts'
import { baseOf, encoded } from '../files.ts'
import { fetchArchive, fetchExtension, sourceOf } from '../install/source.ts'
import { freshOf, namesIn } from './places.ts'
import type { UpdateItem } from './tables.ts'
import { ask, makeDirectory, remove, typeAt, type Updating } from './updating.ts'

const FETCH_TIMEOUT_MS = 10 * minute
const TOUCH_TIMEOUT_S = 120

/** What stays of an installation when its core is replaced. */
const ownNames: ReadonlySet<string> = new Set(['wp-content', 'wp-config.php', '.htaccess', '.maintenance'])

/** Unpacks an item's new files beside the site; answers it with the names of what it has. */
export async function stageItem(updating: Updating, item: UpdateItem): Promise<UpdateItem> {
  const base = `${baseOf(updating.site)}/new`
  const to = item.kind === 'core' ? `${base}/core` : `${base}/${item.kind}`
  await makeDirectory(updating, to)
  await unpack(updating, await fetched(updating, item), { archive: `${base}/archive`, to })
  const fresh = freshOf(updating, item)
  const names =
    item.kind === 'core' ? (await namesIn(updating, fresh)).filter((name) => !ownNames.has(name)) : item.names
  for (const name of item.kind === 'core' ? ['wp-includes', 'wp-admin', ...names] : names)
    if (!(await typeAt(updating, `${fresh}/${name}`)))
      throw new JobError(`The archive of ${item.slug} ${item.to} has no ${name}.`, true)
  await ask(updating, { task: 'touch', input: { directory: encoded(fresh) }, timeoutS: TOUCH_TIMEOUT_S })
  return { ...item, names }
}

async function fetched({ host: { runtime }, signal }: Updating, { kind, slug, to }: UpdateItem): Promise<Buffer> {
  const late = new AbortController()
  const cancel = runtime.clock.after(FETCH_TIMEOUT_MS, () => late.abort())
  const [source, either] = [sourceOf(runtime), AbortSignal.any([signal, late.signal])]
  const work =
    kind === 'core'
      ? fetchArchive(source, { version: to, locale: undefined }, either)
      : fetchExtension(source, { kind, slug, version: to }, either)
  return work.finally(cancel)
}

interface Unpacking {
  readonly archive: string
  readonly to: string
}

async function unpack(updating: Updating, bytes: Buffer, { archive, to }: Unpacking): Promise<void> {
  const { host, files, signal, account, log } = updating
  // Its format is in its bytes' begin, or its name.
  const path = `${archive}.${bytes.subarray(0, 2).toString('latin1') === 'PK' ? 'zip' : 'tar.gz'}`
  await write(updating, path, bytes)
  const room = await roomForAll(host.runtime, account.id, signal)
  const input = { id: host.runtime.id(), path: encoded(path), to: encoded(to), overwrite: true, ...room }
  const { warnings = [] } = await files.act('extract', input, { signal })
  for (const warning of warnings) log(warning, 'warn')
  await remove(updating, path)
}

async function write({ host, files, signal, account }: Updating, path: string, bytes: Buffer): Promise<void> {
  const room = await roomForAll(host.runtime, account.id, signal)
  await putFile(files, { path: encoded(path), mode: '0600', maxBytes: bytes.length, ...room }, bytes, signal)
}
