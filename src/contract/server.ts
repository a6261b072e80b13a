import { z } from 'zod'
import { MAX_PATH_LENGTH } from '../shared/patterns.ts'
import { Brand } from './brand.ts'
import { component, Hostname, Millis } from './common.ts'
import { LetterKinds } from './email-templates.ts'
import { operation } from './operation.ts'
import { PhpVersion } from './php.ts'
import { wafModes } from './site-rules.ts'

const root = { allow: {}, token: { admin: ['server'], account: 'none' } } as const

const Settings = component(
  'Settings',
  z.strictObject({
    two_factor_required: z.enum(['none', 'admins', 'everyone']).describe('Who must sign in with a second factor'),
    password_max_age_days: z
      .int()
      .min(1)
      .max(3650)
      .nullable()
      .describe('Days until a password must be changed; null: never'),
    job_days: z.int().min(1).max(3650).describe('Days that finished jobs and their logs are kept'),
    audit_days: z.int().min(1).max(3650).describe('Days that the audit trail is kept'),
    mail_trace_days: z.int().min(1).max(90).describe('Days that the trace of messages is kept'),
    trash_days: z.int().min(1).max(3650).describe('Days that deleted items are kept in the trash'),
    mysql_public: z
      .boolean()
      .describe('Whether MariaDB listens for hosts that accounts let their database users connect from'),
    acme_directory_url: z
      .string()
      .min(1)
      .max(2048)
      .nullable()
      .describe('Directory of the certificate authority (ACME), to whose terms setting it agrees; null: off'),
    acme_contact_email: z.email().max(254).nullable().describe('Where the certificate authority writes to'),
    acme_ca: z
      .string()
      .min(1)
      .max(65_536)
      .nullable()
      .describe("Certificates in PEM to trust at the certificate authority's address; null: those known to all"),
    autossl_default: z.boolean().describe('Whether domains get certificates automatically unless they opt out'),
    front: z
      .boolean()
      .describe("Whether nginx serves the panel at the server's own name, on port 443; needs a Debian host"),
    webmail_hostname: z
      .string()
      .min(1)
      .max(253)
      .nullable()
      .describe("The name of webmail, which must not share the panel's; null: `webmail.` before the server's name"),
    phpmyadmin_hostname: z
      .string()
      .min(1)
      .max(253)
      .nullable()
      .describe("The name of phpMyAdmin; null: `phpmyadmin.` before the server's name"),
    preview_hostname: z
      .string()
      .min(1)
      .max(220)
      .nullable()
      .describe(
        "The name below which sites have previews, of another registrable domain than the server's; null: previews have no address",
      ),
    server_contact_email: z
      .email()
      .max(254)
      .nullable()
      .describe(
        "Where mail to root, postmaster, abuse and hostmaster at the server's own name goes; null: to acme_contact_email",
      ),
    backup_hour: z.int().min(0).max(23).describe('Hour of the day, in UTC, at which scheduled backups begin'),
    final_backup_days: z
      .int()
      .min(0)
      .max(3650)
      .describe('Days that the final backup of a terminated account is kept; 0: none is made'),
    brand: Brand.omit({ hostname: true })
      .nullable()
      .describe('How the screens look, but for resellers with a brand of their own; null: without one'),
    control_addresses: z
      .array(z.string().min(3).max(260))
      .max(8)
      .describe(
        "Where nodes look for the control plane, in order, such as panel.example.com:7712: its own, then that of the machine that takes over; none: the server's name",
      ),
    git_networks: z
      .array(z.string().max(64))
      .max(100)
      .describe(
        'Ranges of internal addresses that apps may fetch repositories from, and that backups may be sent to over plain http, such as 10.1.0.0/16',
      ),
    contact_email: z
      .email()
      .max(254)
      .nullable()
      .describe('Where root gets mail, such as a link for a forgotten password'),
    mail_from: z
      .email()
      .max(254)
      .nullable()
      .describe("Sender of the panel's own mail; null: `panel@` and the server's name"),
    mail_max_per_hour: z.int().min(1).max(100_000).describe("Messages of the panel's own in an hour; the rest waits"),
    update_source: z
      .url({ protocol: /^https$/ })
      .max(2048)
      .nullable()
      .describe('An https address that the server asks once a day for the newest version; null: none is asked'),
    wordpress_source: z
      .string()
      .max(2048)
      .regex(
        /^(?:https:\/\/[!-~]+|\/(?:[^/\p{Cc}]+\/)*[^/\p{Cc}]+)$/u,
        'must be an https address or the absolute path of a directory',
      )
      .nullable()
      .describe(
        'Where WordPress comes from: an https address or a directory with `wordpress-6.8.1.tar.gz` and its `.sha256`; null: wordpress.org',
      ),
    customer_emails: LetterKinds.describe(
      'Emails that all customers get at their contact address; packages may name more in `letters`',
    ),
    default_php_version: PhpVersion.nullable().describe(
      'The version of PHP of domains without one, on nodes that have it; null: that of Debian',
    ),
    site_idle_minutes: z
      .int()
      .min(0)
      .max(1440)
      .describe('Minutes without a request after which the programs of sites end; 0: never'),
    default_handler: z
      .enum(['static', 'php', 'php-front', 'apache'])
      .nullable()
      .describe(
        'What answers at new domains that name no handler, `php` in place of `apache` on nodes without Apache; null: `apache` where it is set up, else `php`',
      ),
    waf_default: z.enum(wafModes).describe('Of sites that set none'),
    import_dirs: z
      .array(
        z
          .string()
          .max(MAX_PATH_LENGTH)
          .regex(/^\/(?:[^/\0]+\/)*[^/\0]+$/, 'must be absolute paths'),
      )
      .max(20)
      .describe('Directories of the server from which archives of accounts may be imported'),
    import_entries_max: z.int().min(1).max(100_000_000).describe('Files and directories of an imported archive'),
    import_upload_max: z
      .int()
      .min(1)
      .max(16 * 1024 ** 4)
      .describe('Bytes of an archive that is uploaded'),
    import_networks: z
      .array(z.string().max(64))
      .max(100)
      .describe('Ranges of internal addresses that old servers of imports may have, such as 10.1.0.0/16'),
    import_parallel: z.int().min(1).max(8).describe('Imports of accounts that run at once'),
    import_bytes_max: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .describe('Bytes of all files of an imported archive, unpacked'),
    mcp_http: z.boolean().describe('Whether AI agents may connect over HTTP, at /mcp'),
    mcp_clients: z
      .array(
        z
          .string()
          .min(1)
          .max(253)
          .regex(/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[::1\])$/, 'must be host names in lower case and ASCII form'),
      )
      .max(100)
      .describe('Hosts of the clients that people may connect to /mcp; none means all'),
    ban_failures: z
      .int()
      .min(2)
      .max(1000)
      .describe('Failed sign-ins after which an address is banned; one a minute is forgotten'),
    ban_allow: z
      .array(z.string().min(2).max(49))
      .max(1000)
      .describe('Addresses and networks that are never banned, at most /8 of IPv4 or /32 of IPv6'),
    blocklists: z
      .array(Hostname)
      .max(10)
      .describe('Zones that list addresses which send spam; the checks of mail domains ask them'),
    reserved_domains: z
      .array(z.string().min(1).max(253))
      .max(1000)
      .describe('Names that only root can add, with all names below; besides those of large mail providers'),
  }),
)

const columns = [
  'two_factor_required',
  'password_max_age_days',
  'job_days',
  'audit_days',
  'mail_trace_days',
  'trash_days',
  'mysql_public',
  'acme_directory_url',
  'acme_contact_email',
  'autossl_default',
  'contact_email',
  'mail_from',
  'mail_max_per_hour',
  'update_source',
  'wordpress_source',
  'customer_emails',
  'front',
  'webmail_hostname',
  'phpmyadmin_hostname',
  'default_php_version',
  'site_idle_minutes',
  'preview_hostname',
  'server_contact_email',
  'backup_hour',
  'final_backup_days',
  'git_networks',
  'import_dirs',
  'import_entries_max',
  'import_bytes_max',
  'import_networks',
  'import_upload_max',
  'control_addresses',
  'default_handler',
  'waf_default',
  'mcp_http',
  'mcp_clients',
  'ban_failures',
  'ban_allow',
  'blocklists',
  'reserved_domains',
] as const

const Load = z.int().min(0)
const ServerHealth = component(
  'ServerHealth',
  z.strictObject({
    version: z.string().describe('Of the panel'),
    uptime_s: z.int().min(0).describe('Since the machine started'),
    cpus: z.int().min(1),
    load: z
      .strictObject({ one_pct: Load, five_pct: Load, fifteen_pct: Load })
      .describe('Averages over 1, 5 and 15 minutes; 100: one process for each CPU'),
    memory: z.strictObject({ used_mb: z.int().min(0), total_mb: z.int().min(0) }),
    disks: z
      .array(z.strictObject({ path: z.string(), used_mb: z.int().min(0), total_mb: z.int().min(0) }))
      .describe('The file systems of the panel and of homes'),
    certificates_due: z.int().min(0).describe('Those in use that end within 14 days'),
    backups: z.strictObject({
      last_at: Millis.optional().describe('When the newest complete one ended'),
      failed: z.int().min(0).describe('Of the last 24 hours'),
    }),
  }),
)

export const getServerHealth = operation({
  id: 'getServerHealth',
  method: 'get',
  path: '/server/health',
  area: 'host',
  summary: "Show the health of the panel's machine",
  status: 200,
  answer: ServerHealth,
  ...root,
  cli: {
    words: ['server', 'health'],
    columns: [
      'version',
      'uptime_s',
      'cpus',
      'load.one_pct',
      'load.five_pct',
      'load.fifteen_pct',
      'memory.used_mb',
      'memory.total_mb',
      'certificates_due',
      'backups.last_at',
      'backups.failed',
    ],
    sections: [{ field: 'disks', columns: ['path', 'used_mb', 'total_mb'] }],
    examples: ['panel server health'],
  },
})

export const getSettings = operation({
  id: 'getSettings',
  method: 'get',
  path: '/settings',
  area: 'settings',
  summary: "Show the server's settings",
  status: 200,
  answer: Settings,
  ...root,
  cli: {
    words: ['settings', 'show'],
    columns,
    examples: ['panel settings show'],
  },
})

export const updateSettings = operation({
  id: 'updateSettings',
  method: 'patch',
  path: '/settings',
  area: 'settings',
  summary: "Change the server's settings",
  body: component('UpdateSettings', Settings.partial()),
  status: 200,
  answer: Settings,
  ...root,
  cli: {
    words: ['settings', 'update'],
    columns,
    emptied: [
      'ban_allow',
      'blocklists',
      'control_addresses',
      'git_networks',
      'import_dirs',
      'import_networks',
      'mcp_clients',
      'reserved_domains',
    ],
    examples: [
      'panel settings update --two-factor-required admins',
      'panel settings update --acme-directory-url https://acme-v02.api.letsencrypt.org/directory --acme-contact-email admin@host.example',
    ],
  },
})

export const setRootPassword = operation({
  id: 'setRootPassword',
  secret: true,
  method: 'put',
  path: '/root/password',
  area: 'root',
  summary: "Set root's password for the admin panel",
  description:
    "Root's other sessions end, except with its first password. In a session the new password must differ from the current one.",
  body: component(
    'RootPassword',
    z.strictObject({ new_password: z.string().min(8).max(128).describe('8 to 128 characters') }),
  ),
  status: 204,
  ownerOnly: true,
  sensitive: true,
  restricted: 'allowed',
  allow: {},
  token: { admin: 'none', account: 'none' },
  cli: {
    words: ['root', 'set-password'],
    examples: ['panel root set-password', 'panel root set-password --password-stdin'],
  },
})

const License = component(
  'License',
  z.strictObject({
    valid_until: Millis.nullable().describe('When it expires; null: never'),
    valid: z.boolean().describe('Whether it is valid now'),
  }),
)

export const getLicense = operation({
  id: 'getLicense',
  sensitive: 'agents',
  method: 'get',
  path: '/license',
  area: 'license',
  summary: 'Show the license and when it expires',
  status: 200,
  answer: License,
  ...root,
  cli: { words: ['license', 'show'], columns: ['valid', 'valid_until'], examples: ['panel license show'] },
})

export const setLicense = operation({
  id: 'setLicense',
  sensitive: 'agents',
  method: 'put',
  path: '/license',
  area: 'license',
  summary: 'Set when the license expires',
  description: 'After that, every change answers 402 `license-readonly`, and provisioning waits.',
  body: component(
    'SetLicense',
    z.strictObject({ valid_until: Millis.nullable().describe('When it expires; null: never') }),
  ),
  status: 200,
  answer: License,
  licenseFree: true,
  ...root,
  cli: {
    words: ['license', 'set'],
    args: ['valid_until'],
    columns: ['valid', 'valid_until'],
    examples: ['panel license set 2027-12-31', 'panel license set none'],
  },
})

export const getWhm = operation({
  id: 'getWhm',
  method: 'get',
  path: '/whm',
  area: 'whm',
  summary: "Show where billing systems that speak WHM's API connect to",
  status: 200,
  answer: component(
    'Whm',
    z.strictObject({
      enabled: z.boolean().describe('Whether the server was started with --whm-port'),
      url: z.string().optional().describe('Absent where it was not'),
      user: z.string().describe('The username to give beside your token'),
    }),
  ),
  allow: { reseller: 'own' },
  token: { admin: ['accounts', 'packages', 'server'], account: 'none' },
  cli: { words: ['whm', 'show'], columns: ['enabled', 'url', 'user'], examples: ['panel whm show'] },
})
