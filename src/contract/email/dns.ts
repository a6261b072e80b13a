import { z } from 'zod'
import { component, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { access, area, ended, jobId } from './common.ts'
import { domainParams } from './domains.ts'

/** Those that mail cannot do without come first. */
export const neededKinds = ['mx', 'spf', 'dkim', 'dmarc'] as const
export const recordKinds = [...neededKinds, 'ptr', 'helo', 'mta_sts', 'tls_rpt', 'blocklist'] as const
export const recordStatuses = ['ok', 'missing', 'different', 'unknown'] as const

export const EmailDns = component(
  'EmailDns',
  z.strictObject({
    domain: z.string(),
    checked_at: Millis.optional(),
    records: z.array(
      z.strictObject({
        kind: z.enum(recordKinds),
        name: z.string().describe('Where the record is, as a whole name'),
        wanted: z.string().optional().describe('What to publish there; absent where any will do'),
        found: z.array(z.string()).describe('What name servers answered'),
        status: z.enum(recordStatuses).describe('`unknown`: not checked yet, or no answer came'),
        advice: z.string().describe('What it means, and what to do'),
      }),
    ),
  }),
)

const cli = <const W extends string>(verb: W) => ({
  words: ['email', verb] as const,
  variant: 'account' as const,
  columns: ['kind', 'status', 'name', 'found', 'wanted', 'advice'] as const,
  rows: 'records' as const,
  examples: [`panel email ${verb} alice.example`] as const,
})

export const getEmailDns = operation({
  id: 'getEmailDns',
  method: 'get',
  path: '/accounts/{id}/email/domains/{did}/dns',
  area,
  summary: "Show the DNS records that a domain's mail needs",
  description:
    'With what the last check found: the records that its mail needs, then what receivers look at besides: the name of the address that sends (ptr), the address of that name (helo), the policies of encryption (mta_sts, tls_rpt) and the lists of the setting `blocklists`.',
  params: domainParams,
  status: 200,
  answer: EmailDns,
  ...access,
  cli: cli('dns'),
})

export const checkEmailDns = operation({
  id: 'checkEmailDns',
  method: 'post',
  path: '/accounts/{id}/email/domains/{did}/dns/check',
  area,
  summary: "Check a domain's mail records in the public DNS",
  params: domainParams,
  status: 202,
  answer: component('EmailDnsAccepted', z.strictObject({ dns: EmailDns, job_id: jobId })),
  ...access,
  job: 'email.dns.check',
  emits: ended,
  cli: { ...cli('check-dns'), show: 'dns' },
})
