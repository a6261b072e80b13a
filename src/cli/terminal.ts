import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { exit } from '../shared/exit.ts'

type Stream = NodeJS.WriteStream

/**
 * Whether prompts are possible. Merely reading `process.stdin` would make a pipe respond before anything is written.
 */
export const canAsk = (): boolean => askingAllowed && isatty(0) && isatty(2) && !process.env['PANEL_NO_INPUT']

let askingAllowed = true

/** Disables prompts: with several servers, a prompt could not say which one it is for. */
export function neverAsk(): void {
  askingAllowed = false
}

/** Whether output is for humans. */
export const isTty = (): boolean => Boolean(process.stdout.isTTY)

/** `--no-color`: in the environment, since the files of the build do not share variables. */
export function forbidColours(): void {
  process.env['NO_COLOR'] = '1'
}

/** Whether a stream supports colours: NO_COLOR and --no-color forbid, FORCE_COLOR forces, else a capable terminal. */
export function takesColours(stream: Stream): boolean {
  if (process.env['NO_COLOR']) return false
  const forced = process.env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return Boolean(stream.isTTY) && process.env['TERM'] !== 'dumb'
}

/** Colours for a stream; loads nothing if it has none. */
export async function paintFor(stream: Stream): Promise<(style: Style, text: string) => string> {
  if (!takesColours(stream)) return (_style, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return (style, text) => chalk[style](text)
}
export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

let readerLeft = false

/** Whether the reader of standard output is gone. */
export const outputClosed = (): boolean => readerLeft

const untilLeft = new Set<() => void>()

/** Calls back once the reader of standard output is gone; returns a function that unsubscribes. */
export function whenOutputCloses(callback: () => void): () => void {
  untilLeft.add(callback)
  return () => untilLeft.delete(callback)
}

function leave(): void {
  readerLeft = true
  for (const callback of untilLeft) callback()
}

const guarded = new Set<Stream>()

/** A reader that leaves early (`| head`) is not an error. A full disk is one, and discards all further output. */
function guard(stream: Stream): Stream {
  if (guarded.has(stream)) return stream
  guarded.add(stream)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === process.stdout) leave()
    if (error.code === 'EPIPE') return
    if (stream === process.stdout) writeError(`error: standard output cannot be written: ${error.message}\n`)
    process.exit(exit.error)
  })
  return stream
}

/** The only writer to standard output. */
export function data(text: string): void {
  if (!readerLeft) guard(process.stdout).write(text)
}

/** Resolves once the output was accepted, so that it does not pile up for a slow reader. */
export function taken(): Promise<void> {
  const { stdout } = process
  if (readerLeft || !stdout.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => {
    const ends = ['drain', 'close', 'error']
    const end = (): void => {
      for (const name of ends) stdout.off(name, end)
      resolve()
    }
    for (const name of ends) stdout.on(name, end)
  })
}

/** Writes text for humans, on standard error. */
export function writeError(text: string): void {
  guard(process.stderr).write(text)
}

/** Writes a line for humans, without control characters. */
export const note = (line: string): void => writeError(`${printable(line)}\n`)

/** Draws an updating line on a terminal; synchronous, so that none of it comes late. */
export function draw(text: string): void {
  try {
    writeSync(process.stderr.fd, text)
  } catch {
    // A slow terminal only misses a frame.
  }
}

/** Control characters except tab and line feed, and bidirectional overrides. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const CONTROL_OR_BREAK = /(?:\p{Cc}|[\u200e\u200f\u2028-\u202e\u2066-\u2069])+/gu

/** Removes control characters. */
export const printable = (text: string): string => text.replace(CONTROL_CHARACTERS, '')

/** The same, on one line. */
export const oneLine = (text: string): string => text.replace(CONTROL_OR_BREAK, ' ')

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(character: string): string {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  return escapes[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`)
}

/** The same, but escapes them, so that different names look different. */
export const escaped = (text: string): string =>
  text.replace(CONTROL_OR_BREAK, (characters) => Array.from(characters, escapeOf).join(''))
