import { version } from '../../contract/version.ts'
import type { Outgoing } from '../../outgoing/client.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import { isNewer, MAX_RELEASE_BYTES, RELEASE_TIMEOUT_MS, type Release, releaseIn } from '../../shared/release.ts'
import { day, minute } from '../../shared/time.ts'
import type { NoticeData } from '../accounts/objects/notice.ts'

/** The newest release that the update source named, and since when. */
interface KnownRelease extends Release {
  readonly since: number
}

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    update_source: string | null
    known_release: KnownRelease | null
    /** When the update source was asked last. */
    update_checked_at: number | null
  }
}

const kind = 'version-available'

/** Asks the update source once a day, or soon after it was set; without one, nothing is asked. */
export const watchReleases = (runtime: Runtime, outgoing: Outgoing) => ({
  stop: every(runtime, minute, 'the update source could not be asked', async (signal) => {
    const { db } = runtime.store
    const source = getSetting(db, 'update_source')
    const checkedAt = getSetting(db, 'update_checked_at')
    if (source == null || (checkedAt != null && runtime.clock.now() - checkedAt < day)) return
    const found = await releaseAt(runtime, { source, outgoing, signal })
    await runtime.store.change(() => {
      if (found) keep(runtime, found)
      setSetting(db, 'update_checked_at', runtime.clock.now())
    })
  }),
})

interface Question {
  readonly source: string
  readonly outgoing: Outgoing
  readonly signal: AbortSignal
}

/** Undefined if the source gives no valid answer. */
async function releaseAt(
  { clock, log }: Runtime,
  { source, outgoing, signal }: Question,
): Promise<Release | undefined> {
  const late = new AbortController()
  const cancel = clock.after(RELEASE_TIMEOUT_MS, () => late.abort())
  try {
    const answer = await outgoing.get({
      ...{ url: source, headers: { accept: 'application/json' }, reach: 'private', maxBytes: MAX_RELEASE_BYTES },
      signal: AbortSignal.any([signal, late.signal]),
    })
    return answer.status === 200 ? releaseIn(answer.body.toString('utf8')) : undefined
  } catch (error) {
    log.warn({ err: error }, 'the update source did not answer')
    return undefined
  } finally {
    cancel()
  }
}

function keep({ store, clock }: Runtime, found: Release): void {
  const former = getSetting(store.db, 'known_release')
  const since = former?.version === found.version ? former.since : clock.now()
  setSetting(store.db, 'known_release', { ...found, since })
}

/** Another source is asked anew, and what the former one named is forgotten. */
export function sourceChanged({ db }: Context, changed: { readonly update_source?: string | null }): void {
  if (changed.update_source === undefined) return
  setSetting(db, 'known_release', null)
  setSetting(db, 'update_checked_at', null)
}

/** The notice of a release that is newer than this one. */
export function newerRelease({
  db,
}: Pick<Context, 'db'>): Pick<NoticeData, 'kind' | 'severity' | 'detail' | 'since'>[] {
  const known = getSetting(db, 'known_release')
  if (known == null || !isNewer(known.version, version)) return []
  const { since, notes_url } = known
  const notes = notes_url === undefined ? '' : ` What is new: ${notes_url}`
  return [{ kind, severity: 'warn', since, detail: `panel ${known.version} is available; this is ${version}.${notes}` }]
}
