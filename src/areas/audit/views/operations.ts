import { operationList } from '../../../contract/index.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'

const changes = operationList.filter(({ method }) => method !== 'get')

/** What an operation does; an old entry's may no longer exist. */
export function summaryOf(operation: string): string {
  const declared = changes.find(({ id }) => id === operation)
  return declared ? t(declared.summary) : operation
}

/** The operations that a text in the language of the page names: by its id, its whole summary, or a part of it. */
export function operationsNamed(text: string): readonly string[] {
  const typed = text.trim().toLowerCase()
  if (typed === '') return []
  const [exact] = changes.filter(({ id, summary }) => [id, t(summary)].some((one) => one.toLowerCase() === typed))
  if (exact) return [exact.id]
  return changes.filter(({ summary }) => t(summary).toLowerCase().includes(typed)).map(({ id }) => id)
}
