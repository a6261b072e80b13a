import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { turns } from './clock.ts'
import type { TestPanel } from './harness.ts'

/** A message as mail programs show it. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string
}

export function readMessage(message: string): Received {
  const [head = '', body = ''] = partsOf(message)
  const headers = headersOf(head)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partsOf(part.replace(/^\r?\n/, '')))
  const [text = '', html = ''] = parts.map(([, content = '']) => decoded(content))
  return { headers, text, html }
}

const partsOf = (text: string): string[] => {
  const at = /\r?\n\r?\n/.exec(text)
  return at ? [text.slice(0, at.index), text.slice(at.index + at[0].length)] : [text]
}

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .replace(/\r?\n[ \t]+/g, ' ')
      .split(/\r?\n/)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), words(line.slice(line.indexOf(':') + 2))]),
  )

/** Encoded words (RFC 2047) in UTF-8. */
const words = (text: string): string =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
      form.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : decoded(word.replaceAll('_', ' ')),
    )

/** Quoted-printable. */
const decoded = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
    .toString()
    .replaceAll('\r\n', '\n')

const folderOf = (panel: TestPanel): string => join(panel.dir, 'host/mail-out')
const filesOf = (panel: TestPanel): string[] => (existsSync(folderOf(panel)) ? readdirSync(folderOf(panel)).sort() : [])

/** The messages that the directory driver got: at least as many as expected. */
export async function mailOf(panel: TestPanel, expected: number): Promise<Received[]> {
  await turns()
  await panel.clock.advance(0)
  await expect.poll(() => filesOf(panel).length, { timeout: 5000 }).toBeGreaterThanOrEqual(expected)
  await turns(12)
  return filesOf(panel).map((name) => readMessage(readFileSync(join(folderOf(panel), name), 'utf8')))
}

/** The link of a message. */
export const linkIn = ({ text }: Received): string => /^https:\/\/\S+$/m.exec(text)?.[0] ?? ''
export const tokenIn = (message: Received): string => new URL(linkIn(message)).searchParams.get('token') ?? ''
