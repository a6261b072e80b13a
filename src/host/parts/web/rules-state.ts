import { isIP } from 'node:net'
import { MAX_DOMAIN_LENGTH, sitePath } from '../../../shared/patterns.ts'
import { HostError } from '../../contract/error.ts'
import { complete, type FieldCheck, listOf, object, oneOf, optional, text, yesOrNo } from '../../contract/fields.ts'

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
}

const path = text(sitePath, 512)
const extension = text(/^[A-Za-z0-9]{1,10}$/)
const hostName = text(/^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/, MAX_DOMAIN_LENGTH)

const network: FieldCheck = (value, field) => {
  text(/^[0-9a-f.:]{2,45}(?:\/[0-9]{1,3})?$/)(value, field)
  const [address, bits] = String(value).split('/')
  const version = isIP(address!)
  if (version === 0 || Number(bits ?? 0) > (version === 4 ? 32 : 128))
    throw new HostError('stage', `The ${field} is not valid; nothing was written to the host.`)
}
const proxy: FieldCheck = (value, field) => (value === 'cloudflare' ? undefined : network(value, field))

const user = object<AccessUser>(
  { name: text(/^[A-Za-z0-9._@-]{1,64}$/), hash: text(/^\{SSHA\}[A-Za-z0-9+/]{48}$/) },
  'a user',
)
const accessRule = object<AccessRule>(
  { path, allow: listOf(network, 100), deny: listOf(network, 100), users: listOf(user, 50) },
  'an access rule',
)
const errorPage = object<ErrorPage>({ status: oneOf('401', '403', '404', '410', '50x'), path }, 'an error page')

export const siteRules = object<SiteRules>(
  {
    canonical: optional(oneOf('name', 'www')),
    hstsDays: optional(complete(1, 730)),
    securityHeaders: optional(yesOrNo),
    staticCacheDays: optional(complete(1, 365)),
    errorPages: optional(listOf(errorPage, 5)),
    access: optional(listOf(accessRule, 50)),
    hotlink: optional(
      object<NonNullable<SiteRules['hotlink']>>(
        { extensions: listOf(extension, 20), allow: listOf(hostName, 50) },
        'hotlink rules',
      ),
    ),
    realIp: optional(listOf(proxy, 50)),
  },
  "a site's rules",
)
