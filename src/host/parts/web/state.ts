import { documentRoot, MAX_DOMAIN_LENGTH, MAX_HOSTNAME_LENGTH, sitePath } from '../../../shared/patterns.ts'
import {
  complete,
  depending,
  fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  yesOrNo,
} from '../../contract/fields.ts'
import { highestPort, lowestPort } from '../apps.ts'
import { type SiteRules, siteRules } from './rules-state.ts'

export interface Redirect {
  readonly path: string
  readonly match: 'exact' | 'prefix'
  readonly target: string
  readonly status: 301 | 302 | 307 | 308
  /** Whether to append the requested path to the target. */
  readonly keepPath: boolean
}

export interface SiteApp {
  readonly id: string
  readonly port?: number | undefined
}

const labels = ['mail', 'autoconfig', 'autodiscover', 'mta-sts'] as const

/** The names below a site's own that mail programs ask, by their labels. */
export interface SiteMail {
  readonly labels: readonly (typeof labels)[number][]
  /** Those that the site's certificate shows. */
  readonly proven: readonly (typeof labels)[number][]
  /** The mail server that programs are told of; absent: the domain's mail is elsewhere. */
  readonly server?: string | undefined
  /** The MTA-STS policy that senders read at `mta-sts`. */
  readonly policy?: MtaStsPolicy | undefined
}

export interface MtaStsPolicy {
  readonly mode: 'none' | 'testing' | 'enforce'
  readonly maxAge: number
  readonly mx: readonly string[]
}

/** One domain's site. */
export interface Site {
  /** The name of its files. */
  readonly file: string
  readonly names: readonly string[]
  /** Relative to the home. */
  readonly documentRoot: string
  /** `app`: proxied to an app; `off`: 503, for an app that is not running; `apache`: PHP, with `.htaccess` files. */
  readonly handler: 'static' | 'php' | 'php-front' | 'apache' | 'app' | 'off'
  /** The handler's app, and its port if it listens on one. */
  readonly app?: SiteApp | undefined
  /** Whether there is a certificate. */
  readonly tls: boolean
  readonly httpsRedirect: boolean
  readonly redirects: readonly Redirect[]
  readonly rules?: SiteRules | undefined
  readonly php?: SitePhp | undefined
  /** The name under which the site is shown before its own names lead here. */
  readonly preview?: string | undefined
  readonly mail?: SiteMail | undefined
}

/** How a site's scripts run. */
export interface SitePhp {
  /** Debian's own if absent. */
  readonly version?: string | undefined
  /** Its own pool; absent: the one of all sites without settings. */
  readonly pool?: string | undefined
  /** The largest request. */
  readonly bodyMb: number
  readonly executionS: number
}

export interface WebState {
  readonly cgi: boolean
  /** Whether the account has PHP processes to run scripts. */
  readonly php: boolean
  readonly sites: readonly Site[]
  /** Without a request, until Apache ends; 0: never. Absent without a site of the handler `apache`. */
  readonly idleMinutes?: number | undefined
}

const { source } = patterns.domain
const bare = source.slice(1)
/** The name of a site's files. */
export const siteFile = text(new RegExp(`^(?:_wildcard\\.)?${bare}`), MAX_DOMAIN_LENGTH)
const servedName = new RegExp(`^(?:\\*\\.)?${bare}`)
const previewName = new RegExp(`^[a-z]{32}\\.${bare}`)
// No blank, control, quote, backslash, dollar, brace or semicolon: the file has it in quotes.
const target = /^https?:\/\/[!#%&()*+,\-./0-9:<=>?@A-Z[\]^_`a-z|~]{1,2048}$/

const maxSites = 100_000
const maxRedirects = 1000

const redirect = objectOf<Redirect>(
  {
    path: text(sitePath, 512),
    match: oneOf('exact', 'prefix'),
    target: text(target, 2056),
    status: oneOf(301, 302, 307, 308),
    keepPath: yesOrNo,
  },
  'a redirect',
)

const app = objectOf<SiteApp>({ id: text(patterns.id), port: optional(complete(lowestPort, highestPort)) }, 'an app')

const sitePhp = objectOf<SitePhp>(
  {
    version: optional(text(/^\d{1,2}\.\d{1,2}$/, 5)),
    pool: optional(siteFile),
    bodyMb: complete(1, 2 ** 31),
    executionS: complete(1, 2 ** 31),
  },
  'PHP of a site',
)

const maxExchangers = 100

const policy = objectOf<MtaStsPolicy>(
  {
    mode: oneOf('none', 'testing', 'enforce'),
    maxAge: complete(0, 31_557_600),
    mx: listOf(text(patterns.hostname, MAX_HOSTNAME_LENGTH), maxExchangers),
  },
  'an MTA-STS policy',
)

const siteMail = objectOf<SiteMail>(
  {
    labels: listOf(oneOf(...labels), labels.length),
    proven: listOf(oneOf(...labels), labels.length),
    server: optional(text(patterns.hostname, MAX_HOSTNAME_LENGTH)),
    policy: optional(policy),
  },
  'names for mail',
)

const siteFields = {
  file: siteFile,
  names: listOf(text(servedName, MAX_HOSTNAME_LENGTH), 2),
  documentRoot: text(documentRoot, 512),
  handler: oneOf('static', 'php', 'php-front', 'apache', 'app', 'off'),
  app: optional(app),
  tls: yesOrNo,
  httpsRedirect: yesOrNo,
  redirects: listOf(redirect, maxRedirects),
  rules: optional(siteRules),
  php: optional(sitePhp),
  preview: optional(text(previewName, MAX_HOSTNAME_LENGTH)),
  mail: optional(siteMail),
}
const siteOfApp = objectOf<Site>({ ...siteFields, app }, 'a site')
const otherSite = objectOf<Site>(siteFields, 'a site')

const site: Schema<Site> = depending((value) =>
  (value as Partial<Site> | null | undefined)?.handler === 'app' ? siteOfApp : otherSite,
)

export const checkWeb = fields<WebState>(
  { cgi: yesOrNo, php: yesOrNo, sites: listOf(site, maxSites), idleMinutes: optional(complete(0, 1440)) },
  'web',
)
