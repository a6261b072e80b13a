import { MAX_DOMAIN_LENGTH, MAX_HOSTNAME_LENGTH, sitePath } from '../../../shared/patterns.ts'
import {
  complete,
  type FieldCheck,
  fields,
  listOf,
  object,
  oneOf,
  optional,
  patterns,
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

/** One domain's site. */
export interface Site {
  /** The name of its files. */
  readonly file: string
  readonly names: readonly string[]
  /** Relative to the home. */
  readonly documentRoot: string
  /** `app`: proxied to an app; `off`: 503, for an app that is not running. */
  readonly handler: 'static' | 'php' | 'php-front' | 'app' | 'off'
  /** The handler's app, and its port if it listens on one. */
  readonly app?: SiteApp | undefined
  /** Whether there is a certificate. */
  readonly tls: boolean
  readonly httpsRedirect: boolean
  readonly redirects: readonly Redirect[]
  readonly rules?: SiteRules | undefined
}

export interface WebState {
  readonly cgi: boolean
  /** Whether the account has PHP processes to run scripts. */
  readonly php: boolean
  readonly sites: readonly Site[]
}

const { source } = patterns.domain
const bare = source.slice(1)
/** The name of a site's files. */
export const siteFile = text(new RegExp(`^(?:_wildcard\\.)?${bare}`), MAX_DOMAIN_LENGTH)
const servedName = new RegExp(`^(?:\\*\\.)?${bare}`)
const documentRoot = /^(?:sites|apps)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}){1,8}$/
// No blank, control, quote, backslash, dollar, brace or semicolon: the file has it in quotes.
const target = /^https?:\/\/[!#%&()*+,\-./0-9:<=>?@A-Z[\]^_`a-z|~]{1,2048}$/

const maxSites = 100_000
const maxRedirects = 1000

const redirect = object<Redirect>(
  {
    path: text(sitePath, 512),
    match: oneOf('exact', 'prefix'),
    target: text(target, 2056),
    status: oneOf(301, 302, 307, 308),
    keepPath: yesOrNo,
  },
  'a redirect',
)

const app = object<SiteApp>({ id: text(patterns.id), port: optional(complete(lowestPort, highestPort)) }, 'an app')

const anySite = object<Site>(
  {
    file: siteFile,
    names: listOf(text(servedName, MAX_HOSTNAME_LENGTH), 2),
    documentRoot: text(documentRoot, 512),
    handler: oneOf('static', 'php', 'php-front', 'app', 'off'),
    app: optional(app),
    tls: yesOrNo,
    httpsRedirect: yesOrNo,
    redirects: listOf(redirect, maxRedirects),
    rules: optional(siteRules),
  },
  'a site',
)

const site: FieldCheck = (value, field) => {
  anySite(value, field)
  const { handler, app } = value as Site
  if (handler === 'app') object<SiteApp>({ id: text(patterns.id), port: () => {} }, 'an app')(app, field)
}

export const checkWeb = fields<WebState>({ cgi: yesOrNo, php: yesOrNo, sites: listOf(site, maxSites) }, 'web')
