import { eq } from 'drizzle-orm'
import type * as declared from '../../contract/email-templates.ts'
import type { LetterKind } from '../../contract/email-templates.ts'
import { notFound } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Db } from '../../store/open.ts'
import { htmlOf } from '../mailer/compose.ts'
import { ownerOf } from '../packages/store.ts'
import { samplesOf } from './placeholders.ts'
import { refuseBadText, rendered } from './render.ts'
import { emailTemplates, notificationPreferences } from './tables.ts'
import { isNamed, listTemplates, ownTemplate, templateFor, toTemplate } from './templates.ts'

const listEmailTemplates: Handler<typeof declared.listEmailTemplates> = {
  handle: (ctx) => ({ items: listTemplates(ctx.db, ownerOf(ctx.actor, ctx.db)) }),
}

const setEmailTemplate: Handler<typeof declared.setEmailTemplate> = {
  handle(ctx, { body }) {
    const { template: name } = ctx.found
    refuseBadText(name.kind, body)
    const owner_id = ownerOf(ctx.actor, ctx.db)
    const before = ownTemplate(ctx.db, owner_id, name)
    const values = { ...body, updated_at: ctx.now }
    const row = { owner_id, ...name, ...values }
    const { owner_id: owner, kind, locale } = emailTemplates
    ctx.db
      .insert(emailTemplates)
      .values(row)
      .onConflictDoUpdate({ target: [owner, kind, locale], set: values })
      .run()
    ctx.note({ object_id: owner_id, ...(before && { before: textOf(before) }), after: { ...name, ...body } })
    return toTemplate(owner_id, name, row)
  },
}

const textOf = ({ kind, locale, subject, body }: { kind: string; locale: string; subject: string; body: string }) => ({
  kind,
  locale,
  subject,
  body,
})

const deleteEmailTemplate: Handler<typeof declared.deleteEmailTemplate> = {
  handle(ctx) {
    const { template: name } = ctx.found
    const owner = ownerOf(ctx.actor, ctx.db)
    const before = ownTemplate(ctx.db, owner, name)
    if (!before) throw notFound('email template of your own')
    ctx.db.delete(emailTemplates).where(isNamed(owner, name)).run()
    ctx.note({ object_id: owner, before: textOf(before) })
    return undefined
  },
}

const previewEmailTemplate: Handler<typeof declared.previewEmailTemplate> = {
  handle(ctx, { body }) {
    const { template: name } = ctx.found
    refuseBadText(name.kind, body)
    const used = templateFor(ctx.db, ownerOf(ctx.actor, ctx.db), name)
    const text = { subject: body.subject ?? used.subject, body: body.body ?? used.body }
    const preview = rendered(text, samplesOf(name.kind))
    return { ...preview, html: htmlOf(preview.text) }
  },
}

/** What an account switched off. */
export const offFor = (db: Db, account: string): LetterKind[] =>
  db.select().from(notificationPreferences).where(eq(notificationPreferences.account_id, account)).get()?.off ?? []

const getNotificationPreferences: Handler<typeof declared.getNotificationPreferences> = {
  handle: ({ db, found }) => ({ off: offFor(db, found.account.id) }),
}

const setNotificationPreferences: Handler<typeof declared.setNotificationPreferences> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const off = [...new Set(body.off)]
    const before = offFor(ctx.db, account.id)
    ctx.db
      .insert(notificationPreferences)
      .values({ account_id: account.id, off })
      .onConflictDoUpdate({ target: notificationPreferences.account_id, set: { off } })
      .run()
    ctx.note({ account, object_id: account.id, before: { off: before }, after: { off } })
    return { off }
  },
}

export const templateOperations = {
  listEmailTemplates,
  setEmailTemplate,
  deleteEmailTemplate,
  previewEmailTemplate,
  getNotificationPreferences,
  setNotificationPreferences,
}
