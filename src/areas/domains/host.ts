import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { fileOf, namesOf } from './names.ts'
import { appSiteOf, domainParts } from './part.ts'
import { redirectsOf } from './redirects.ts'
import { effectiveRules } from './site-rules.ts'
import { servedDomains, siteOf } from './store.ts'
import type { DomainRow, StoredRules } from './tables.ts'

type Site = HostParts['web']['sites'][number]

/** The sites that the account's web server should serve. */
export const webHost = (db: Db, account: FullAccount, runtime: Pick<Runtime, 'areas'>): HostParts['web'] => ({
  cgi: account.cgi,
  php: account.php_max_children !== 0,
  sites: servedDomains(db, account.id).map((domain) => siteState(db, domain, runtime)),
})

function siteState(db: Db, domain: DomainRow, runtime: Pick<Runtime, 'areas'>): Site {
  const site = siteOf(db, domain)
  const certificate = certificateOf(db, domain, runtime)
  return {
    file: fileOf(domain.name),
    names: namesOf(domain),
    documentRoot: site.document_root!,
    ...answering(db, site, runtime),
    tls: certificate !== undefined,
    httpsRedirect: domain.https_redirect && certificate !== undefined && certificate !== 'self_signed',
    ...hostRules(effectiveRules(domain, site), domain, certificate),
    redirects: redirectsOf(db, domain.id).map(({ path, match, target, status, keep_path }) => ({
      path,
      match,
      target,
      status,
      keepPath: keep_path,
    })),
  }
}

/** HSTS would shut visitors out while the certificate is self-signed. */
function hostRules(rules: StoredRules, domain: DomainRow, certificate: string | undefined): Pick<Site, 'rules'> {
  const isTrusted = certificate !== undefined && certificate !== 'self_signed'
  const { canonical, hsts_days, security_headers, static_cache_days, error_pages, access, hotlink, real_ip } = rules
  const values = {
    canonical: canonical === 'none' || namesOf(domain).length < 2 ? undefined : canonical,
    hstsDays: (isTrusted && hsts_days) || undefined,
    securityHeaders: security_headers || undefined,
    staticCacheDays: static_cache_days || undefined,
    errorPages: error_pages && Object.entries(error_pages).map(([status, path]) => ({ status, path: path! })),
    access: access?.map(({ path, allow = [], deny = [], users = [] }) => ({ path, allow, deny, users })),
    hotlink: hotlink && { extensions: hotlink.extensions, allow: hotlink.allow ?? [] },
    realIp: real_ip?.length ? real_ip : undefined,
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
