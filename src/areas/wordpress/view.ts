import type { z } from 'zod'
import type { WordpressSite } from '../../contract/wordpress.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { domainParts } from '../domains/part.ts'
import { effectivePhp } from '../domains/php.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import type { WordpressRow } from './tables.ts'

const reasons: Readonly<Record<NonNullable<WordpressRow['problem']>, string>> = {
  'version-unknown': 'Its wp-includes/version.php does not say its version.',
  'config-missing': 'It has no wp-config.php: its installation was not finished.',
  'config-large': 'Its wp-config.php is larger than 64 KiB and was not read.',
  'config-unreadable': 'Its wp-config.php cannot be read, or is not a file.',
  'config-runs': 'Its wp-config.php runs programs or code made while it runs, which a file of settings does not.',
  'config-loops': 'Its wp-config.php has a loop, which a file of settings does not.',
  'config-stops': 'Its wp-config.php ends before it loads WordPress.',
  'database-unknown': 'Its wp-config.php does not name its database.',
  'prefix-invalid':
    'The table prefix in its wp-config.php is missing, or has other characters than letters, digits and _.',
}

/** Row to resource (contract: WordpressSite). */
export function toSite(
  { db, runtime }: Pick<Context, 'db' | 'runtime'>,
  row: WordpressRow,
): z.infer<typeof WordpressSite> {
  const domain = domainById(db, row.domain_id)!
  const origin = originOf({ db, runtime }, domain)
  return {
    id: row.id,
    account_id: row.account_id,
    domain_id: row.domain_id,
    domain: domain.name,
    path: row.path,
    ...present({ version: row.version, php_version: effectivePhp(db, domain) ?? null }),
    url: addressAt(origin, row.path),
    admin_url: `${addressAt(origin, row.core_path).replace(/\/$/, '')}/wp-admin/`,
    ...present({ db: row.database, table_prefix: row.prefix }),
    multisite: row.multisite,
    updates: { ...present({ core: row.core_update }), plugins: row.plugin_updates, themes: row.theme_updates },
    auto_update: row.auto_update,
    ...(row.window_day !== null && { window: { day: row.window_day, hour: row.window_hour! } }),
    environment: row.environment,
    status: row.status,
    ...(row.status === 'unhealthy' && row.problem && { reason: reasons[row.problem] }),
    health: { warnings: 0, errors: 0 },
    last_checked_at: row.checked_at,
    created_at: row.created_at,
  }
}

/** By https where browsers trust the certificate. */
function originOf({ db, runtime }: Pick<Context, 'db' | 'runtime'>, domain: DomainRow): string {
  const kinds = domainParts(runtime).flatMap(({ certificate }) => certificate?.(db, domain) ?? [])
  const isTrusted = kinds.some((kind) => kind !== 'self_signed')
  return `${isTrusted ? 'https' : 'http'}://${domain.name}`
}

const addressAt = (origin: string, path: string): string =>
  new URL(path.split('/').map(encodeURIComponent).join('/'), origin).href
