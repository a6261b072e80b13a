import { linesOf } from './text.ts'

/** A value of a file of userdata: text, a list of texts, or texts by key. */
export type YamlValue = string | readonly string[] | ReadonlyMap<string, string>

export interface Yaml {
  readonly values: ReadonlyMap<string, YamlValue>
  /** Lines that were passed over, with the reason. */
  readonly ignored: readonly { readonly line: number; readonly text: string }[]
}

const entry = /^( *)(?:(-)(?: +|$))?(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"&*!|>%@`{}[\],-][^#]*?):(?: +|$))?(.*)$/

/** The block maps and lists of two levels that cPanel writes. What means more than that is ignored, and named. */
export function readYaml(text: string): Yaml {
  const values = new Map<string, YamlValue>()
  const ignored: { line: number; text: string }[] = []
  let key: string | undefined
  for (const [at, raw] of linesOf(text).entries()) {
    const ignore = (why: string) => void ignored.push({ line: at + 1, text: why })
    if (/^\s*(?:#|$)/.test(raw) || /^(?:---|\.\.\.)\s*$/.test(raw)) continue
    if (/^\s*\t/.test(raw)) {
      ignore('a tab')
      continue
    }
    const [, indent = '', dash, name, rest = ''] = entry.exec(raw) ?? []
    const problem = unusual(rest)
    if (problem) {
      ignore(problem)
      continue
    }
    const value = scalar(rest)
    if (indent === '' && !dash) {
      if (name === undefined) ignore('neither a key nor a value')
      else if (values.has(scalar(name))) {
        ignore('a key that is there already')
        key = undefined
      } else {
        key = scalar(name)
        values.set(key, rest.trim() === '[]' ? [] : rest.trim() === '{}' ? new Map() : value)
      }
    } else if (key === undefined) ignore('a value of no key')
    else if (dash && name === undefined) add(values, key, value)
    else if (!dash && name !== undefined) put(values, key, scalar(name), value, ignore)
    else ignore('deeper than two levels')
  }
  return { values, ignored }
}

function add(values: Map<string, YamlValue>, key: string, value: string): void {
  const there = values.get(key)
  if (Array.isArray(there)) there.push(value)
  else if (there === '') values.set(key, [value])
}

type Ignore = (why: string) => void

function put(values: Map<string, YamlValue>, key: string, name: string, value: string, ignore: Ignore): void {
  const there = values.get(key)
  if (there === '') values.set(key, new Map([[name, value]]))
  else if (!(there instanceof Map)) ignore('a key where a text or list is')
  else if (there.has(name)) ignore('a key that is there already')
  else there.set(name, value)
}

function unusual(rest: string): string | undefined {
  const text = rest.trim()
  if (/^[&*]/.test(text)) return 'an anchor'
  if (text.startsWith('!')) return 'a tag'
  if (/^[[{]/.test(text) && text !== '[]' && text !== '{}') return 'flow text'
  return undefined
}

function scalar(text: string): string {
  const plain = text.trim()
  if (/^'.*'$/s.test(plain)) return plain.slice(1, -1).replaceAll("''", "'")
  if (/^".*"$/s.test(plain)) return plain.slice(1, -1).replace(/\\(.)/g, '$1')
  const bare = plain.replace(/ #.*$/, '').trim()
  return bare === '~' || bare === 'null' ? '' : bare
}

/** The text of a key; undefined where there is none. */
export const textAt = ({ values }: Yaml, key: string): string | undefined => {
  const value = values.get(key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const listAt = ({ values }: Yaml, key: string): readonly string[] => {
  const value = values.get(key)
  return Array.isArray(value) ? value : []
}

export const mapAt = ({ values }: Yaml, key: string): ReadonlyMap<string, string> => {
  const value = values.get(key)
  return value instanceof Map ? value : new Map()
}
