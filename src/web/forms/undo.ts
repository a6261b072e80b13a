import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { namesIn } from '../kit/format/href.ts'
import type { Action, Answered } from '../kit/screen.ts'

const MAX_UNDO_LENGTH = 6_000
const MAX_UNDO_BYTES = 1024 * 1024

/** The undo form travels in the address of the page that confirms the change: it is not stored. */
export function packUndo(form: URLSearchParams | undefined): string | undefined {
  if (!form) return undefined
  const text = deflateRawSync(form.toString()).toString('base64url')
  return text.length > MAX_UNDO_LENGTH ? undefined : text
}

export function unpackUndo(text: string | null): URLSearchParams | undefined {
  if (!text) return undefined
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_UNDO_BYTES })
    return new URLSearchParams(bytes.toString())
  } catch {
    return undefined
  }
}

/** The fields of the answer that the undo operation needs, in its address or its form. */
export function undoNotice({ undoWith: back }: Action, answer: Answered): URLSearchParams | undefined {
  const names = [...namesIn(back?.at ?? ''), ...(back?.fields ?? [])].filter((name) => answer[name] !== undefined)
  return names.length === 0
    ? undefined
    : new URLSearchParams(names.map((name): [string, string] => [name, String(answer[name])]))
}
