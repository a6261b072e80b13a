import { z } from 'zod'
import { component } from '../common.ts'
import { operation } from '../operation.ts'
import { access, area, ended } from './common.ts'
import { domainAccepted, domainCli, domainParams } from './domains.ts'

export const setDkim = operation({
  id: 'setDkim',
  method: 'put',
  path: '/accounts/{id}/email/domains/{did}/dkim',
  area,
  summary: 'Switch the signing of mail by DKIM on or off',
  description: 'The zone has the records of its keys only while it is on. The keys themselves are kept.',
  params: domainParams,
  body: component('SetDkim', z.strictObject({ enabled: z.boolean().describe('Whether mail is signed') })),
  ...domainAccepted,
  ...access,
  job: 'email.dkim.update',
  emits: ['dns.record.created', 'dns.record.deleted', ...ended],
  cli: {
    ...domainCli('set-dkim'),
    args: ['enabled'],
    show: 'domain',
    examples: ['panel email domains set-dkim alice.example true'],
  },
})

export const rotateDkim = operation({
  id: 'rotateDkim',
  method: 'post',
  path: '/accounts/{id}/email/domains/{did}/dkim/rotate',
  area,
  summary: 'Sign mail with a new DKIM key',
  description: 'The record of the former key stays for 7 days, so that mail on its way can be verified.',
  params: domainParams,
  ...domainAccepted,
  ...access,
  job: 'email.dkim.rotate',
  emits: ['dns.record.created', ...ended],
  problems: ['not-configured', 'too-many'],
  cli: { ...domainCli('rotate-dkim'), show: 'domain' },
})
