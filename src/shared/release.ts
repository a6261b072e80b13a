const pattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/
const MAX_URL_LENGTH = 2048

/** What an update source answers. */
export interface Release {
  readonly version: string
  readonly notes_url?: string
}

/** The release that an update source names; undefined if it does not answer `{version, sha256, notes_url}`. */
export function releaseIn(body: string): Release | undefined {
  const { version, notes_url } = objectIn(body)
  if (typeof version !== 'string' || !pattern.test(version)) return undefined
  const isUrl =
    typeof notes_url === 'string' && notes_url.length <= MAX_URL_LENGTH && /^https:\/\/[!-~]+$/.test(notes_url)
  return { version, ...(isUrl && { notes_url }) }
}

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

export const isNewer = (version: string, than: string): boolean =>
  new Intl.Collator('en', { numeric: true }).compare(version, than) > 0

/** Longer answers are refused. */
export const MAX_RELEASE_BYTES = 64 * 1024
export const RELEASE_TIMEOUT_MS = 10_000
