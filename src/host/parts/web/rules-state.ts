import { isIP } from 'node:net'
import { MAX_DOMAIN_LENGTH, sitePath } from '../../../shared/patterns.ts'
import {
  FIRST_WAF_RULE,
  LAST_WAF_RULE,
  MAX_PARANOIA,
  MAX_WAF_EXCEPTIONS,
  MAX_WAF_PARAMETER_LENGTH,
  wafParameter,
} from '../../../shared/waf.ts'
import {
  complete,
  either,
  listOf,
  objectOf,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  that,
  yesOrNo,
} from '../../contract/fields.ts'

export interface AccessUser {
  readonly name: string
  /** Salted SHA-1, as nginx reads it. */
  readonly hash: string
}

export interface AccessRule {
  readonly path: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly users: readonly AccessUser[]
}

export interface ErrorPage {
  readonly status: '401' | '403' | '404' | '410' | '50x'
  readonly path: string
}

/** What is no attack at a site: a rule, at a path and all below it, in one parameter. */
export interface WafException {
  readonly rule: number
  readonly path?: string | undefined
  readonly parameter?: string | undefined
}

/** How requests to a site are checked. */
export interface SiteWaf {
  /** Names the site in what is found. */
  readonly key: string
  readonly mode: 'watch' | 'block'
  readonly paranoia: number
  /** Whether it is WordPress, whose editor sends what looks like attacks. */
  readonly wordpress?: boolean | undefined
  readonly exceptions: readonly WafException[]
}

/** What a site adds to its responses, and whom it lets in. */
export interface SiteRules {
  readonly canonical?: 'name' | 'www' | undefined
  readonly hstsDays?: number | undefined
  readonly securityHeaders?: boolean | undefined
  readonly staticCacheDays?: number | undefined
  readonly errorPages?: readonly ErrorPage[] | undefined
  readonly access?: readonly AccessRule[] | undefined
  readonly hotlink?: { readonly extensions: readonly string[]; readonly allow: readonly string[] } | undefined
  /** Networks of proxies, or `cloudflare` alone. */
  readonly realIp?: readonly string[] | undefined
  readonly http3?: boolean | undefined
  /** The administrator's own directives. */
  readonly include?: string | undefined
  readonly waf?: SiteWaf | undefined
}

const path = text(sitePath, 512)
const extension = text(/^[A-Za-z0-9]{1,10}$/)
const hostName = text(/^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/, MAX_DOMAIN_LENGTH)

const network: Schema<string> = that((value) => {
  if (typeof value !== 'string' || !/^[0-9a-f.:]{2,45}(?:\/[0-9]{1,3})?$/.test(value)) return false
  const [address, bits] = value.split('/')
  const version = isIP(address!)
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128)
})
const proxy = either('cloudflare', network)

const user = objectOf<AccessUser>(
  { name: text(/^[A-Za-z0-9._@-]{1,64}$/), hash: text(/^\{SSHA\}[A-Za-z0-9+/]{48}$/) },
  'a user',
)
const accessRule = objectOf<AccessRule>(
  { path, allow: listOf(network, 100), deny: listOf(network, 100), users: listOf(user, 50) },
  'an access rule',
)
const errorPage = objectOf<ErrorPage>({ status: oneOf('401', '403', '404', '410', '50x'), path }, 'an error page')

const wafException = objectOf<WafException>(
  {
    rule: complete(FIRST_WAF_RULE, LAST_WAF_RULE),
    path: optional(path),
    parameter: optional(text(wafParameter, MAX_WAF_PARAMETER_LENGTH)),
  },
  'an exception of the firewall',
)
const siteWaf = objectOf<SiteWaf>(
  {
    key: text(patterns.id),
    mode: oneOf('watch', 'block'),
    paranoia: complete(1, MAX_PARANOIA),
    wordpress: optional(yesOrNo),
    exceptions: listOf(wafException, MAX_WAF_EXCEPTIONS),
  },
  'the firewall of a site',
)

const MAX_INCLUDE_LENGTH = 16 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const includeText = /^[^\u0000-\u0008\u000b-\u001f\u007f]*$/

export const siteRules = objectOf<SiteRules>(
  {
    canonical: optional(oneOf('name', 'www')),
    hstsDays: optional(complete(1, 730)),
    securityHeaders: optional(yesOrNo),
    staticCacheDays: optional(complete(1, 365)),
    errorPages: optional(listOf(errorPage, 5)),
    access: optional(listOf(accessRule, 50)),
    hotlink: optional(
      objectOf<NonNullable<SiteRules['hotlink']>>(
        { extensions: listOf(extension, 20), allow: listOf(hostName, 50) },
        'hotlink rules',
      ),
    ),
    realIp: optional(listOf(proxy, 50)),
    http3: optional(yesOrNo),
    include: optional(text(includeText, MAX_INCLUDE_LENGTH)),
    waf: optional(siteWaf),
  },
  "a site's rules",
)
