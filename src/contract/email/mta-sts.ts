import { z } from 'zod'
import { component, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { access, area, ended } from './common.ts'
import { domainAccepted, domainCli, domainParams } from './domains.ts'

export const mtaStsModes = ['none', 'testing', 'enforce'] as const

const MtaSts = component(
  'MtaSts',
  z.strictObject({
    domain: z.string(),
    mode: z.enum(mtaStsModes),
    proven: z.boolean().describe('Whether a certificate shows the name of the policy; senders ignore it until then'),
    mx: z.array(z.string()).describe('The mail servers that the policy names'),
    policy_id: z.string().optional().describe('Rises with each change'),
    max_age: z.int().min(0).optional().describe('Seconds that senders keep the policy'),
    url: z.string().optional().describe('Where senders read it'),
    record: z
      .strictObject({ name: z.string(), value: z.string() })
      .optional()
      .describe('The TXT record that announces it: add it where the zone is on other name servers'),
    ends_at: Millis.optional().describe('Until when `none` is served: so long senders may keep the former policy'),
  }),
)

export const getMtaSts = operation({
  id: 'getMtaSts',
  method: 'get',
  path: '/accounts/{id}/email/domains/{did}/mta-sts',
  area,
  summary: 'Show the MTA-STS policy of a domain',
  params: domainParams,
  status: 200,
  answer: MtaSts,
  ...access,
  cli: { ...domainCli('mta-sts'), columns: ['domain', 'mode', 'proven', 'mx', 'policy_id'] },
})

export const setMtaSts = operation({
  id: 'setMtaSts',
  method: 'put',
  path: '/accounts/{id}/email/domains/{did}/mta-sts',
  area,
  summary: 'Set whether senders must encrypt mail to a domain',
  description:
    'By MTA-STS. `testing` has senders report what would fail, `enforce` has them refuse to send without a certificate that proves the mail server: it needs proven certificates of `mta-sts.` and of every mail server, all of them here.',
  params: domainParams,
  body: component('SetMtaSts', z.strictObject({ mode: z.enum(mtaStsModes).describe('What senders do') })),
  ...domainAccepted,
  ...access,
  feature: 'zone_edit',
  job: 'email.domain.update',
  emits: ['dns.record.created', 'dns.record.updated', ...ended],
  problems: ['not-configured'],
  cli: {
    ...domainCli('set-mta-sts'),
    args: ['mode'],
    show: 'domain',
    examples: ['panel email domains set-mta-sts alice.example testing'],
  },
})
