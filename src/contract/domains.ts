import { z } from 'zod'
import { documentRoot, sitePath } from '../shared/patterns.ts'
import { component, Id, listOf, Millis, pageOf, paging, search, verificationMethods } from './common.ts'
import { operation } from './operation.ts'
import { PhpVersion } from './php.ts'
import { siteRuleChanges, siteRules } from './site-rules.ts'

export const domainKinds = ['main', 'addon', 'sub', 'parked'] as const
/** The main domain comes with the account. */
const addedKinds = domainKinds.filter((kind) => kind !== 'main')
export type DomainKind = (typeof domainKinds)[number]
export const domainStatuses = ['provisioning', 'active', 'deleting'] as const
export const webHandlers = ['static', 'php', 'php-front', 'apache', 'app'] as const
export const certificateKinds = ['self_signed', 'custom', 'acme', 'imported'] as const
export const certificateStatuses = ['valid', 'expiring', 'expired'] as const
export const challenges = ['http-01', 'dns-01'] as const
export const redirectMatches = ['exact', 'prefix'] as const

const DocumentRoot = z
  .string()
  .max(512)
  .regex(
    documentRoot,
    'must be a path of 1 to 8 parts below the home, such as public_html, not in mail, tmp, etc, logs, ssl, cgi-bin or run',
  )
const WebHandler = z
  .enum(webHandlers)
  .describe(
    'What answers: files alone, PHP, PHP with a front controller (/index.php for paths that are not files), PHP with .htaccess files by Apache, or an app',
  )

const ChallengeRecord = component(
  'VerificationRecord',
  z.strictObject({
    name: z.string(),
    type: z.literal('TXT'),
    value: z.string().describe('The same for all names of the account below one registered domain'),
  }),
)

export const Domain = component(
  'Domain',
  z.strictObject({
    id: Id,
    account_id: Id,
    name: z.string().describe('In ASCII form'),
    name_unicode: z.string(),
    kind: z.enum(domainKinds),
    parent_id: Id.optional().describe('Of a sub: the domain with the zone above it; of an alias: whose site it shows'),
    names: z.array(z.string()).describe('The names that are served'),
    document_root: z.string().describe("Relative to the home; of an alias domain its parent's"),
    handler: z.enum(webHandlers),
    app_id: Id.optional(),
    https_redirect: z.boolean().describe('Takes effect while the certificate in use is not self-signed'),
    ...siteRules,
    effective_php_version: z.string().optional().describe('What runs its scripts; absent until the node has said'),
    zone_id: Id.optional(),
    certificate: z
      .strictObject({
        id: Id,
        kind: z.enum(certificateKinds),
        not_after: Millis,
        status: z.enum(certificateStatuses),
        trusted: z.boolean().describe('Whether browsers trust it'),
      })
      .optional()
      .describe('In use; absent until there is one'),
    autossl: z
      .strictObject({
        enabled: z.boolean(),
        challenge: z.enum(challenges),
        last_attempt_at: Millis.optional(),
        last_error: z.string().optional(),
        next_attempt_at: Millis.optional(),
      })
      .optional()
      .describe('Automatic certificates'),
    verified: z
      .boolean()
      .describe("Whether it is shown that the name is the account's; until then it takes and sends no mail"),
    verified_by: z.enum(verificationMethods).optional().describe('What showed it; `parent`: the domain above'),
    verified_at: Millis.optional(),
    verification: z
      .strictObject({
        record: ChallengeRecord.describe('The record that verifies the name wherever it leads'),
        reason: z.string().describe('Why it is not verified, in a sentence'),
        checked_at: Millis.optional(),
        next_check_at: Millis.optional(),
        found: z
          .strictObject({ ns: z.array(z.string()), mx: z.array(z.string()), addresses: z.array(z.string()) })
          .describe('What the public name servers answered'),
      })
      .optional()
      .describe('While it is not verified'),
    status: z.enum(domainStatuses),
    created_at: Millis,
    updated_at: Millis,
  }),
)

export const DomainAccepted = component(
  'DomainAccepted',
  z.strictObject({ domain: Domain, job_id: Id.describe('The job that applies the change') }),
)

const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
const member = z.strictObject({ ...account, did: Id.describe('The domain') })

const area = 'domains'
const read = {
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'domains' },
} as const
const change = {
  allow: { reseller: 'edit-account', customer: true },
  token: { admin: ['accounts'], account: 'domains' },
} as const
const accepted = { status: 202, answer: DomainAccepted } as const
const ended = ['job.completed', 'job.failed'] as const
const columns = ['name', 'kind', 'document_root', 'handler', 'certificate.status', 'status'] as const
const verificationColumns = [
  'name',
  'verified',
  'verified_by',
  'verification.reason',
  'verification.record.name',
  'verification.record.value',
] as const

export const listDomains = operation({
  id: 'listDomains',
  method: 'get',
  path: '/accounts/{id}/domains',
  area,
  summary: "List an account's domains",
  params,
  query: z.strictObject({
    ...paging,
    kind: z.enum(domainKinds).optional().describe('Only domains of this kind'),
    verified: z.boolean().optional().describe('Only domains that are verified, or that are not'),
    q: search('name'),
  }),
  status: 200,
  answer: pageOf(Domain),
  ...read,
  cli: {
    words: ['domains', 'list'],
    variant: 'account',
    columns,
    examples: ['panel domains list -a alice', 'panel domains list -a alice --kind sub'],
  },
})

export const listAllDomains = operation({
  id: 'listAllDomains',
  method: 'get',
  path: '/domains',
  area,
  summary: 'List the domains of all accounts',
  query: z.strictObject({
    ...paging,
    kind: z.enum(domainKinds).optional().describe('Only domains of this kind'),
    status: z.enum(domainStatuses).optional().describe('Only domains in this status'),
    verified: z.boolean().optional().describe('Only domains that are verified, or that are not'),
    account_id: Id.optional().describe('Only domains of this account'),
    owner_id: Id.optional().describe('Only domains of accounts of this owner'),
    sort: z
      .enum(['name', 'created_at'])
      .optional()
      .describe('created_at by default; an exact match comes first only where neither this nor `after` is given'),
    after: z
      .string()
      .max(254)
      .optional()
      .describe('Only domains after this one: its id, or its name when sorted by name; instead of `page`'),
    q: search('name'),
  }),
  status: 200,
  answer: pageOf(
    component(
      'DomainOfAccount',
      z.strictObject({ ...Domain.shape, username: z.string().describe('Of its account'), owner_id: Id }),
    ),
  ),
  allow: { reseller: 'list-accts' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['domains', 'list-all'],
    columns: ['name', 'username', ...columns.slice(1)],
    examples: ['panel domains list-all', 'panel domains list-all --search shop --kind addon --sort name'],
  },
})

export const createDomain = operation({
  id: 'createDomain',
  method: 'post',
  path: '/accounts/{id}/domains',
  area,
  summary: 'Add a domain to an account',
  description:
    'Below a domain of the account it is a subdomain, else an addon domain; an alias shows the site of another. A subdomain may be a wildcard such as `*.shop.example`. If creating it fails permanently, the domain is removed and its name is free again.',
  params,
  body: component(
    'CreateDomain',
    z.strictObject({
      name: z.string().min(1).max(253).describe('Such as shop.example; in Unicode or ASCII form'),
      kind: z
        .enum(addedKinds)
        .optional()
        .describe('By default a subdomain if it is below a domain of the account, else an addon domain'),
      parent_id: Id.optional().describe('Of an alias domain: whose site it shows; the main domain by default'),
      document_root: DocumentRoot.optional().describe('Where its files are, relative to the home'),
      handler: WebHandler.optional(),
      app_id: Id.optional().describe('The app that answers'),
      https_redirect: z.boolean().optional().describe('Send visitors of http:// to https://'),
      php_version: PhpVersion.optional().describe('The version of PHP'),
    }),
  ),
  ...accepted,
  ...change,
  job: 'domain.create',
  emits: ['domain.created', 'dns.zone.created', 'dns.record.created', ...ended],
  problems: ['exists', 'limit-reached', 'too-many', 'feature-disabled', 'not-configured'],
  cli: {
    implies: { field: 'app_id', sets: 'handler', to: 'app' },
    words: ['domains', 'create'],
    variant: 'account',
    args: ['name'],
    columns,
    show: 'domain',
    examples: [
      'panel domains create shop.example -a alice',
      'panel domains create blog.shop.example -a alice --document-root sites/blog --handler static',
      'panel domains create shop.test -a alice --kind parked --parent shop.example',
    ],
  },
})

export const getDomain = operation({
  id: 'getDomain',
  method: 'get',
  path: '/accounts/{id}/domains/{did}',
  area,
  summary: 'Show a domain',
  params: member,
  status: 200,
  answer: Domain,
  ...read,
  cli: {
    words: ['domains', 'show'],
    variant: 'account',
    columns,
    examples: ['panel domains show shop.example'],
  },
})

export const deleteDomain = operation({
  id: 'deleteDomain',
  method: 'delete',
  path: '/accounts/{id}/domains/{did}',
  area,
  summary: 'Delete a domain',
  description:
    'Its zone or records and its certificate go with it; its files stay in the home. Deleting it again in the meantime returns the same job.',
  params: member,
  ...accepted,
  ...change,
  job: 'domain.delete',
  emits: ['ssl.uninstalled', 'dns.zone.deleted', 'dns.record.deleted', 'domain.deleted', ...ended],
  problems: ['in-use'],
  cli: {
    words: ['domains', 'delete'],
    variant: 'account',
    columns,
    show: 'domain',
    confirm: 'yes',
    examples: ['panel domains delete shop.example'],
  },
})

export const updateDomain = operation({
  id: 'updateDomain',
  method: 'patch',
  path: '/accounts/{id}/domains/{did}',
  area,
  summary: "Change a domain's site",
  description:
    'A request with a password for `access` takes no `Idempotency-Key`. Only root may set `nginx_include`, or an admin token that has the area `server`, too; others do not see it.',
  secretAt: 'access.users.password',
  ofRoot: { nginx_include: 'server' },
  params: member,
  body: component(
    'UpdateDomain',
    z.strictObject({
      document_root: DocumentRoot.optional().describe('Where its files are, relative to the home'),
      handler: WebHandler.optional(),
      app_id: Id.optional().describe('The app that answers'),
      https_redirect: z.boolean().optional().describe('Send visitors of http:// to https://'),
      ...siteRuleChanges,
    }),
  ),
  fieldCodes: { php: 'validation' },
  ...accepted,
  ...change,
  job: 'domain.update',
  emits: ended,
  problems: ['feature-disabled', 'not-configured'],
  cli: {
    implies: { field: 'app_id', sets: 'handler', to: 'app' },
    words: ['domains', 'update'],
    variant: 'account',
    columns,
    show: 'domain',
    examples: [
      'panel domains update shop.example --handler apache',
      'panel domains update shop.example --php-version 8.1 --php-upload-max-mb 300',
      'panel domains update shop.example --canonical www --hsts-days 180',
      'panel domains update shop.example --static-cache-days none',
    ],
  },
})

export const directiveKinds = ['access', 'rewrite', 'redirect', 'php', 'header', 'other'] as const

export const HtaccessDirective = component(
  'HtaccessDirective',
  z.strictObject({
    file: z.string().describe('From the home'),
    line: z.int().min(1),
    directive: z.string().describe('Its name, without its value'),
    kind: z.enum(directiveKinds).describe('What it is about'),
    obeyed: z.boolean().describe('Whether it takes effect'),
  }),
)

export const checkHtaccess = operation({
  id: 'checkHtaccess',
  method: 'get',
  path: '/accounts/{id}/domains/{did}/htaccess',
  area,
  host: true,
  summary: "List the directives of a site's .htaccess files, and which take effect",
  description:
    'Of the files in the document root, below it and on the way to it: at most 2,000 files of at most 64 KiB, 12 directories deep, within 20 seconds. Access rules come first, then by file and line.',
  params: member,
  status: 200,
  answer: z.strictObject({
    items: z.array(HtaccessDirective),
    more: z.boolean().describe('Whether there is more than was read'),
  }),
  ...read,
  cli: {
    words: ['domains', 'check'],
    variant: 'account',
    columns: ['file', 'line', 'directive', 'kind', 'obeyed'],
    examples: ['panel domains check shop.example'],
  },
})

const MAX_PREVIEW_HOURS = 720

export const Preview = component(
  'Preview',
  z.strictObject({
    url: z.string().optional().describe('Absent unless the server has a name for previews, and hosts the account'),
    hosts_line: z.string().describe('A line for the hosts file of a computer, which shows the site there as well'),
    expires_at: Millis,
    trusted: z.boolean().optional().describe('Whether browsers accept the certificate of the url'),
  }),
)
const PreviewAccepted = component(
  'PreviewAccepted',
  z.strictObject({ preview: Preview, job_id: Id.describe('The job that applies the change') }),
)
const previewColumns = ['url', 'hosts_line', 'expires_at', 'trusted'] as const

export const createPreview = operation({
  id: 'createPreview',
  method: 'post',
  path: '/accounts/{id}/domains/{did}/preview',
  area,
  summary: "Show a domain's site before its name leads here",
  description: 'A domain has one preview: asking again keeps its address, and sets a new time.',
  params: member,
  body: component(
    'CreatePreview',
    z.strictObject({
      hours: z.int().min(1).max(MAX_PREVIEW_HOURS).optional().describe('How long it lasts; 24 by default'),
    }),
  ),
  status: 202,
  answer: PreviewAccepted,
  ...change,
  job: 'domain.update',
  emits: ended,
  problems: ['suspended', 'not-configured'],
  cli: {
    words: ['domains', 'preview'],
    variant: 'account',
    columns: previewColumns,
    show: 'preview',
    examples: ['panel domains preview shop.example --hours 48'],
  },
})

export const getPreview = operation({
  id: 'getPreview',
  method: 'get',
  path: '/accounts/{id}/domains/{did}/preview',
  area,
  summary: "Show a domain's preview",
  params: member,
  status: 200,
  answer: Preview,
  ...read,
  cli: {
    words: ['domains', 'show-preview'],
    variant: 'account',
    columns: previewColumns,
    examples: ['panel domains show-preview shop.example'],
  },
})

export const deletePreview = operation({
  id: 'deletePreview',
  method: 'delete',
  path: '/accounts/{id}/domains/{did}/preview',
  area,
  summary: "End a domain's preview",
  params: member,
  status: 202,
  answer: PreviewAccepted,
  ...change,
  job: 'domain.update',
  emits: ended,
  cli: {
    words: ['domains', 'delete-preview'],
    variant: 'account',
    columns: previewColumns,
    show: 'preview',
    examples: ['panel domains delete-preview shop.example'],
  },
})

export const verifyDomain = operation({
  id: 'verifyDomain',
  method: 'post',
  path: '/accounts/{id}/domains/{did}/verify',
  area,
  summary: "Look for what shows that a domain is the account's",
  description:
    'Asks the public name servers now. The job succeeds whether or not the domain is verified then; its log says what was found. While such a job is unfinished, it is returned again.',
  params: member,
  ...accepted,
  ...change,
  job: 'domain.verify',
  emits: ['domain.verified', ...ended],
  cli: {
    words: ['domains', 'verify'],
    variant: 'account',
    columns: verificationColumns,
    show: 'domain',
    failsWhen: { field: 'verified', value: false },
    examples: ['panel domains verify shop.example'],
  },
})

export const setDomainVerified = operation({
  id: 'setDomainVerified',
  method: 'put',
  path: '/accounts/{id}/domains/{did}/verified',
  area,
  summary: "Say that a domain is the account's, or that it must be shown again",
  params: member,
  body: component(
    'SetDomainVerified',
    z.strictObject({ verified: z.boolean().describe('Whether it counts as verified, whatever its DNS says') }),
  ),
  ...accepted,
  allow: {},
  token: { admin: ['server'], account: 'none' },
  job: 'domain.verify',
  emits: ['domain.verified', ...ended],
  cli: {
    words: ['domains', 'set-verified'],
    variant: 'account',
    args: ['verified'],
    columns: verificationColumns,
    show: 'domain',
    examples: ['panel domains set-verified shop.example true'],
  },
})

export const claimDomain = operation({
  id: 'claimDomain',
  method: 'post',
  path: '/accounts/{id}/domains/claim',
  area,
  summary: 'Claim a name that another account has without being verified',
  description:
    "Succeeds if the record in the response is found in the name's public DNS while its holder is not verified. The holder then loses the domain, and the name with all below it is reserved for this account for an hour. Unverified domains of other accounts below the name go with it; none is taken if one of them is verified or a main domain. A repeated request returns the unfinished job.",
  params,
  body: component(
    'ClaimDomain',
    z.strictObject({ name: z.string().min(1).max(253).describe('Name, in Unicode or ASCII form') }),
  ),
  status: 202,
  answer: component(
    'DomainClaim',
    z.strictObject({
      name: z.string().describe('In ASCII form'),
      record: ChallengeRecord,
      job_id: Id.describe('The job that looks for the record'),
    }),
  ),
  ...change,
  job: 'domain.claim',
  emits: ['ssl.uninstalled', 'dns.zone.deleted', 'dns.record.deleted', 'domain.deleted', ...ended],
  problems: ['not-found', 'in-use', 'feature-disabled'],
  cli: {
    words: ['domains', 'claim'],
    variant: 'account',
    args: ['name'],
    columns: ['name', 'record.name', 'record.value'],
    examples: ['panel domains claim shop.example -a bob'],
  },
})

export const Redirect = component(
  'Redirect',
  z.strictObject({
    id: Id,
    domain_id: Id,
    path: z.string(),
    match: z.enum(redirectMatches),
    target: z.string(),
    status: z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)]),
    keep_path: z.boolean(),
    created_at: Millis,
  }),
)

const RedirectAccepted = component(
  'RedirectAccepted',
  z.strictObject({ redirect: Redirect, job_id: Id.describe('The job that applies the change') }),
)
const redirectColumns = ['id', 'path', 'match', 'target', 'status'] as const

export const listRedirects = operation({
  id: 'listRedirects',
  method: 'get',
  path: '/accounts/{id}/domains/{did}/redirects',
  area,
  summary: "List a domain's redirects",
  params: member,
  status: 200,
  answer: listOf(Redirect),
  ...read,
  cli: {
    words: ['domains', 'redirects'],
    variant: 'account',
    columns: redirectColumns,
    examples: ['panel domains redirects shop.example'],
  },
})

export const createRedirect = operation({
  id: 'createRedirect',
  method: 'post',
  path: '/accounts/{id}/domains/{did}/redirects',
  area,
  summary: 'Add a redirect to a domain',
  description: '`prefix` also takes all paths below. `keep_path` adds the path that was asked for to the target.',
  params: member,
  body: component(
    'CreateRedirect',
    z.strictObject({
      path: z
        .string()
        .regex(sitePath, 'must begin with / and hold letters, digits and . _ ~ / -')
        .describe('Path that is redirected'),
      target: z.string().min(1).max(2048).describe('Where to, as an absolute http(s) URL'),
      match: z.enum(redirectMatches).optional().describe('That path alone (exact), or those below it too (prefix)'),
      status: z
        .union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)])
        .optional()
        .describe('HTTP status; 301 if none is named'),
      keep_path: z.boolean().optional().describe('Add the path that was asked for to the target'),
    }),
  ),
  status: 202,
  answer: RedirectAccepted,
  ...change,
  feature: 'redirects',
  job: 'domain.update',
  emits: ended,
  problems: ['exists', 'too-many'],
  cli: {
    words: ['domains', 'add-redirect'],
    variant: 'account',
    args: ['path', 'target'],
    columns: redirectColumns,
    show: 'redirect',
    examples: [
      'panel domains add-redirect shop.example /old https://new.example/',
      'panel domains add-redirect shop.example / https://new.example --match prefix --keep-path',
    ],
  },
})

export const deleteRedirect = operation({
  id: 'deleteRedirect',
  method: 'delete',
  path: '/accounts/{id}/domains/{did}/redirects/{rid}',
  area,
  summary: 'Delete a redirect',
  params: z.strictObject({ ...member.shape, rid: Id.describe('The redirect') }),
  status: 202,
  answer: RedirectAccepted,
  ...change,
  job: 'domain.update',
  emits: ended,
  cli: {
    words: ['domains', 'delete-redirect'],
    variant: 'account',
    columns: redirectColumns,
    show: 'redirect',
    confirm: 'yes',
    examples: ['panel domains delete-redirect shop.example 01K9ZQ5T3M8V4X7C2B6N1D0FGH'],
  },
})
