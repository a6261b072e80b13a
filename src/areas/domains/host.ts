import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { previewHostname } from '../../runtime/settings/server-names.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { phpChildren } from '../accounts/objects/host.ts'
import { partsOf } from '../accounts/objects/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { isProven, mailLabelsOf, mailPolicyOf, mailServerOf, takesMail } from './mail-names.ts'
import { fileOf, namesOf } from './names.ts'
import { appSiteOf, domainParts } from './part.ts'
import { phpLimits, phpPools, sitePhp } from './php.ts'
import { previewOf } from './preview/store.ts'
import { redirectsOf } from './redirects.ts'
import { effectiveRules } from './site-rules.ts'
import { servedDomains, siteOf } from './store.ts'
import type { DomainRow, StoredRules } from './tables.ts'
import { wafState } from './waf/rules.ts'

type HostSite = HostParts['web']['sites'][number]

type Composed = Pick<Runtime, 'areas' | 'hostname' | 'store'>

/** The sites that the account's web server should serve. */
export function webHost(db: Db, account: FullAccount, runtime: Composed): HostParts['web'] {
  const sites = servedDomains(db, account.id).map((domain) => ({
    ...siteState(db, domain, account, runtime),
    ...previewState(db, domain, account),
  }))
  const needsApache = sites.some(({ handler }) => handler === 'apache')
  return {
    cgi: account.cgi,
    php: account.php_max_children !== 0,
    sites,
    ...(needsApache && { idleMinutes: phpLimits(db, account.id).idleMinutes }),
  }
}

/** What the account's PHP runs: nothing for sites that have no scripts. */
export function phpHost(db: Db, account: FullAccount, runtime: Pick<Runtime, 'areas'>): HostParts['php'] {
  const sites = servedDomains(db, account.id).filter(({ kind }) => kind !== 'parked')
  const scripted = sites.filter((site) => ['php', 'php-front', 'apache'].includes(answering(db, site, runtime).handler))
  const pools = scripted.map((site) => ({ site, file: fileOf(site.name) }))
  const sendsAsUser = partsOf(runtime).some((part) => part.sendsAsUser?.(db, account.id))
  return {
    children: phpChildren(db, account),
    ...(sendsAsUser && { sendsAsUser }),
    ...phpLimits(db, account.id),
    ...phpPools(db, account.id, pools),
  }
}

function siteState(db: Db, domain: DomainRow, account: FullAccount, runtime: Composed): HostSite {
  const site = siteOf(db, domain)
  const certificate = certificateOf(db, domain, runtime)
  return {
    file: fileOf(domain.name),
    names: namesOf(domain),
    documentRoot: site.document_root!,
    ...answering(db, site, runtime),
    php: sitePhp(db, site, fileOf(site.name)),
    tls: certificate !== undefined,
    httpsRedirect: domain.https_redirect && certificate !== undefined && certificate !== 'self_signed',
    ...mailState(db, domain, runtime),
    ...hostRules(effectiveRules(domain, site), domain, certificate, wafState(runtime, account, domain, site)),
    redirects: redirectsOf(db, domain.id).map(({ path, match, target, status, keep_path }) => ({
      path,
      match,
      target,
      status,
      keepPath: keep_path,
    })),
  }
}

/** What mail programs ask for below its name, and what they are told. */
function mailState(db: Db, domain: DomainRow, runtime: Composed): Pick<HostSite, 'mail'> {
  const labels = mailLabelsOf(runtime, db, domain)
  if (labels.length === 0) return {}
  const proven = labels.filter((label) => isProven(runtime, db, domain, `${label}.${domain.name}`))
  const server = takesMail(runtime, db, domain) ? mailServerOf(runtime, db, domain) : undefined
  const policy = mailPolicyOf(runtime, db, domain)
  return { mail: { labels, proven, ...(server !== undefined && { server }), ...(policy && { policy }) } }
}

/** Names of previews lead to the server's own machine. */
function previewState(db: Db, { id }: DomainRow, { node }: FullAccount): { readonly preview?: string } {
  const preview = previewOf(db, id)
  const hostname = previewHostname(db)
  if (!preview || hostname === undefined || node !== localNode) return {}
  return { preview: `${preview.label}.${hostname}` }
}

/** HSTS would shut visitors out while the certificate is self-signed. */
function hostRules(
  rules: StoredRules,
  domain: DomainRow,
  certificate: string | undefined,
  waf: ReturnType<typeof wafState>,
): Pick<HostSite, 'rules'> {
  const isTrusted = certificate !== undefined && certificate !== 'self_signed'
  const {
    canonical,
    hsts_days,
    security_headers,
    static_cache_days,
    error_pages,
    access,
    hotlink,
    real_ip,
    http3,
    nginx_include,
  } = rules
  const values = {
    canonical: canonical === 'none' || namesOf(domain).length < 2 ? undefined : canonical,
    hstsDays: (isTrusted && hsts_days) || undefined,
    securityHeaders: security_headers || undefined,
    staticCacheDays: static_cache_days || undefined,
    errorPages: error_pages && Object.entries(error_pages).map(([status, path]) => ({ status, path: path! })),
    access: access?.map(({ path, allow = [], deny = [], users = [] }) => ({ path, allow, deny, users })),
    hotlink: hotlink && { extensions: hotlink.extensions, allow: hotlink.allow ?? [] },
    realIp: real_ip?.length ? real_ip : undefined,
    http3: http3 || undefined,
    include: nginx_include,
    waf,
  }
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return present.length === 0 ? {} : { rules: Object.fromEntries(present) }
}

/** A site whose app is gone serves nothing. */
const answering = (db: Db, { account_id, handler, app_id }: DomainRow, runtime: Pick<Runtime, 'areas'>) =>
  handler === 'app'
    ? (app_id && appSiteOf(runtime, db, account_id, app_id)) || ({ handler: 'off' } as const)
    : { handler }

function certificateOf(db: Db, domain: DomainRow, runtime: Pick<Runtime, 'areas'>) {
  for (const { certificate } of domainParts(runtime)) {
    const kind = certificate?.(db, domain)
    if (kind) return kind
  }
  return undefined
}
