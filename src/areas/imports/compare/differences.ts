import type { Visited } from '../../../outgoing/visit.ts'

const FAR_BYTES = 0.1
const ENOUGH_WORDS = 0.9

/** What a visitor would see differ; empty: the same page. */
export function differencesOf(before: Visited, after: Visited, hosts: readonly string[]): string[] {
  const changes = [
    changed('status', String(before.status), String(after.status)),
    changed('redirect', placeOf(before, hosts), placeOf(after, hosts)),
    changed('type', typeOf(before), typeOf(after)),
    changed('title', titleOf(before), titleOf(after)),
    sizes(before.body.length, after.body.length),
    words(before, after),
  ]
  return changes.flatMap((one) => one ?? [])
}

const changed = (what: string, before: string, after: string): string | undefined =>
  before === after ? undefined : `${what} ${before || 'none'} → ${after || 'none'}`

/** Both servers redirect to names that lead to either of them. */
function placeOf({ location = '' }: Visited, hosts: readonly string[]): string {
  const [, host, rest] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(location) ?? []
  if (host === undefined || !hosts.includes(host.toLowerCase().replace(/:\d+$/, ''))) return location
  return rest!.startsWith('/') ? rest! : `/${rest!}`
}

const typeOf = ({ type = '' }: Visited): string => type.split(';')[0]!.trim().toLowerCase()
const isHtml = (page: Visited): boolean => /html/.test(typeOf(page))
const textOf = ({ body }: Visited): string => body.toString('utf8')

const titleOf = (page: Visited): string =>
  isHtml(page)
    ? (/<title\b[^<>]*>([^<]*)/i.exec(textOf(page))?.[1] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 100)
    : ''

function sizes(before: number, after: number): string | undefined {
  const isNear = Math.abs(before - after) <= Math.max(before, after) * FAR_BYTES
  return isNear ? undefined : `${before} bytes → ${after} bytes`
}

function words(before: Visited, after: Visited): string | undefined {
  if (!isHtml(before) || !isHtml(after)) return undefined
  const [old, fresh] = [wordsOf(textOf(before)), wordsOf(textOf(after))]
  const common = [...old].filter((word) => fresh.has(word)).length
  const all = old.size + fresh.size - common
  if (all === 0 || common / all >= ENOUGH_WORDS) return undefined
  return `${Math.floor((common / all) * 100)} % of the words in common`
}

/** Words that are read: dates, counters and nonces have digits. */
function wordsOf(html: string): Set<string> {
  const visible = html
    .replaceAll(/<(script|style|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replaceAll(/<[^<>]*>|&[#\w]+;/g, ' ')
  return new Set(
    visible
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '' && !/\p{N}/u.test(word)),
  )
}
