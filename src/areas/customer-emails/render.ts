import type { LetterKind } from '../../contract/email-templates.ts'
import { refuseInvalid } from '../../contract/problem.ts'
import { placeholdersOf } from './placeholders.ts'

export interface TemplateText {
  readonly subject: string
  readonly body: string
}

const placeholder = /\{\{([^{}]*)\}\}/g
const link = /:\/\/|\bwww\.|\bmailto:/i

/** 400 for placeholders that the kind does not have, and for links. */
export function refuseBadText(kind: LetterKind, { subject, body }: Partial<TemplateText>): void {
  refuseInvalid({ subject: problemIn(kind, subject ?? ''), body: problemIn(kind, body ?? '') })
}

function problemIn(kind: LetterKind, text: string): string | undefined {
  const known = placeholdersOf(kind).map(({ name }) => name)
  for (const [written, name = ''] of text.matchAll(placeholder))
    if (!known.includes(name))
      return `has the unknown placeholder ${written.slice(0, 60)}; it may have ${known.join(', ')}`
  if (/\{\{|\}\}/.test(text.replace(placeholder, ''))) return 'has {{ without }}, or the reverse'
  return link.test(text) ? 'must not contain links: they come from placeholders' : undefined
}

/** Fills in a text once: what a value contains is not read again. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(placeholder, (written, name: string) => (Object.hasOwn(values, name) ? values[name]! : written))

export const rendered = ({ subject, body }: TemplateText, values: Readonly<Record<string, string>>) => ({
  subject: filled(subject, values).replace(/\s+/g, ' ').trim(),
  text: filled(body, values).replace(/\r\n?/g, '\n'),
})
