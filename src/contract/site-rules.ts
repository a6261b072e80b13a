import { z } from 'zod'
import { sitePath } from '../shared/patterns.ts'
import { MAX_PARANOIA } from '../shared/waf.ts'
import { component } from './common.ts'
import { PhpSettings, PhpSettingsChange, PhpVersion } from './php.ts'

export const canonicalNames = ['name', 'www', 'none'] as const
export const errorCodes = ['401', '403', '404', '410', '50x'] as const

export const wafModes = ['off', 'watch', 'block'] as const

export const MAX_ACCESS_RULES = 50
const MAX_NETWORKS = 100
const MAX_USERS = 50
const MAX_EXTENSIONS = 20
const MAX_HOSTS = 50
const MAX_PROXY_NETWORKS = 50
export const MAX_INCLUDE_BYTES = 16 * 1024

const SitePath = z.string().max(512).regex(sitePath, 'must be a path such as /private')
const Network = z.string().max(64).describe('An address or a network such as 192.0.2.0/24')
const UserName = z
  .string()
  .regex(/^[A-Za-z0-9._@-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens, underscores or @')
const Extension = z.string().regex(/^[A-Za-z0-9]{1,10}$/, 'must be a file extension such as jpg, without a dot')
const HostName = z
  .string()
  .max(253)
  .regex(/^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/, 'must be a name such as shop.example or *.shop.example')

const ErrorPages = component(
  'ErrorPages',
  z.strictObject(
    Object.fromEntries(
      errorCodes.map((code) => [
        code,
        SitePath.optional().describe(`The page for ${code === '50x' ? '500, 502, 503 and 504' : code}`),
      ]),
    ) as Record<(typeof errorCodes)[number], z.ZodOptional<typeof SitePath>>,
  ),
)
const Hotlink = component(
  'Hotlink',
  z.strictObject({
    extensions: z.array(Extension).min(1).max(MAX_EXTENSIONS),
    allow: z.array(HostName).max(MAX_HOSTS).optional().describe('Other sites that may show the files'),
  }),
)

const accessOf = <User extends z.ZodType>(user: User) =>
  z.strictObject({
    path: SitePath.describe('Holds for it and all below it'),
    allow: z.array(Network).min(1).max(MAX_NETWORKS).optional().describe('Only these may visit'),
    deny: z.array(Network).min(1).max(MAX_NETWORKS).optional().describe('These may not visit; prevails over allow'),
    users: z.array(user).min(1).max(MAX_USERS).optional().describe('Who must sign in'),
  })
const Access = component('AccessRule', accessOf(z.strictObject({ name: UserName })))
const AccessChange = component(
  'AccessRuleChange',
  accessOf(
    z.strictObject({
      name: UserName,
      password: z
        .string()
        .min(8)
        .max(255)
        .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
        .optional()
        .describe('By default the password that the user of this name has at this path'),
    }),
  ),
)

const wafMode = z.enum(wafModes).describe('What happens to attacks: nothing, a record, or 403')
const paranoia = z.int().min(1).max(MAX_PARANOIA).describe('At 3, visitors are often taken for attackers')

/** How a web application firewall checks requests to a site. */
const Waf = component('Waf', z.strictObject({ mode: wafMode, paranoia }))
const WafChange = component(
  'WafChange',
  z.strictObject({ mode: wafMode.nullable().optional(), paranoia: paranoia.nullable().optional() }),
)

const shape = {
  php_version: PhpVersion.describe("The version of PHP; the main domain's, or else the server's, if not set"),
  canonical: z
    .enum(canonicalNames)
    .describe('Where visitors of the other name are sent: the name itself, its www name, or nowhere'),
  hsts_days: z
    .int()
    .min(0)
    .max(730)
    .describe('Browsers use https alone for so many days; not sent with a self-signed certificate'),
  security_headers: z
    .boolean()
    .describe('Sends X-Content-Type-Options and Referrer-Policy, where the site sends none of its own'),
  static_cache_days: z
    .int()
    .min(0)
    .max(365)
    .describe('Browsers keep images, fonts, styles and scripts for so many days'),
  error_pages: ErrorPages.describe('Files of the site to show for errors'),
  access: z.array(Access).max(MAX_ACCESS_RULES).describe('Who may visit which paths'),
  hotlink: Hotlink.describe('Files that other sites may not show'),
  http3: z.boolean().describe('Answers by QUIC, too'),
  nginx_include: z
    .string()
    .min(1)
    .max(MAX_INCLUDE_BYTES)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
    .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not contain control characters')
    .describe("Directives for nginx, in the site's server block; nginx checks them when the job runs. Root's alone"),
  real_ip: z
    .array(Network)
    .max(MAX_PROXY_NETWORKS)
    .describe(
      "Proxies before the site, whose header names the visitor's address; `cloudflare` stands for its networks",
    ),
} as const

/** The rules of a site, as a domain shows those that were set. */
export const siteRules = {
  php_version: shape.php_version.optional(),
  php: PhpSettings.optional().describe('Settings of PHP'),
  canonical: shape.canonical.optional(),
  hsts_days: shape.hsts_days.optional(),
  security_headers: shape.security_headers.optional(),
  static_cache_days: shape.static_cache_days.optional(),
  error_pages: shape.error_pages.optional(),
  access: shape.access.optional(),
  hotlink: shape.hotlink.optional(),
  real_ip: shape.real_ip.optional(),
  http3: shape.http3.optional(),
  nginx_include: shape.nginx_include.optional(),
  waf: Waf.optional().describe("The web application firewall; the server's `waf_default` where nothing is set"),
} as const

/** The same in a change; null puts back the default. */
export const siteRuleChanges = {
  php_version: shape.php_version.nullable().optional(),
  php: PhpSettingsChange.nullable().optional().describe('Changes the settings of PHP that it names'),
  canonical: shape.canonical.nullable().optional(),
  hsts_days: shape.hsts_days.nullable().optional(),
  security_headers: shape.security_headers.nullable().optional(),
  static_cache_days: shape.static_cache_days.nullable().optional(),
  error_pages: shape.error_pages.nullable().optional(),
  access: z.array(AccessChange).max(MAX_ACCESS_RULES).nullable().optional().describe('Replaces all access rules'),
  hotlink: shape.hotlink.nullable().optional(),
  real_ip: shape.real_ip.nullable().optional(),
  http3: shape.http3.nullable().optional(),
  nginx_include: shape.nginx_include.nullable().optional(),
  waf: WafChange.nullable()
    .optional()
    .describe('Changes the web application firewall; needs the feature `waf`, and a server that was set up with it'),
} as const

export type SiteRules = z.infer<z.ZodObject<typeof siteRules>>
export type SiteRuleChanges = z.infer<z.ZodObject<typeof siteRuleChanges>>
export type AccessRule = z.infer<typeof Access>
