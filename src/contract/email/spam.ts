import { z } from 'zod'
import { component, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { access, account, area, ended, jobId } from './common.ts'

const Score = z.int().min(1).max(50)

export const SpamSettings = component(
  'SpamSettings',
  z.strictObject({
    filter: z.boolean().describe('Whether mail is judged'),
    score: Score.describe('Score from which a message is spam'),
    box: z.boolean().describe('Whether spam goes to a separate folder'),
  }),
)

const params = z.strictObject(account)
const changed = {
  method: 'put',
  area,
  params,
  status: 202,
  answer: component('SpamAccepted', z.strictObject({ spam: SpamSettings, job_id: jobId })),
  ...access,
  job: 'email.spam.update',
  emits: ended,
} as const
const cli = <const W extends string>(verb: W, more: string) => ({
  words: ['email', 'spam', verb] as const,
  variant: 'account' as const,
  columns: ['filter', 'score', 'box'] as const,
  examples: [`panel email spam ${verb} ${more}`] as const,
})

export const getSpamSettings = operation({
  id: 'getSpamSettings',
  method: 'get',
  path: '/accounts/{id}/email/spam',
  area,
  summary: 'Show what becomes of spam',
  params,
  status: 200,
  answer: SpamSettings,
  ...access,
  cli: cli('show', '-a alice'),
})

export const setSpamFilter = operation({
  ...changed,
  id: 'setSpamFilter',
  path: '/accounts/{id}/email/spam/filter',
  summary: 'Switch the spam filter on or off',
  body: component(
    'SetSpamFilter',
    z.strictObject({
      enabled: z.boolean().describe('Whether mail is judged'),
      score: Score.optional().describe('Score from which a message is spam (default: 6)'),
    }),
  ),
  feature: 'spam_filter',
  cli: { ...cli('set-filter', 'true --score 5 -a alice'), args: ['enabled'], show: 'spam' },
})

export const setSpamBox = operation({
  ...changed,
  id: 'setSpamBox',
  path: '/accounts/{id}/email/spam/box',
  summary: 'Switch the spam folder on or off',
  body: component(
    'SetSpamBox',
    z.strictObject({ enabled: z.boolean().describe('Whether spam goes to a separate folder') }),
  ),
  feature: 'spam_box',
  cli: { ...cli('set-box', 'true -a alice'), args: ['enabled'], show: 'spam' },
})

const figure = z.strictObject({ used: z.int().min(0), limit: z.int().min(0).optional() })

export const getEmailUsage = operation({
  id: 'getEmailUsage',
  method: 'get',
  path: '/accounts/{id}/email/usage',
  area,
  summary: 'Show how many mailboxes an account has, and what it sends',
  params,
  status: 200,
  answer: component(
    'EmailUsage',
    z.strictObject({
      measured_at: Millis,
      mailboxes: figure,
      sent_this_hour: figure.describe('Recipients in the last 60 minutes'),
    }),
  ),
  ...access,
  cli: {
    words: ['email', 'usage'],
    variant: 'account',
    columns: ['mailboxes.used', 'mailboxes.limit', 'sent_this_hour.used', 'sent_this_hour.limit', 'measured_at'],
    examples: ['panel email usage -a alice'],
  },
})
