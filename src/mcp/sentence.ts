import type { Declaration } from '../contract/operation.ts'
import { isDestructive } from '../contract/reach.ts'
import type { Effects } from './backend.ts'
import type { Input } from './input.ts'
import { quoted } from './untrusted.ts'

const MAX_FIELDS = 8
const MAX_SENTENCE_LENGTH = 1000

/** Fields that name an object, for people. */
const names = ['name', 'username', 'address', 'login', 'path', 'domain', 'host', 'main_domain']

const nameIn = (values: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const found = names.map((name) => values?.[name]).find((value) => typeof value === 'string')
  return found as string | undefined
}

const textOf = (value: unknown): string => quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** What a person confirms. Text that strangers wrote appears only quoted and cut. */
export function sentenceOf(op: Declaration, input: Input, effects: Effects): string {
  const account = effects.account?.username
  const object = nameIn(effects.before) ?? nameIn(effects.after)
  const fields = Object.entries(input).filter(([name]) => !op.path.includes(`{${name}}`))
  const listed = fields.slice(0, MAX_FIELDS).map(([name, value]) => `${name} = ${textOf(value)}`)
  const sentence = [
    `${op.summary}.`,
    ...(account ? [`Account ${quoted(account)}.`] : []),
    ...(object ? [`Object ${quoted(object)}.`] : []),
    ...(listed.length > 0 ? [`With ${listed.join(', ')}${fields.length > MAX_FIELDS ? ', …' : ''}.`] : []),
    ...(isDestructive(op) ? ['This may not be undone.'] : []),
  ].join(' ')
  return sentence.slice(0, MAX_SENTENCE_LENGTH)
}
