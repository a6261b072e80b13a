import { sizeText } from '../output/size.ts'
import { iso, relative } from '../output/time.ts'
import { printable } from '../terminal.ts'

interface RestoredPart {
  readonly part: string
  readonly status: string
  readonly files?: number
  readonly bytes?: number
}

interface Saved {
  readonly username: string
  readonly created_at: number
  readonly parts: readonly RestoredPart[]
}

/** What replaces what, in the order of the restore. */
const replaced: Readonly<Record<string, string>> = {
  config: 'settings, domains, mailboxes, logins and the like; what came since stays',
  dns: 'the records of each zone, but those that the panel manages',
  mysql: 'all that is in each database; later changes are lost',
  mail: 'all mail',
  files: 'all of the home but mail, tmp and the trash; later changes are lost',
}

/** Describes what a restore will replace, before the confirmation. */
export function linesOf({ username, created_at, parts }: Saved, body: Record<string, unknown>, now: number): string[] {
  const replacement = replacementIn(body)
  const chosen = Object.keys(replaced).flatMap((name) =>
    parts.filter(({ part, status }) => part === name && status === 'ok' && (replacement?.includes(part) ?? true)),
  )
  // How large single paths or databases are is not known.
  const isAll = body['paths'] === undefined && body['databases'] === undefined
  const width = Math.max(0, ...chosen.map((part) => sizeOf(part).length))
  const made = `${iso(created_at).slice(0, 16).replace('T', ' ')} UTC (${relative(created_at, now)})`
  return [
    `This replaces the current data of ${printable(username)} with the backup from ${made}:`,
    ...chosen.map(
      (part) => `  ${part.part.padEnd(6)}  ${isAll ? `${sizeOf(part).padEnd(width)}  ` : ''}${whatOf(part, body)}`,
    ),
    body['safety'] === false
      ? 'No safety backup is made: what is replaced is gone.'
      : 'What is replaced is saved first, in a safety backup that is kept for 7 days.',
  ]
}

function replacementIn({ parts, paths, to, databases }: Record<string, unknown>): readonly string[] | undefined {
  if (paths !== undefined || to !== undefined) return ['files']
  if (databases !== undefined) return ['mysql']
  return Array.isArray(parts) ? (parts as string[]) : undefined
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
const sizeOf = ({ part, files = 0, bytes = 0 }: RestoredPart): string =>
  `${counted(files, part === 'mysql' ? 'database' : 'file')}, ${sizeText(bytes)}`

function whatOf({ part }: RestoredPart, { paths, to, databases }: Record<string, unknown>): string {
  if (part === 'mysql' && Array.isArray(databases))
    return `all that is in ${databases.map(String).map(printable).join(', ')}`
  const into = to === undefined ? '' : `, into ${printable(String(to))}`
  if (part !== 'files' || (!Array.isArray(paths) && into === '')) return replaced[part]!
  const what = Array.isArray(paths) ? paths.map((path) => printable(String(path))).join(', ') : 'all of it'
  return `${what}${into}`
}
