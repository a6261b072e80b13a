import { z } from 'zod'
import { locales } from './accounts.ts'
import { component, Id, listOf, Millis } from './common.ts'
import { operation } from './operation.ts'

/** What mail customers get. */
export const letterKinds = [
  'welcome',
  'quota',
  'certificate-failed',
  'backup-failed',
  'suspended',
  'unsuspended',
  'digest',
] as const
export type LetterKind = (typeof letterKinds)[number]

/** What an account cannot switch off. */
export const MANDATORY_LETTERS: readonly LetterKind[] = ['welcome', 'suspended']

export const optionalLetters = letterKinds.filter((kind) => !MANDATORY_LETTERS.includes(kind))

export const LetterKinds = z.array(z.enum(letterKinds)).max(letterKinds.length)

const MAX_SUBJECT_LENGTH = 200
const MAX_BODY_LENGTH = 8000

export const placeholderTypes = ['text', 'number', 'time', 'list', 'url'] as const

const Placeholder = component(
  'EmailPlaceholder',
  z.strictObject({
    name: z.string().describe('Written as {{name}}'),
    type: z.enum(placeholderTypes),
    description: z.string(),
  }),
)

const subject = z
  .string()
  .min(1)
  .max(MAX_SUBJECT_LENGTH)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters')
  .describe('Subject; may contain placeholders')
const body = z
  .string()
  .min(1)
  .max(MAX_BODY_LENGTH)
  .regex(/^(?:[^\p{Cc}]|[\n\r\t])*$/u, 'must not contain control characters')
  .describe('Plain text with placeholders such as {{username}}; an empty line separates paragraphs')

/** The text of an email to customers. */
export const EmailTemplate = component(
  'EmailTemplate',
  z.strictObject({
    kind: z.enum(letterKinds),
    locale: z.enum(locales),
    subject: z.string(),
    body: z.string(),
    source: z.enum(['built-in', 'root', 'own']).describe("Whose text it is; a reseller's own is used before root's"),
    placeholders: z.array(Placeholder).describe('What the text may contain'),
    updated_at: Millis.optional().describe('Absent: comes with the panel'),
  }),
)

const Preview = component('EmailPreview', z.strictObject({ subject: z.string(), text: z.string(), html: z.string() }))

/** Which mail an account does not want. */
export const NotificationPreferences = component(
  'NotificationPreferences',
  z.strictObject({
    off: z
      .array(z.enum(optionalLetters))
      .max(optionalLetters.length)
      .describe('Emails that the account does not get; those about a new or a suspended account are always sent'),
  }),
)

const area = 'email-templates'
const reads = { area, allow: { reseller: 'list-accts' }, token: { admin: ['accounts'], account: 'none' } } as const
const changes = { area, allow: { reseller: 'list-accts' }, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({
  kind: z.enum(letterKinds).describe('Which email'),
  locale: z.enum(locales).describe('Its language'),
})
const path = '/email-templates/{kind}/{locale}'
const columns = ['kind', 'locale', 'source', 'subject', 'updated_at'] as const

export const listEmailTemplates = operation({
  id: 'listEmailTemplates',
  method: 'get',
  path: '/email-templates',
  summary: 'List the texts of emails to customers',
  description:
    'Those that are used: one of the caller, else of root, else the one that comes with the panel. Which emails are sent is the setting `customer_emails`, and `letters` of packages.',
  status: 200,
  answer: listOf(EmailTemplate),
  ...reads,
  cli: { words: ['email-templates', 'list'], columns, examples: ['panel email-templates list'] },
})

export const setEmailTemplate = operation({
  id: 'setEmailTemplate',
  method: 'put',
  path,
  summary: 'Set the text of an email to customers',
  description:
    "Root's own is used before the one that comes with the panel; a reseller's before root's, for its accounts. Text only, without HTML. Links come from placeholders alone.",
  params,
  body: component('SetEmailTemplate', z.strictObject({ subject, body })),
  status: 200,
  answer: EmailTemplate,
  emits: [],
  ...changes,
  cli: {
    words: ['email-templates', 'set'],
    file: 'body',
    columns,
    examples: ['panel email-templates set welcome de --subject "Willkommen, {{username}}" --body welcome.txt'],
  },
})

export const deleteEmailTemplate = operation({
  id: 'deleteEmailTemplate',
  method: 'delete',
  path,
  summary: "Delete one's own text of an email to customers",
  params,
  status: 204,
  emits: [],
  ...changes,
  cli: {
    words: ['email-templates', 'delete'],
    confirm: 'yes',
    examples: ['panel email-templates delete welcome de --yes'],
  },
})

export const previewEmailTemplate = operation({
  id: 'previewEmailTemplate',
  method: 'post',
  path: `${path}/preview`,
  summary: 'Show an email to customers with sample data',
  description: 'Of the given text, or of the one that is used. Changes nothing.',
  params,
  body: component('PreviewEmailTemplate', z.strictObject({ subject: subject.optional(), body: body.optional() })),
  status: 200,
  answer: Preview,
  emits: [],
  ...reads,
  cli: {
    words: ['email-templates', 'preview'],
    file: 'body',
    columns: ['subject', 'text'],
    examples: ['panel email-templates preview welcome de'],
  },
})

const ofAccount = z.strictObject({ id: Id.describe('The account') })
const preferencesPath = '/accounts/{id}/notification-preferences'
const own = { area: 'notification-preferences', token: { admin: ['accounts'], account: 'account' } } as const

export const getNotificationPreferences = operation({
  id: 'getNotificationPreferences',
  method: 'get',
  path: preferencesPath,
  summary: 'Show which emails an account does not get',
  params: ofAccount,
  status: 200,
  answer: NotificationPreferences,
  allow: { reseller: 'list-accts', customer: true },
  ...own,
  cli: {
    words: ['notification-preferences', 'show'],
    variant: 'account',
    columns: ['off'],
    examples: ['panel notification-preferences show --account alice'],
  },
})

export const setNotificationPreferences = operation({
  id: 'setNotificationPreferences',
  method: 'put',
  path: preferencesPath,
  summary: 'Set which emails an account does not get',
  params: ofAccount,
  body: NotificationPreferences,
  status: 200,
  answer: NotificationPreferences,
  emits: [],
  allow: { reseller: 'edit-account', customer: true },
  ...own,
  cli: {
    words: ['notification-preferences', 'set'],
    variant: 'account',
    emptied: ['off'],
    columns: ['off'],
    examples: ['panel notification-preferences set --off digest --account alice'],
  },
})
