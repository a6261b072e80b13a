import type { ImportSource } from '../contract/commands/imports.ts'
import { asciiDomain, nameText } from './text.ts'

export type ArchiveFormat = ImportSource['format']

/** Where an entry belongs: `homedir/…`, `mysql/DB.sql`, or what describes the account by its own path. */
export type Place =
  | { readonly path: string }
  /** An archive within, and where each of its entries belongs. */
  | { readonly inner: (path: string) => string | undefined }

interface Layout {
  /** Undefined: passed over. */
  place(path: string): Place | undefined
  /** What describes the account. */
  readonly texts: RegExp
  /** What is known, and not read. */
  readonly known: RegExp
  /** A known entry that is counted, by what it is. */
  kindOf(path: string): string
  /** By which entries that nothing knows are named. */
  nameOf(path: string): string
  /** Of the home: made anew here or of no use. */
  readonly leftOut: RegExp
}

const first = (path: string): string => path.split('/')[0]!
/** Without the directory of the domain. */
const ofFolder = (path: string): string => path.replace(/^([^/]+)\/(?:[^/]+\/)?([^/]+).*$/, '$1 $2')

/** The database of a dump, by its place. */
export const dumpAt = (path: string): string | undefined => /^mysql\/([^/]+)\.sql(?:\.(?:gz|zst))?$/.exec(path)?.[1]

const cpanel: Layout = {
  place: (path) => (path === 'homedir.tar' ? { inner: (inner) => `homedir/${inner}` } : { path }),
  texts:
    /^(?:version|quota|shadow|shell|addons|sds2?|pds|homedir_paths|nobodyfiles|proftpdpasswd|mysql\.sql|mysql\.sql-auth\.json|(?:meta|cp|userdata|va|vad|vf|dnszones|cron|apache_tls|sslcerts|sslkeys|suspended|suspendinfo|ips)\/[^/]+|mysql\/[^/]+\.create)$/,
  known:
    /^(?:bandwidth\w*|counters|logs|locale|authnlinks|customizations|autossl\.json|has_sslstorage|userconfig|digestshadow|webcalls\.json|httpfiles|psql|mma?|mms|ccs|resellerconfig|reseller\w*|team|domainkeys|dnssec_keys|interchange_users|ssl|sslstorage|domainmailboxes|dnsdomains|homedir|mysql|cp|userdata|va|vad|vf|dnszones|cron|apache_tls|sslcerts|sslkeys|suspended|suspendinfo|ips|meta)(?:$|\/)/,
  kindOf: first,
  nameOf: first,
  leftOut:
    /^(?:tmp|logs|ssl|etc|www|access-logs|\.cpanel|\.cphorde|\.cagefs|\.cl\.selector|\.autorespond|\.contactemail|\.panel[^/]*|\.ssh\/authorized_keys2?)(?:\/|$)/,
}

/** Messages: `DOMAIN/LOCAL/Maildir/…`. */
function maildirOf([domain = '', local = '', maildir, ...rest]: readonly string[]): string | undefined {
  const name = asciiDomain(nameText(domain))
  if (name === undefined || local === '' || maildir !== 'Maildir') return undefined
  return ['homedir/mail', name, local, ...rest].join('/')
}

/** A directory `mail` of the home is not one of mailboxes. */
const inHome = (path: string): string => `homedir/${path.replace(/^mail(?=\/|$)/, 'mail.former')}`

function directAdminHome(path: string): string | undefined {
  const parts = path.split('/')
  if (parts[0] === 'imap') return maildirOf(parts.slice(1))
  return parts[0] === 'Maildir' ? ['homedir/mail', ...parts.slice(1)].join('/') : inHome(path)
}

const placeAt = (path: string | undefined): Place | undefined => (path === undefined ? undefined : { path })

const directadmin: Layout = {
  place(path) {
    if (/^backup\/home\.tar(?:\.(?:zst|gz))?$/.test(path)) return { inner: directAdminHome }
    const parts = path.split('/')
    if (parts[0] === 'imap') return placeAt(maildirOf(parts.slice(1)))
    if (parts[0] === 'domains') return { path: `homedir/${path}` }
    const [, domain, older] = /^backup\/([^/]+)\/email\/data\/imap\/(.+)$/.exec(path) ?? []
    if (older !== undefined) return placeAt(maildirOf([domain!, ...older.split('/')]))
    const [, dump] = /^backup\/([^/]+\.sql(?:\.(?:gz|zst))?)$/.exec(path) ?? []
    return { path: dump === undefined ? path : `mysql/${dump}` }
  },
  texts:
    /^backup\/(?:\.shadow|user_ip\.list|(?!reseller\.)[^/]+\.conf|[^/]+\/(?:domain\.(?:conf|pointers|cert|key|cacert|ip_list|cust_httpd|subdomains\.docroot\.override)|[^/]+\.db|subdomain\.list|ftp\.passwd|email\/(?:passwd|quota|aliases|autoresponder\.conf|vacation\.conf|email\.conf|filter(?:\.conf)?|reply\/[^/]+)))$/,
  known:
    /^backup\/(?:bandwidth[^/]*|user\.(?:usage|history|comments)|login\.hist|reseller\.[^/]+|users\.list|packages(?:\.list|\/.*)?|ip\.list|u_welcome\.txt|apache_owned_files\.list|backup_options\.list|roundcube\.xml|email_data\/.*|[^/]+\/(?:ftp\.conf|domain\.(?:usage|cust_\w+)|stats\/.*|email\/(?:data\/.*|lists?\/.*|majordomo\/.*|limit[^/]*|spamassassin[^/]*|blacklist[^/]*|whitelist[^/]*)))$/,
  kindOf: (path) =>
    /^backup\/(?:reseller\.|packages)/.test(path)
      ? 'resellerconfig'
      : /\/email\/(?:lists?|majordomo)\//.test(path)
        ? 'mm'
        : 'backup',
  nameOf: ofFolder,
  leftOut:
    /^(?:tmp|\.shadow|\.contactemail|(?:user|admin)_backups|backups|domains\/[^/]+\/(?:stats|logs|awstats)|\.panel[^/]*|\.ssh\/authorized_keys2?)(?:\/|$)/,
}

const hestia: Layout = {
  place(path) {
    const [, site] = /^web\/([^/]+)\/domain_data\.tar(?:\.(?:zst|gz))?$/.exec(path) ?? []
    if (site !== undefined) return { inner: (inner) => `homedir/web/${site}/${inner}` }
    const [, mail] = /^mail\/([^/]+)\/accounts\.tar(?:\.(?:zst|gz))?$/.exec(path) ?? []
    if (mail !== undefined) return { inner: (inner) => hestiaMail(mail, inner) }
    if (/^user_dir\/[^/]+\.tar(?:\.(?:zst|gz))?$/.test(path)) return { inner: inHome }
    const [, database, dump, end = ''] = /^db\/([^/]+)\/([^/]+)\.mysql\.sql(\.(?:gz|zst))?$/.exec(path) ?? []
    return { path: database !== undefined && database === dump ? `mysql/${database}.sql${end}` : path }
  },
  texts:
    /^(?:(?:hestia|vesta)\/user\.conf|pam\/(?:passwd|shadow)|web\/[^/]+\/(?:hestia|vesta)\/(?:web\.conf|[^/]+\.(?:crt|key|ca))|dns\/[^/]+\/(?:(?:hestia|vesta)\/[^/]+\.conf|conf\/[^/]+\.db)|mail\/[^/]+\/(?:hestia|vesta)\/[^/]+\.(?:conf|msg)|db\/[^/]+\/(?:hestia|vesta)\/db\.conf|cron\/cron\.conf)$/,
  known:
    /^(?:(?:hestia|vesta)\/.*|pam\/group|web\/[^/]+\/(?:hestia|vesta|conf|template|templates)\/.*|mail\/[^/]+\/(?:hestia|vesta|conf)\/.*|dns\/[^/]+\/conf\/.*|db\/[^/]+\/(?:conf\/.*|[^/]+\.(?:pgsql|mysql)\.sql.*)|cron\/[^/]+|\.zstd|backup\.conf)$/,
  kindOf: (path) => (/\.pgsql\.sql/.test(path) ? 'psql' : 'hestia'),
  nameOf: ofFolder,
  leftOut: /^(?:tmp|conf|web\/[^/]+\/(?:logs|stats)|\.panel[^/]*|\.ssh\/authorized_keys2?)(?:\/|$)/,
}

function hestiaMail(domain: string, inner: string): string | undefined {
  const name = asciiDomain(nameText(domain))
  return name === undefined ? undefined : `homedir/mail/${name}/${inner}`
}

export const layouts: Readonly<Record<ArchiveFormat, Layout>> = { cpanel, directadmin, hestia }

/** Whose archive it is, by a path of it; undefined where two panels have the same. */
export function formatOf(path: string): ArchiveFormat | undefined {
  if (/^(?:backup|domains|imap)(?:\/|$)/.test(path)) return 'directadmin'
  if (/^(?:hestia|vesta|pam|web|dns|mail|db|user_dir|\.zstd)(?:\/|$)|^cron\/cron\.conf$/.test(path)) return 'hestia'
  return /^cron(?:\/|$)/.test(path) ? undefined : 'cpanel'
}
