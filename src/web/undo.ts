import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { namesIn } from './kit/href.ts'
import type { Act, Answered } from './kit/screen.ts'

const longest = 6_000
const mostBytes = 1024 * 1024

/** What takes a change back travels in the address of the page that says it was done: it is stored nowhere. */
export function packUndo(form: URLSearchParams | undefined): string | undefined {
  if (!form) return undefined
  const text = deflateRawSync(form.toString()).toString('base64url')
  return text.length > longest ? undefined : text
}

export function unpackUndo(text: string | null): URLSearchParams | undefined {
  if (!text) return undefined
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: mostBytes })
    return new URLSearchParams(bytes.toString())
  } catch {
    return undefined
  }
}

/** What of an answer the operation is told that takes the change back, in its address or as its fields. */
export function toldBack({ back }: Act, answer: Answered): URLSearchParams | undefined {
  const names = [...namesIn(back?.at ?? ''), ...(back?.told ?? [])].filter((name) => answer[name] !== undefined)
  return names.length === 0
    ? undefined
    : new URLSearchParams(names.map((name): [string, string] => [name, String(answer[name])]))
}
