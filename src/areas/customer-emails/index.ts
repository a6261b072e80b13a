import { eq } from 'drizzle-orm'
import type { LetterKind } from '../../contract/email-templates.ts'
import type { Area } from '../../runtime/areas/area.ts'
import { mailEvent, welcome } from './causes.ts'
import { Digests } from './digest.ts'
import { migrations } from './migrations.ts'
import { templateOperations } from './operations.ts'
import { emailTemplates, type Locale } from './tables.ts'
import type { TemplateName } from './templates.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    customer_emails: LetterKind[]
  }
}

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/email-templates/{kind}': object
    '/email-templates/{kind}/{locale}': { template: TemplateName }
  }
}

/** Mail to customers about their accounts, from texts that root and resellers may replace. */
export const customerEmails = {
  name: 'customer-emails',
  handlers: templateOperations,
  finders: {
    '/email-templates/{kind}': () => ({}),
    '/email-templates/{kind}/{locale}': (_, { kind, locale }) => ({
      template: { kind: kind as LetterKind, locale: locale as Locale },
    }),
  },
  settings: { customer_emails: [] },
  ofAccount: {
    applied: welcome,
    end: ({ db }, { id }) => void db.delete(emailTemplates).where(eq(emailTemplates.owner_id, id)).run(),
  },
  onEvent: mailEvent,
  stored: { migrations },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  start: (runtime) => new Digests(runtime),
} satisfies Area
