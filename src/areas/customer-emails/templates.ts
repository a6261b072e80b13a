import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { type EmailTemplate, type LetterKind, letterKinds } from '../../contract/email-templates.ts'
import { rootId } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { builtIn } from './built-in.ts'
import { placeholdersOf } from './placeholders.ts'
import type { TemplateText } from './render.ts'
import { emailTemplates, type Locale, type TemplateRow } from './tables.ts'

export interface TemplateName {
  readonly kind: LetterKind
  readonly locale: Locale
}

type Template = z.infer<typeof EmailTemplate>

export const isNamed = (owner_id: string, { kind, locale }: TemplateName) =>
  and(eq(emailTemplates.owner_id, owner_id), eq(emailTemplates.kind, kind), eq(emailTemplates.locale, locale))

export const ownTemplate = (db: Db, owner: string, name: TemplateName): TemplateRow | undefined =>
  db.select().from(emailTemplates).where(isNamed(owner, name)).get()

/** The owner's own text, else root's, else the one that comes with the panel; none for other languages. */
function found(db: Db, owner: string, name: TemplateName): TemplateText | TemplateRow | undefined {
  const row = ownTemplate(db, owner, name) ?? ownTemplate(db, rootId(db), name)
  return row ?? builtIn[name.locale]?.[name.kind]
}

/** What is sent to a customer of an owner: in the language, else in English. */
export const templateFor = (db: Db, owner: string, { kind, locale }: TemplateName): TemplateText =>
  found(db, owner, { kind, locale }) ?? found(db, owner, { kind, locale: 'en' })!

const isRow = (one: TemplateText | TemplateRow): one is TemplateRow => 'owner_id' in one

export function toTemplate(owner: string, { kind, locale }: TemplateName, one: TemplateText | TemplateRow): Template {
  const { subject, body } = one
  const shared = { kind, locale, subject, body, placeholders: placeholdersOf(kind) }
  if (!isRow(one)) return { ...shared, source: 'built-in' }
  return { ...shared, source: one.owner_id === owner ? 'own' : 'root', updated_at: one.updated_at }
}

/** What an owner's customers get, in each language that has a text. */
export function listTemplates(db: Db, owner: string): Template[] {
  const rows = db
    .select()
    .from(emailTemplates)
    .where(inArray(emailTemplates.owner_id, [owner, rootId(db)]))
    .all()
  const languages = [...new Set([...Object.keys(builtIn), ...rows.map(({ locale }) => locale)])].sort() as Locale[]
  return letterKinds.flatMap((kind) =>
    languages.flatMap((locale) => {
      const one = found(db, owner, { kind, locale })
      return one ? [toTemplate(owner, { kind, locale }, one)] : []
    }),
  )
}
