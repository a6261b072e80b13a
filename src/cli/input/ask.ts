import { interrupted } from '../errors.ts'
import type { Client } from '../request/client.ts'
import { itemsIn } from '../request/items.ts'
import { type Field, table } from '../table.ts'
import { writeError } from '../terminal.ts'
import { problemAmong, problemIn } from './rule.ts'
import { timeNote } from './values.ts'

type Question = Record<string, unknown>

/** Prompts on standard error, so that standard output stays clean. */
async function ask<T>(question: Question): Promise<T> {
  const { createPromptModule } = await import('inquirer')
  const prompt = createPromptModule({ output: process.stderr })
  try {
    const answers = await prompt([{ name: 'answer', ...question }] as never)
    return (answers as { answer: T }).answer
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') throw interrupted()
    throw error
  }
}

const required = (text: string): string | true => text.trim() !== '' || 'required'

/** [y/N]. */
export const askWhether = (message: string): Promise<boolean> => ask({ type: 'confirm', message, default: false })

export const askText = (message: string): Promise<string> => ask({ type: 'input', message })

/** Prompts until something is entered. */
export const askNeeded = (message: string, suggestion?: string): Promise<string> =>
  ask({ type: 'input', message, ...(suggestion !== undefined && { default: suggestion }), validate: required })

/** Prompts for an existing secret. */
export const askHidden = (message: string): Promise<string> =>
  ask({ type: 'password', mask: '*', message, validate: required })

export const askExisting = (field: Field): Promise<string> => askHidden(questionFor(field))

/** Prompts for a new secret, twice. */
export async function askSecret(field: Field): Promise<string> {
  const message = questionFor(field).replace(/:$/, '')
  for (;;) {
    const validate = (text: string): string | true => problemIn(field, text) ?? true
    const secret = await ask<string>({ type: 'password', mask: '*', message: `${message}:`, validate })
    const again = await ask<string>({ type: 'password', mask: '*', message: 'Repeat it:' })
    if (secret === again) return secret
    writeError('The two entries differ. Try again.\n')
  }
}

/** `Username (2 to 16 lower-case letters …):`, or just the description if it starts with the name. */
function questionFor({ option, description: text, type }: Field): string {
  const words = option.replaceAll('-', ' ')
  const description = type === 'time' ? `${text}: ${timeNote}` : text
  if (description.toLowerCase().includes(words)) return `${description}:`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${description && ` (${description})`}:`
}

/** Prompts for a required field. `path` lists the members of its collection. */
export function askField(client: Client, field: Field, path: string | undefined): Promise<string> {
  const message = questionFor(field)
  if (path && field.ref) return askMember(client, field.ref, path, message)
  if (field.choices && !field.array) return ask({ type: 'select', message, choices: [...field.choices] })
  if (field.choices) return ask<string[]>(checkboxes(field, message)).then((chosen) => chosen.join(','))
  return ask({ type: 'input', message, validate: (text: string) => checked(client, field, text.trim()) })
}

const checkboxes = (field: Field, message: string): Question => ({
  type: 'checkbox',
  message,
  choices: [...(field.choices ?? [])],
  required: true,
  validate: (chosen: readonly { value: string }[]) =>
    problemAmong(
      field,
      chosen.map(({ value }) => value),
    ) ?? true,
})

/** Validates by the contract's rules, then by the server, for example for taken names. */
async function checked(client: Client, field: Field, text: string): Promise<string | true> {
  const problem = problemIn(field, text)
  if (problem !== undefined || !field.check) return problem ?? true
  const answer = await client
    .call({ method: 'GET', path: field.check, query: { [field.name]: text } })
    .catch(() => undefined)
  const verdict = (answer?.body as Record<string, { available?: boolean; reason?: string }> | undefined)?.[field.name]
  return verdict?.available === false ? (verdict.reason ?? 'not available') : true
}

/** A searchable choice of the server's members. */
async function askMember(client: Client, ref: string, path: string, message: string): Promise<string> {
  const name = table.collections[ref]?.name ?? 'id'
  const searched = table.collections[ref]?.searched
  const source = async (term: string | undefined): Promise<{ name: string; value: string }[]> => {
    const query = searched ? { per_page: 20, ...(term && { q: term }) } : {}
    const { body } = await client.call({ method: 'GET', path, query })
    const items = itemsIn(body, client.target).map((item) => ({ name: String(item[name]), value: item.id }))
    return items.filter((item) => item.name.includes(term ?? ''))
  }
  // An error inside the question would not end it.
  await source(undefined)
  return ask({ type: 'search', message, source })
}
