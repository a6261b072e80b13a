import { createHash, randomBytes } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import { MAX_INCLUDE_BYTES, type SiteRuleChanges, type SiteRules } from '../../contract/site-rules.ts'
import { canonicalRange } from '../../runtime/operations/address.ts'
import type { Db } from '../../store/open.ts'
import { namesOf } from './names.ts'
import { changedPhp, effectivePhp, refuseMissingVersion } from './php.ts'
import type { DomainRow, StoredAccessRule, StoredRules } from './tables.ts'
import { changedWaf } from './waf/rules.ts'

type AccessChange = NonNullable<SiteRuleChanges['access']>[number]
type UserChange = NonNullable<AccessChange['users']>[number]

const ruleNames = [
  'php_version',
  'php',
  'canonical',
  'hsts_days',
  'security_headers',
  'static_cache_days',
  'error_pages',
  'access',
  'hotlink',
  'real_ip',
  'http3',
  'nginx_include',
  'waf',
] as const satisfies readonly (keyof SiteRules)[]

/** The rules of a new site. */
export const newSiteRules: StoredRules = { security_headers: true }

/** The rules after a change; 400 for an invalid one. */
export function changedRules(db: Db, domain: DomainRow, body: SiteRuleChanges): StoredRules {
  const named = ruleNames.filter((name) => body[name] !== undefined)
  if (named.length === 0) return domain.rules
  refuseForKind(domain, named, body)
  const changes = {
    ...body,
    ...checkedLists(domain, body),
    ...checkedPhp(db, domain, body),
    ...(body.waf !== undefined && { waf: changedWaf(domain.rules, body.waf) }),
  }
  const remaining = ruleNames.filter((name) => (named.includes(name) ? changes[name] : domain.rules[name]) != null)
  const rules = remaining.map((name) => [name, named.includes(name) ? changes[name] : domain.rules[name]])
  const { waf_exceptions } = domain.rules
  return {
    ...(body.security_headers === null && newSiteRules),
    ...Object.fromEntries(rules),
    ...(waf_exceptions && { waf_exceptions }),
  }
}

function refuseForKind(domain: DomainRow, named: readonly (keyof SiteRules)[], { canonical }: SiteRuleChanges): void {
  const foreign = named.find((name) => name !== 'canonical')
  if (foreign) refuseAlias(domain, foreign)
  if (canonical === 'www' && namesOf(domain).length < 2)
    throw invalid('canonical', 'needs a www name, which it has not')
  if (canonical === 'name' && domain.name.startsWith('*.')) throw invalid('canonical', 'is not for a wildcard')
}

/** An alias domain has no site of its own. */
export function refuseAlias({ kind }: DomainRow, field: string): void {
  if (kind === 'parked') throw invalid(field, 'is not for an alias domain, which shows the site of its parent')
}

/** Its extensions are those of the version that it will have. */
function checkedPhp(db: Db, domain: DomainRow, { php_version, php }: SiteRuleChanges): Pick<SiteRuleChanges, 'php'> {
  refuseMissingVersion(db, domain.account_id, php_version)
  if (php === undefined) return {}
  const { php_version: _, ...rules } = domain.rules
  const next =
    php_version === undefined ? domain : { ...domain, rules: php_version ? { ...rules, php_version } : rules }
  return { php: changedPhp(db, domain, php, effectivePhp(db, next)) }
}

function checkedLists(domain: DomainRow, { access, error_pages, hotlink, real_ip, nginx_include }: SiteRuleChanges) {
  for (const [status, path] of Object.entries(error_pages ?? {})) if (path) refusePath(`error_pages.${status}`, path)
  return {
    ...(access && { access: access.map((rule, n) => checkedAccess(rule, n, domain.rules.access ?? [])) }),
    ...(hotlink && { hotlink: { ...hotlink, extensions: hotlink.extensions.map((one) => one.toLowerCase()) } }),
    ...(real_ip && { real_ip: checkedProxies(real_ip) }),
    ...(nginx_include && { nginx_include: checkedInclude(nginx_include) }),
  }
}

function checkedAccess(rule: AccessChange, n: number, former: readonly StoredAccessRule[]): StoredAccessRule {
  const at = `item ${n + 1}`
  refusePath('access', rule.path, `${at}: path: `)
  if (!rule.allow && !rule.deny && !rule.users) throw invalid('access', `${at}: needs allow, deny or users`)
  const networks = (texts: readonly string[]) => texts.map((text) => networkIn('access', text, `${at}: `))
  const known = former.find(({ path }) => path === rule.path)?.users ?? []
  return {
    path: rule.path,
    ...(rule.allow && { allow: networks(rule.allow) }),
    ...(rule.deny && { deny: networks(rule.deny) }),
    ...(rule.users && { users: checkedUsers(rule.users, known, at) }),
  }
}

function checkedUsers(users: readonly UserChange[], known: NonNullable<StoredAccessRule['users']>, at: string) {
  if (new Set(users.map(({ name }) => name)).size < users.length)
    throw invalid('access', `${at}: names a user more than once`)
  return users.map(({ name, password }) => {
    const hash = password === undefined ? known.find((user) => user.name === name)?.hash : visitorHash(password)
    if (hash === undefined) throw invalid('access', `${at}: the new user ${name} needs a password`)
    return { name, hash }
  })
}

const SALT_BYTES = 16

/** nginx computes it in its event loop for every request, so it must cost little, however long the password is. */
function visitorHash(password: string): string {
  const salt = randomBytes(SALT_BYTES)
  const digest = createHash('sha1').update(password).update(salt).digest()
  return `{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`
}

function refusePath(field: string, path: string, at = ''): void {
  if (/\/\.{0,2}(?=\/)|\/\.{1,2}$/.test(path)) throw invalid(field, `${at}must not have an empty segment, . or ..`)
}

function networkIn(field: 'access' | 'real_ip', text: string, at = ''): string {
  const network = canonicalRange(text)
  if (!network) throw invalid(field, `${at}${text} is neither an address nor a network`)
  return network
}

const MIN_PREFIX_IPV4 = 8
const MIN_PREFIX_IPV6 = 16

function checkedProxies(texts: readonly string[]): string[] {
  if (texts.includes('cloudflare')) {
    if (texts.length > 1) throw invalid('real_ip', 'cloudflare cannot be combined with networks')
    return ['cloudflare']
  }
  return texts.map((text) => {
    const network = networkIn('real_ip', text)
    const bits = Number(network.split('/')[1] ?? Number.POSITIVE_INFINITY)
    if (bits < (network.includes(':') ? MIN_PREFIX_IPV6 : MIN_PREFIX_IPV4))
      throw invalid(
        'real_ip',
        `${text} is too large: at most /${MIN_PREFIX_IPV4} of IPv4 or /${MIN_PREFIX_IPV6} of IPv6`,
      )
    return network
  })
}

/** The schema counts characters, the host bytes. */
function checkedInclude(text: string): string {
  if (Buffer.byteLength(text) > MAX_INCLUDE_BYTES)
    throw invalid('nginx_include', `must have at most ${MAX_INCLUDE_BYTES} bytes`)
  return text.replaceAll('\r\n', '\n')
}

/** Without the hashes of passwords, what only root sees, and the firewall, which depends on the host. */
export const rulesView = (
  { access, nginx_include, waf: _waf, waf_exceptions: _exceptions, ...rules }: StoredRules,
  forRoot = false,
): SiteRules => ({
  ...rules,
  ...(forRoot && nginx_include !== undefined && { nginx_include }),
  ...(access && {
    access: access.map(({ users, ...rule }) => ({
      ...rule,
      ...(users && { users: users.map(({ name }) => ({ name })) }),
    })),
  }),
})

/** What the domain shows: the rules of its site, and its own canonical name. */
export const effectiveRules = (domain: DomainRow, site: DomainRow): StoredRules => {
  const { canonical: _, ...rules } = site.rules
  const { canonical } = domain.rules
  return { ...rules, ...(canonical && { canonical }) }
}
