import { didYouMean } from '../../../shared/similar.ts'
import { usage } from '../../errors.ts'
import type { Context } from '../target.ts'
import { savedContexts } from './file.ts'

/** The name of the local socket among the contexts. */
export const localName = 'local'

const form = /^[A-Za-z0-9][\w.-]{0,62}$/

/** Rejects an invalid name: commas separate names, and `local` is reserved. */
export function checkName(name: string): string {
  if (name === localName) throw usage(`${localName} is the name of the local socket`, 'choose another name')
  if (!form.test(name)) throw usage(`${name} is not a valid context name`, 'use letters, digits, dots and hyphens')
  return name
}

const DEFAULT_PORTS = new Set(['', '443', '7711'])

/** A server's default name: its host, and its port if unusual. */
export function nameFor({ hostname, port }: URL): string {
  const host = hostname.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
  return DEFAULT_PORTS.has(port) ? host || 'server' : `${host || 'server'}-${port}`
}

/** The names in `--context`, without duplicates. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** The saved server of that name. */
export function contextCalled(name: string, origin?: string): Context {
  const { contexts } = savedContexts()
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (context) return context
  const names = [localName, ...Object.keys(contexts)]
  const known = didYouMean(name, names) ?? (names.length > 1 ? `there are ${names.join(', ')}` : 'see `panel login`')
  throw usage(`there is no context ${name}${origin ? ` (${origin})` : ''}`, known)
}
