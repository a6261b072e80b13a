import type { SourceDomain } from '../contract/commands/imports.ts'
import type { CpanelTexts } from './cpanel-texts.ts'
import { isDomain, linesOf } from './text.ts'
import { listAt, mapAt } from './yaml.ts'

interface CpanelDomainNames {
  /** Addon domains with the subdomain that each hides. */
  readonly addons: Map<string, string>
  readonly subs: Set<string>
  readonly parked: Set<string>
}

/** The domains of an account, without the subdomains that addon domains hide. */
export function domainsOf(texts: CpanelTexts, homes: readonly string[]): SourceDomain[] {
  const { mainDomain } = texts
  const names = namesOf(texts)
  const hidden = new Set(names.addons.values())
  const site = (name: string, at = name) => siteOf(texts, at, name, homes)
  const all: SourceDomain[] = []
  if (mainDomain) all.push({ name: mainDomain, kind: 'main', ...site(mainDomain) })
  for (const [name, sub] of names.addons) all.push({ name, kind: 'addon', ...site(name, sub) })
  for (const name of names.subs)
    if (!hidden.has(name) || hasOwnZone(texts, name))
      all.push({ name, kind: 'sub', ...parentOf(name, [mainDomain, ...names.addons.keys()]), ...site(name) })
  for (const name of names.parked) all.push({ name, kind: 'parked', parent: parentOfParked(texts, name) })
  return all.filter(({ name }, at) => isDomain(name) && all.findIndex((one) => one.name === name) === at)
}

/** A hidden subdomain is a domain only where its own zone names it apart from the addon. */
const hasOwnZone = (texts: CpanelTexts, name: string): boolean => texts.of(`dnszones/${name}.db`) !== undefined

function namesOf(texts: CpanelTexts): CpanelDomainNames {
  const { main } = texts
  const addons = new Map([...mapAt(main, 'addon_domains')].map(([name, sub]) => [clean(name), clean(sub)]))
  for (const [name, sub] of pairsOf(texts.of('addons'))) if (!addons.has(name)) addons.set(name, sub)
  const subs = [...listAt(main, 'sub_domains').map(clean), ...['sds2', 'sds'].flatMap((path) => subsIn(texts, path))]
  const parked = [...listAt(main, 'parked_domains').map(clean), ...linesOf(texts.of('pds') ?? '').map(clean)]
  return {
    addons,
    subs: new Set(subs.filter((name) => !addons.has(name) && name !== texts.mainDomain)),
    parked: new Set(parked.filter((name) => isDomain(name) && !addons.has(name))),
  }
}

const clean = (name: string): string => name.trim().toLowerCase().replaceAll('_wildcard_', '*').replace(/\.$/, '')

/** `shop.example=shop_alice.example`: the underscore stands for the first dot. */
const pairsOf = (text = ''): [string, string][] =>
  linesOf(text).flatMap((line) => {
    const [name = '', sub = ''] = line.split(/[=:]/).map(clean)
    return isDomain(name) ? [[name, sub.replace('_', '.')]] : []
  })

const subsIn = (texts: CpanelTexts, path: string): string[] =>
  linesOf(texts.of(path) ?? '').flatMap((line) => {
    const name = clean(line.split('=')[0]!).replace('_', '.')
    return isDomain(name) ? [name] : []
  })

function parentOf(name: string, above: readonly string[]): { parent?: string } {
  const parents = above.filter((one) => one !== '' && name.endsWith(`.${one}`))
  const parent = parents.sort((a, b) => b.length - a.length)[0]
  return parent === undefined ? {} : { parent }
}

/** Whose site an alias domain shows: of the one that lists it as an alias. */
function parentOfParked(texts: CpanelTexts, name: string): string {
  const shower = texts.below('userdata/').find(({ name: domain }) => {
    const yaml = texts.userdata(domain)?.yaml
    const aliases = yaml?.values.get('serveralias')
    return typeof aliases === 'string' && aliases.split(/\s+/).includes(name)
  })
  const [, parent] = [...mapAt(texts.main, 'addon_domains')].find(([, sub]) => clean(sub) === shower?.name) ?? []
  const addon = [...mapAt(texts.main, 'addon_domains')].find(([, sub]) => clean(sub) === shower?.name)?.[0]
  return addon ?? (parent === undefined ? undefined : clean(parent)) ?? shower?.name ?? texts.mainDomain
}

function siteOf(texts: CpanelTexts, at: string, name: string, homes: readonly string[]): Partial<SourceDomain> {
  const userdata = texts.userdata(at) ?? texts.userdata(name)
  const root = relativeRoot(userdata?.documentroot, homes)
  const php = /^(?:ea|alt)-php(\d)(\d+)$/.exec(userdata?.phpversion ?? '')
  const byDefault = name === texts.mainDomain ? 'public_html' : undefined
  const documentRoot = root ?? byDefault
  return {
    ...(documentRoot !== undefined && { documentRoot }),
    ...(php && { php: `${php[1]}.${php[2]}` }),
  }
}

function relativeRoot(path: string | undefined, homes: readonly string[]): string | undefined {
  if (path === undefined) return undefined
  const home = homes.find((one) => path === one || path.startsWith(`${one}/`))
  const relative = home === undefined ? undefined : path.slice(home.length + 1).replace(/\/+$/, '')
  const parts = relative?.split('/') ?? ['..']
  return parts.some((part) => part === '' || part === '.' || part === '..') ? undefined : relative
}
