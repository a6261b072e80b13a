import { z } from 'zod'
import { component, Id } from '../common.ts'
import { operation } from '../operation.ts'
import { access, account, area, ended, jobId } from './common.ts'

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2031-12-31')
  .describe('Day in UTC, such as 2031-12-31')

const fields = {
  enabled: z.boolean(),
  subject: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters'),
  body: z
    .string()
    .min(1)
    .max(10_000)
    .regex(/^(?:[^\p{Cc}]|\r\n|[\n\t])*$/u, 'must not contain control characters but newlines and tabs'),
  starts_on: Day.optional(),
  ends_on: Day.optional(),
  interval_days: z.int().min(1).max(30),
}

export const Autoresponder = component('Autoresponder', z.strictObject(fields))

const params = z.strictObject({ ...account, mid: Id.describe('The mailbox') })
const path = '/accounts/{id}/email/accounts/{mid}/autoresponder'
const answer = component('AutoresponderAccepted', z.strictObject({ autoresponder: Autoresponder, job_id: jobId }))
const columns = ['enabled', 'subject', 'starts_on', 'ends_on', 'interval_days'] as const
const cli = <const W extends string>(verb: W, more = '') => ({
  words: ['email', 'autoresponder', verb] as const,
  variant: 'account' as const,
  columns,
  examples: [`panel email autoresponder ${verb} info@alice.example${more}`] as const,
})

export const getAutoresponder = operation({
  id: 'getAutoresponder',
  method: 'get',
  path,
  area,
  summary: "Show a mailbox's autoresponder",
  params,
  status: 200,
  answer: Autoresponder,
  ...access,
  cli: cli('show'),
})

export const setAutoresponder = operation({
  id: 'setAutoresponder',
  method: 'put',
  path,
  area,
  summary: 'Set the autoresponder of a mailbox',
  description: 'Replaces the one that is there. Both days are included.',
  params,
  body: component(
    'SetAutoresponder',
    z.strictObject({
      enabled: fields.enabled.optional().describe('Whether it answers (default: true)'),
      subject: fields.subject.describe('Subject, at most 200 characters'),
      body: fields.body.describe('Text, at most 10,000 characters'),
      starts_on: Day.optional().describe('First day, in UTC'),
      ends_on: Day.optional().describe('Last day, in UTC'),
      interval_days: fields.interval_days
        .optional()
        .describe('Days before the same sender is answered again (default: 1)'),
    }),
  ),
  status: 202,
  answer,
  ...access,
  feature: 'autoresponders',
  job: 'email.account.update',
  emits: ended,
  cli: {
    ...cli('set', ' --subject Away --body Soon --ends-on 2026-08-15'),
    show: 'autoresponder',
  },
})

export const deleteAutoresponder = operation({
  id: 'deleteAutoresponder',
  method: 'delete',
  path,
  area,
  summary: 'Delete the autoresponder of a mailbox',
  params,
  status: 202,
  answer,
  ...access,
  job: 'email.account.update',
  emits: ended,
  cli: { ...cli('delete'), show: 'autoresponder', confirm: 'yes' },
})
