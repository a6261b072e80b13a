import type { SourceAlias, SourceAutoresponder, SourceMailbox } from '../contract/commands/imports.ts'
import type { ArchiveTexts } from './archive-texts.ts'
import type { Collected } from './collected.ts'
import { targetsIn } from './cpanel-mail.ts'
import { type DirectAdminDomain, valuesIn } from './directadmin-texts.ts'
import { positive } from './source-parts.ts'
import { linesOf } from './text.ts'

const MEGABYTE = 1024 * 1024

/** Lines of `name:value`, the first of a name. */
function linesByName(text = ''): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of linesOf(text)) {
    const at = line.indexOf(':')
    const name = line
      .slice(0, at < 0 ? undefined : at)
      .trim()
      .toLowerCase()
    if (name !== '' && !name.startsWith('#') && !/\p{Cc}/u.test(name) && !values.has(name))
      values.set(name, at < 0 ? '' : line.slice(at + 1).trim())
  }
  return values
}

interface Names {
  readonly username: string
  readonly mainDomain: string
}

/** The mailboxes of each domain, and that of the system user. */
export function mailboxesIn(
  texts: ArchiveTexts,
  { mail }: Collected,
  own: readonly DirectAdminDomain[],
  { username, mainDomain }: Names,
): SourceMailbox[] {
  const boxes = own.flatMap(({ name: domain, folder }) => {
    const quotas = linesByName(texts.of(`backup/${folder}/email/quota`))
    return [...linesByName(texts.of(`backup/${folder}/email/passwd`))].map(([local, field]): SourceMailbox => {
      const [hashed = ''] = field.split(':')
      const hash = hashed.replace(/^!+/, '')
      const there = mail.get(`${domain}/${local}`)
      return {
        local,
        domain,
        isLocked: hash !== hashed,
        ...(hash !== '' && hash !== '*' && { hash }),
        ...quotaOf(quotas.get(local)),
        format: 'maildir',
        messages: there?.messages ?? 0,
        bytes: there?.bytes ?? 0,
      }
    })
  })
  const there = mail.get('')
  const isThere = boxes.some(({ local, domain }) => local === username && domain === mainDomain)
  if (!there || there.messages === 0 || isThere || username === '' || mainDomain === '') return boxes
  const { messages, bytes } = there
  const isDefault = true
  return [
    ...boxes,
    { local: username, domain: mainDomain, isLocked: false, format: 'maildir', messages, bytes, isDefault },
  ]
}

/** In bytes; a number that is too small for them is in megabytes. */
function quotaOf(text: string | undefined): { quotaMb?: number } {
  const size = Number(text || Number.NaN)
  const quotaMb = positive(size >= MEGABYTE ? size / MEGABYTE : size)
  return quotaMb === undefined ? {} : { quotaMb }
}

/** Forwarders, and what becomes of other addresses. */
export function aliasesIn(texts: ArchiveTexts, own: readonly DirectAdminDomain[]): SourceAlias[] {
  return own.flatMap(({ name: domain, folder }) => {
    const file = `backup/${folder}/email/aliases`
    const lines = linesOf(texts.of(file) ?? '')
    const aliases = lines.flatMap((line, at): SourceAlias[] => {
      const [, name, rest] = /^\s*("?[^:"\s]+"?)\s*:(.*)$/.exec(line) ?? []
      const local = name?.replaceAll('"', '').toLowerCase()
      if (local === undefined || local.startsWith('#') || /\p{Cc}/u.test(local)) return []
      const targets = targetsIn(rest!)
      return targets.length === 0 ? [] : [{ domain, local, targets, file, line: at + 1 }]
    })
    if (aliases.some(({ local }) => local === '*')) return aliases
    return [...aliases, ...catchAllOf(texts, domain, folder)]
  })
}

function catchAllOf(texts: ArchiveTexts, domain: string, folder: string): SourceAlias[] {
  const file = `backup/${folder}/email/email.conf`
  const lines = linesOf(texts.of(file) ?? '')
  const at = lines.findIndex((line) => /^catchall=\s*\S/.test(line))
  if (at < 0) return []
  return [{ domain, local: '*', targets: targetsIn(lines[at]!.replace(/^catchall=/, '')), file, line: at + 1 }]
}

/** Answers: always, or between two dates. */
export function autorespondersIn(texts: ArchiveTexts, own: readonly DirectAdminDomain[]): SourceAutoresponder[] {
  return own.flatMap(({ name: domain, folder }) => {
    const at = `backup/${folder}/email`
    const [always, between] = ['autoresponder', 'vacation'].map((one) => linesByName(texts.of(`${at}/${one}.conf`)))
    return [...new Map([...always!, ...between!])].map(([local, line]): SourceAutoresponder => {
      const part = (end: string) => texts.of(`${at}/reply/${Buffer.from(local, 'utf8').toString('latin1')}.${end}`)
      return {
        local,
        domain,
        subject: part('subject')?.trim() ?? '',
        body: (part('msg') ?? '').replaceAll('\r\n', '\n').trimEnd(),
        isHtml: /text\/html/i.test(part('headers') ?? ''),
        ...timesOf(line),
        ...intervalOf(part('once_time')),
      }
    })
  })
}

/** `startday=1&startmonth=2&startyear=2026&starttime=morning&endday=…`. */
function timesOf(line: string): Pick<SourceAutoresponder, 'startsAt' | 'endsAt'> {
  const values = valuesIn(line)
  const day = (of: 'start' | 'end'): number => {
    const [year, month, date] = ['year', 'month', 'day'].map((one) => Number(values.get(`${of}${one}`) || Number.NaN))
    return Date.UTC(year!, month! - 1, date!)
  }
  const [startsAt, endsAt] = [day('start'), day('end')]
  return { ...(startsAt > 0 && { startsAt }), ...(endsAt > 0 && { endsAt }) }
}

/** `2d`, `30m`, `12h`. */
function intervalOf(text = ''): Pick<SourceAutoresponder, 'intervalHours'> {
  const [, count, unit] = /^\s*(\d{1,5})\s*([mhd])/.exec(text) ?? []
  if (count === undefined) return {}
  const hours = { m: 1 / 60, h: 1, d: 24 }[unit as 'm' | 'h' | 'd']
  return { intervalHours: Math.max(1, Math.ceil(Number(count) * hours)) }
}
