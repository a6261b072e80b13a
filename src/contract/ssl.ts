import { z } from 'zod'
import { component, Id, listOf, Millis, pageOf, paging, search } from './common.ts'
import { certificateKinds, certificateStatuses, challenges, Domain, DomainAccepted } from './domains.ts'
import { operation } from './operation.ts'

const summary = {
  id: Id,
  domain_id: Id,
  domain: z.string().describe('The domain whose site shows it'),
  kind: z.enum(certificateKinds),
  domains: z.array(z.string()).describe('The names it is for'),
  uncovered: z.array(z.string()).describe('Names of the domain that are served but that it is not for'),
  subject: z.string(),
  issuer: z.string(),
  serial_number: z.string().describe('In hexadecimal'),
  key_type: z.string().describe('rsa- and its bits, ec-p256 or ec-p384'),
  not_before: Millis,
  not_after: Millis,
  fingerprint_sha256: z.string().describe('In hexadecimal'),
  status: z.enum(certificateStatuses),
  trusted: z.boolean().describe('Whether its chain ends at a root that clients know'),
  created_at: Millis,
}

export const Certificate = component('Certificate', z.strictObject(summary))
const FullCertificate = component(
  'FullCertificate',
  z.strictObject({
    ...summary,
    certificate: z.string().describe('The certificate, in PEM'),
    ca_bundle: z.string().describe('Its chain without the root, in PEM'),
  }),
)

const job_id = Id.describe('The job that applies the change')
const Accepted = component('CertificateAccepted', z.strictObject({ certificate: Certificate, job_id }))
const Installed = component(
  'CertificateInstalled',
  z.strictObject({
    certificate: Certificate,
    warnings: z.array(z.string()).optional().describe('Such as a missing chain'),
    job_id,
  }),
)

export const keyTypes = ['ec-p256', 'rsa-2048'] as const

export const Csr = component(
  'Csr',
  z.strictObject({
    id: Id,
    domain_id: Id,
    domain: z.string(),
    names: z.array(z.string()),
    key_type: z.enum(keyTypes),
    csr: z.string().describe('The signing request, in PEM'),
    created_at: Millis,
  }),
)

const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
const certificate = z.strictObject({ ...account, cid: Id.describe('The certificate') })
const request = z.strictObject({ ...account, rid: Id.describe('The signing request') })

const area = 'ssl'
const token = { admin: ['accounts'], account: 'ssl' } as const
const withInfo = { allow: { reseller: 'ssl-info', customer: true }, token } as const
const withSsl = { allow: { reseller: 'ssl', customer: true }, token } as const
const withCsrs = { allow: { reseller: 'ssl-gencrt', customer: true }, token } as const
const ended = ['job.completed', 'job.failed'] as const
const columns = ['domain', 'kind', 'domains', 'not_after', 'status', 'trusted'] as const
const csrColumns = ['id', 'domain', 'names', 'key_type', 'created_at'] as const

const MAX_PEM_LENGTH = 65_536
const pem = (what: string) => z.string().max(MAX_PEM_LENGTH).describe(`${what}, in PEM`)
/** A part of a signing request's subject, without the separators of names. */
const part = (max: number, what: string) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}#][^\p{Cc}]*$/u, 'must contain no control characters and not begin with #')
    .optional()
    .describe(what)

export const listCertificates = operation({
  id: 'listCertificates',
  method: 'get',
  path: '/accounts/{id}/ssl/certificates',
  area,
  summary: "List the certificates of an account's domains",
  params,
  query: z.strictObject({
    ...paging,
    status: z.enum(certificateStatuses).optional().describe('Only certificates in this status'),
    q: search('domain'),
  }),
  status: 200,
  answer: pageOf(Certificate),
  ...withInfo,
  cli: {
    words: ['ssl', 'list'],
    variant: 'account',
    columns,
    examples: ['panel ssl list -a alice', 'panel ssl list -a alice --status expiring'],
  },
})

export const getCertificate = operation({
  id: 'getCertificate',
  method: 'get',
  path: '/accounts/{id}/ssl/certificates/{cid}',
  area,
  summary: 'Show a certificate and its chain',
  params: certificate,
  status: 200,
  answer: FullCertificate,
  ...withInfo,
  cli: { words: ['ssl', 'show'], variant: 'account', columns, examples: ['panel ssl show shop.example -a alice'] },
})

export const installCertificate = operation({
  id: 'installCertificate',
  method: 'post',
  path: '/accounts/{id}/ssl/certificates',
  area,
  summary: 'Install a certificate on a domain',
  description:
    "`certificate` and `ca_bundle` have the site's own certificate and its chain, in any order. Text around the PEM blocks is ignored. The key may be in the same text as the certificates. Without a key, that of a signing request made here, or of the certificate in use, must fit. It replaces the certificate in use; if installing it fails permanently, that one stays.",
  params,
  body: component(
    'InstallCertificate',
    z.strictObject({
      domain_id: Id.describe('The domain'),
      certificate: pem('The certificate'),
      private_key: pem('Its private key').optional(),
      ca_bundle: pem('The certificates above it').optional(),
    }),
  ),
  status: 202,
  answer: Installed,
  secret: true,
  feature: 'ssl_install',
  job: 'ssl.install',
  emits: ['ssl.installed', ...ended],
  problems: ['exists'],
  ...withSsl,
  cli: {
    words: ['ssl', 'install'],
    variant: 'account',
    columns,
    show: 'certificate',
    pem: { certificate: 'certificate', chain: 'ca_bundle', key: { field: 'private_key', option: 'key' } },
    examples: [
      'panel ssl install -a alice --domain shop.example --certificate shop.crt --key shop.key --ca-bundle chain.crt',
      'panel ssl install -a alice --domain shop.example --certificate shop.pfx --password-stdin',
    ],
  },
})

export const uninstallCertificate = operation({
  id: 'uninstallCertificate',
  method: 'delete',
  path: '/accounts/{id}/ssl/certificates/{cid}',
  area,
  summary: 'Replace a certificate with a self-signed one',
  params: certificate,
  status: 202,
  answer: Accepted,
  job: 'ssl.uninstall',
  emits: ['ssl.uninstalled', ...ended],
  problems: ['in-use'],
  ...withSsl,
  cli: {
    words: ['ssl', 'uninstall'],
    variant: 'account',
    columns,
    show: 'certificate',
    confirm: 'yes',
    examples: ['panel ssl uninstall shop.example -a alice'],
  },
})

const names = z.array(z.string().min(1).max(253)).min(1).max(100).optional()

export const issueCertificate = operation({
  id: 'issueCertificate',
  method: 'post',
  path: '/accounts/{id}/ssl/issue',
  area,
  summary: 'Have a certificate issued for a domain',
  description:
    'The certificate authority that the server is set to proves the names by a file below the site (http-01) or a record in the zone (dns-01); a wildcard needs dns-01. If names are given, all must be proven; otherwise the served names are used, and `www.` is left out if it cannot be proven. The certificate in use stays until the new one is on the host.',
  params,
  body: component(
    'IssueCertificate',
    z.strictObject({
      domain_id: Id.describe('The domain'),
      names: names.describe('Names, the domain among them; those served if none'),
      challenge: z.enum(challenges).optional().describe("How the names are proven; the domain's own way if not given"),
      key_type: z.enum(keyTypes).optional().describe('ec-p256 if not given'),
    }),
  ),
  status: 202,
  answer: DomainAccepted,
  feature: 'auto_ssl',
  job: 'ssl.issue',
  emits: ['ssl.installed', 'domain.verified', ...ended],
  problems: ['not-configured'],
  ...withSsl,
  cli: {
    words: ['ssl', 'issue'],
    variant: 'account',
    args: ['domain_id'],
    columns: ['name', 'certificate.kind', 'certificate.not_after', 'certificate.status'],
    show: 'domain',
    examples: [
      'panel ssl issue shop.example -a alice',
      "panel ssl issue shop.example -a alice --names shop.example --names '*.shop.example' --challenge dns-01",
    ],
  },
})

export const setAutossl = operation({
  id: 'setAutossl',
  method: 'put',
  path: '/accounts/{id}/domains/{did}/autossl',
  area,
  summary: 'Choose whether a domain gets certificates automatically',
  description:
    'Where it is on, a self-signed certificate is replaced by one from the certificate authority, which is renewed when a third of its lifetime is left. After a failure it is tried again in 1, 4 and 12 hours, then every 24 hours.',
  params: z.strictObject({ ...account, did: Id.describe('The domain') }),
  body: component(
    'SetAutossl',
    z.strictObject({
      enabled: z.boolean().describe('Whether certificates are issued and renewed automatically'),
      challenge: z
        .enum(challenges)
        .optional()
        .describe('How its names are proven: http-01 by default, dns-01 for a wildcard'),
    }),
  ),
  status: 200,
  answer: Domain,
  feature: 'auto_ssl',
  emits: [],
  ...withSsl,
  cli: {
    words: ['ssl', 'set-auto'],
    variant: 'account',
    args: ['enabled'],
    columns: ['name', 'autossl.enabled', 'autossl.challenge', 'autossl.next_attempt_at', 'autossl.last_error'],
    examples: ['panel ssl set-auto shop.example true'],
  },
})

export const createCsr = operation({
  id: 'createCsr',
  method: 'post',
  path: '/accounts/{id}/ssl/csrs',
  area,
  summary: 'Make a key and a certificate signing request',
  description:
    'The key stays on the server. Install the certificate that an authority issues for it without giving a key.',
  params,
  body: component(
    'CreateCsr',
    z.strictObject({
      domain_id: Id.describe('The domain'),
      names: names.describe('Names; those served if none'),
      key_type: z.enum(keyTypes).optional().describe('ec-p256 if not given'),
      organization: part(64, 'Organization'),
      locality: part(128, 'City'),
      state: part(128, 'State or province'),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/, 'must be two capital letters')
        .optional()
        .describe('Country, as DE'),
    }),
  ),
  status: 201,
  answer: Csr,
  feature: 'ssl_install',
  emits: [],
  problems: ['too-many'],
  ...withCsrs,
  cli: {
    words: ['ssl', 'create-csr'],
    variant: 'account',
    columns: csrColumns,
    examples: ['panel ssl create-csr -a alice --domain shop.example'],
  },
})

export const listCsrs = operation({
  id: 'listCsrs',
  method: 'get',
  path: '/accounts/{id}/ssl/csrs',
  area,
  summary: "List an account's certificate signing requests",
  params,
  status: 200,
  answer: listOf(Csr),
  ...withCsrs,
  cli: { words: ['ssl', 'csrs'], variant: 'account', columns: csrColumns, examples: ['panel ssl csrs -a alice'] },
})

const rid = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

export const getCsr = operation({
  id: 'getCsr',
  method: 'get',
  path: '/accounts/{id}/ssl/csrs/{rid}',
  area,
  summary: 'Show a certificate signing request',
  params: request,
  status: 200,
  answer: Csr,
  ...withCsrs,
  cli: {
    words: ['ssl', 'show-csr'],
    variant: 'account',
    columns: csrColumns,
    examples: [`panel ssl show-csr ${rid} -a alice --select csr`],
  },
})

export const deleteCsr = operation({
  id: 'deleteCsr',
  method: 'delete',
  path: '/accounts/{id}/ssl/csrs/{rid}',
  area,
  summary: 'Delete a certificate signing request and its key',
  params: request,
  status: 204,
  emits: [],
  ...withCsrs,
  cli: {
    words: ['ssl', 'delete-csr'],
    variant: 'account',
    confirm: 'yes',
    examples: [`panel ssl delete-csr ${rid} -a alice --yes`],
  },
})
