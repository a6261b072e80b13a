import type { AliasTarget, SourceAlias, SourceAutoresponder, SourceMailbox } from '../contract/commands/imports.ts'
import type { Collected } from './collected.ts'
import type { CpanelTexts } from './cpanel-texts.ts'
import { positive } from './source-parts.ts'
import { isDomain, linesOf } from './text.ts'

const MEGABYTE = 1024 * 1024

/** The mailboxes of the lists of logins, with their hashes, and that of the default address. */
export function mailboxesOf(texts: CpanelTexts, { mail }: Collected, domains: readonly string[]): SourceMailbox[] {
  const lists = texts.homeBelow('etc/').filter(({ name }) => name.endsWith('/passwd'))
  const boxes = lists.flatMap(({ name, text }) => {
    const domain = name.slice(0, -'/passwd'.length).toLowerCase()
    if (!isDomain(domain) || !domains.includes(domain)) return []
    const folder = name.slice(0, -'/passwd'.length)
    const hashes = fieldsOf(texts.home(`etc/${folder}/shadow`))
    const quotas = fieldsOf(texts.home(`etc/${folder}/quota`))
    return namesIn(text).map((local): SourceMailbox => {
      const there = mail.get(`${folder}/${local}`)
      const isMdbox = there?.isMdbox === true
      return {
        local: local.toLowerCase(),
        domain,
        ...passwordOf(hashes.get(local) ?? ''),
        ...quotaOf(quotas.get(local)),
        format: isMdbox ? 'mdbox' : 'maildir',
        messages: there?.messages ?? 0,
        bytes: there?.bytes ?? 0,
      }
    })
  })
  return [...withoutDoubles(boxes), ...defaultAddress(texts, mail)]
}

function withoutDoubles(boxes: readonly SourceMailbox[]): SourceMailbox[] {
  const seen = new Set<string>()
  return boxes.filter(({ local, domain }) => {
    const address = `${local}@${domain}`
    if (seen.has(address)) return false
    seen.add(address)
    return true
  })
}

function defaultAddress(texts: CpanelTexts, mail: Collected['mail']): SourceMailbox[] {
  const there = mail.get('')
  const { username, mainDomain } = texts
  const isCatchAll = linesOf(texts.of(`va/${mainDomain}`) ?? '').some((line) =>
    new RegExp(`^"?\\*"?: *"?${username.replaceAll(/\W/g, '')}"?\\s*$`).test(line),
  )
  if (!username || !mainDomain || (!isCatchAll && (there?.messages ?? 0) === 0 && !there?.isMdbox)) return []
  return [
    {
      local: username,
      domain: mainDomain,
      isLocked: false,
      format: there?.isMdbox ? 'mdbox' : 'maildir',
      messages: there?.messages ?? 0,
      bytes: there?.bytes ?? 0,
      isDefault: true,
    },
  ]
}

const namesIn = (text: string): string[] =>
  linesOf(text).flatMap((line) => {
    const name = line.split(':')[0]!.trim()
    return name === '' || name.startsWith('#') ? [] : [name]
  })

/** The second field by the first: the first line of a name wins. */
function fieldsOf(text = ''): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of linesOf(text)) {
    const [name = '', value = ''] = line.split(':')
    if (name !== '' && !fields.has(name)) fields.set(name, value)
  }
  return fields
}

/** `*LOCKED*` and `!!` in front of a hash close the login and keep the hash. */
function passwordOf(field: string): Pick<SourceMailbox, 'hash' | 'isLocked'> {
  const hash = field.replace(/^(?:\*LOCKED\*|!+)/, '')
  return { isLocked: hash !== field, ...(hash !== '' && hash !== '*' && { hash }) }
}

const quotaOf = (bytes: string | undefined): { quotaMb?: number } => {
  const quotaMb = positive(Number(bytes) / MEGABYTE)
  return quotaMb === undefined ? {} : { quotaMb }
}

/** The lines of `va`, one address each, with what its mail goes to. */
export function aliasesOf(texts: CpanelTexts): SourceAlias[] {
  return texts.below('va/').flatMap(({ name, text }) => {
    const domain = name.toLowerCase()
    if (!isDomain(domain)) return []
    return linesOf(text).flatMap((line, at): SourceAlias[] => {
      const [, key] = /^("[^"]*"|[^:\s]+)\s*:/.exec(line) ?? []
      if (key === undefined) return []
      const address = key.replaceAll('"', '').toLowerCase()
      const local = address.includes('@') ? address.slice(0, address.lastIndexOf('@')) : address
      const targets = targetsIn(line.slice(line.indexOf(':', key.length) + 1))
      return targets.length === 0 ? [] : [{ domain, local, targets, file: `va/${name}`, line: at + 1 }]
    })
  })
}

/** The targets of a line: addresses between commas, programs and files in quotes or bare. */
export function targetsIn(rest: string): AliasTarget[] {
  const text = rest.trim()
  if (/^"?:(?:fail|defer):/i.test(text))
    return [{ kind: 'fail', value: text.replace(/^"?:\w+:\s*/, '').replace(/"$/, '') }]
  if (/^"?:blackhole:/i.test(text)) return [{ kind: 'blackhole', value: '' }]
  return splitTargets(text).map(targetOf)
}

const splitTargets = (text: string): string[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((one) => one.trim()).filter((one) => one !== '')

function targetOf(text: string): AliasTarget {
  const value = text
    .replace(/^"(.*)"$/s, '$1')
    .replaceAll('\\"', '"')
    .trim()
  if (/^\|\s*\/usr\/local\/cpanel\/bin\/autorespond\b/.test(value)) return { kind: 'autorespond', value }
  if (value.startsWith('|')) return { kind: 'program', value: value.slice(1).trim() }
  if (/^:include:/i.test(value)) return { kind: 'include', value: value.slice(':include:'.length).trim() }
  if (/^:blackhole:/i.test(value)) return { kind: 'blackhole', value: '' }
  if (value.startsWith('/')) return { kind: 'file', value }
  if (value.includes('@')) return { kind: 'address', value }
  return { kind: 'local', value }
}

/** The answers in `.autorespond`, each with its times. */
export function autorespondersOf(texts: CpanelTexts): SourceAutoresponder[] {
  return texts.homeBelow('.autorespond/').flatMap(({ name, text }) => {
    const at = name.lastIndexOf('@')
    const domain = name.slice(at + 1).toLowerCase()
    if (at <= 0 || name.endsWith('.json') || name.endsWith('.conf') || !isDomain(domain)) return []
    const { headers, body } = messageOf(text)
    const times = timesOf(texts.home(`.autorespond/${name}.json`) ?? texts.home(`.autorespond/${name}.conf`))
    return [
      {
        local: name.slice(0, at).toLowerCase(),
        domain,
        ...(headers.get('from') && { from: headers.get('from')! }),
        subject: headers.get('subject') ?? '',
        body,
        isHtml: /text\/html/i.test(headers.get('content-type') ?? ''),
        ...times,
      },
    ]
  })
}

function messageOf(text: string): { headers: Map<string, string>; body: string } {
  const lines = linesOf(text)
  const headers = new Map<string, string>()
  let at = 0
  for (; at < lines.length; at++) {
    const [, key, value] = /^([A-Za-z-]+):\s*(.*)$/.exec(lines[at]!) ?? []
    if (key === undefined) break
    if (!headers.has(key.toLowerCase())) headers.set(key.toLowerCase(), value!.trim())
  }
  if (lines[at] === '') at++
  return { headers, body: lines.slice(at).join('\n') }
}

function timesOf(text = ''): Pick<SourceAutoresponder, 'startsAt' | 'endsAt' | 'intervalHours'> {
  const value = (key: string, unit = 1): number | undefined =>
    positive(unit * Number(new RegExp(`["']?${key}["']?\\s*[:=]\\s*["']?(\\d+)`).exec(text)?.[1]))
  const [startsAt, endsAt, intervalHours] = [value('start', 1000), value('stop', 1000), value('interval')]
  return {
    ...(startsAt !== undefined && { startsAt }),
    ...(endsAt !== undefined && { endsAt }),
    ...(intervalHours !== undefined && { intervalHours }),
  }
}
