import { z } from 'zod'
import { component, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { relayFields, relayTls } from '../relays.ts'
import { access, area, ended } from './common.ts'
import { domainAccepted, domainCli, domainParams } from './domains.ts'

const relayColumns = ['domain', 'host', 'port', 'tls', 'username', 'in_use'] as const
const path = '/accounts/{id}/email/domains/{did}/relay' as const

const DomainRelay = component(
  'DomainRelay',
  z.strictObject({
    domain: z.string(),
    host: z.string(),
    port: z.int(),
    tls: z.enum(relayTls),
    username: z.string().optional(),
    in_use: z.boolean().describe('Whether mail leaves by it: not before its address was checked'),
    refused_since: Millis.optional().describe('Since when its name leads to an address that is not public'),
    created_at: Millis,
    updated_at: Millis,
  }),
)

export const getDomainRelay = operation({
  id: 'getDomainRelay',
  method: 'get',
  path,
  area,
  summary: 'Show the SMTP relay of a domain',
  params: domainParams,
  status: 200,
  answer: DomainRelay,
  ...access,
  cli: { ...domainCli('relay'), columns: relayColumns },
})

export const setDomainRelay = operation({
  id: 'setDomainRelay',
  sensitive: 'agents',
  method: 'put',
  path,
  area,
  summary: 'Have the mail of a domain leave by an SMTP relay',
  description:
    'For a verified domain. The relay must have public addresses alone: they are checked before it is used, and hourly; while they are not, its mail leaves as it did before. TLS is always required, and the certificate must be valid for the host.',
  params: domainParams,
  body: component('SetDomainRelay', z.strictObject(relayFields)),
  ...domainAccepted,
  ...access,
  feature: 'smtp_relay',
  secret: true,
  job: 'email.domain.update',
  emits: ended,
  problems: ['exists', 'not-configured'],
  cli: {
    ...domainCli('set-relay'),
    args: ['host'],
    show: 'domain',
    examples: [
      'panel email domains set-relay alice.example smtp.office.example --port 465 --tls tls --username alice --password-file ses.key',
    ],
  },
})

export const deleteDomainRelay = operation({
  id: 'deleteDomainRelay',
  method: 'delete',
  path,
  area,
  summary: 'Have the mail of a domain leave without an SMTP relay of its own',
  params: domainParams,
  ...domainAccepted,
  ...access,
  feature: 'smtp_relay',
  job: 'email.domain.update',
  emits: ended,
  cli: { ...domainCli('delete-relay'), show: 'domain', confirm: 'yes' },
})
