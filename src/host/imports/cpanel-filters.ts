import type { SourceFinding } from '../contract/commands/imports.ts'
import type { CpanelTexts } from './cpanel-texts.ts'
import { escaped, isDomain, linesOf } from './text.ts'

/** The part of findings about rules that sort mail. */
const filterPart = 'filters'

interface Rule {
  readonly name: string
  readonly line: number
}

/** The rules of the account, of its domains and of its mailboxes, one finding each: they are written anew here. */
export function filtersOf(texts: CpanelTexts): SourceFinding[] {
  const ofHome = texts.homeBelow('').flatMap(({ name, text }) => {
    const address = addressIn(name)
    return address === undefined ? [] : findingsOf(address, name, rulesInYaml(text))
  })
  const ofDomains = texts.below('vf/').flatMap(({ name, text }) => findingsOf(name, `vf/${name}`, rulesInExim(text)))
  return [...ofHome, ...ofDomains]
}

/** `etc/D/LOCAL/filter.yaml` is a mailbox's, `etc/D/filter.yaml` a domain's, `.cpanel/filter.yaml` the account's. */
function addressIn(path: string): string | undefined {
  if (/^(?:\.cpanel|etc)\/filter\.yaml$/.test(path)) return 'all addresses'
  const [, domain = '', local] = /^etc\/([^/]+)\/(?:([^/]+)\/)?filter\.yaml$/.exec(path) ?? []
  if (!isDomain(domain)) return undefined
  return local === undefined ? domain : `${local}@${domain}`
}

const findingsOf = (address: string, file: string, rules: readonly Rule[]): SourceFinding[] =>
  rules.map(({ name, line }) => ({
    part: filterPart,
    item: escaped(`filter ${address}: ${name}`),
    text: 'mail filters do not come: write the rule anew',
    file: escaped(file),
    line,
  }))

const unnamed = 'without a name'

/** The list has one `filtername` a rule. */
const rulesInYaml = (text: string): Rule[] =>
  linesOf(text).flatMap((content, at) => {
    const [, name] = /^[\s-]*filtername:\s*(.*)$/.exec(content) ?? []
    return name === undefined ? [] : [{ name: unquoted(name.trim()) || unnamed, line: at + 1 }]
  })

const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2')

/** Exim's language: a comment has the name of the rule after it. The first condition is of every file. */
function rulesInExim(text: string): Rule[] {
  let name = ''
  return linesOf(text).flatMap((content, at) => {
    if (content.startsWith('#')) name = content.replace(/^#+\s*/, '').trim()
    if (!/^\s*(?:if|unless)\b/.test(content) || /\bfirst_delivery\b/.test(content)) return []
    const rule = { name: name || unnamed, line: at + 1 }
    name = ''
    return [rule]
  })
}
