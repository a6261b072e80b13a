import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { exit } from '../shared/exit.ts'

type Stream = NodeJS.WriteStream

/** Whether there is someone to ask. A look at `process.stdin` would make a pipe answer before anything is written to it. */
export const canAsk = (): boolean => askingAllowed && isatty(0) && isatty(2) && !process.env['PANEL_NO_INPUT']

let askingAllowed = true

/** With several servers read at once, a prompt could not say which of them asks. */
export function neverAsk(): void {
  askingAllowed = false
}

/** Whether tables are for eyes. */
export const isTty = (): boolean => Boolean(process.stdout.isTTY)

let coloursAllowed = true

/** `--no-color`. */
export function forbidColours(): void {
  coloursAllowed = false
}

/** Whether a stream takes colours: NO_COLOR and --no-color forbid, FORCE_COLOR forces, else a terminal that can. */
export function takesColours(stream: Stream): boolean {
  if (!coloursAllowed || process.env['NO_COLOR']) return false
  const forced = process.env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return Boolean(stream.isTTY) && process.env['TERM'] !== 'dumb'
}

/** Colours for a stream; nothing is loaded where it takes none. */
export async function paintFor(stream: Stream): Promise<(style: Style, text: string) => string> {
  if (!takesColours(stream)) return (_style, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return (style, text) => chalk[style](text)
}
export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

let readerLeft = false

/** Whether the reader of standard output has gone. */
export const outputClosed = (): boolean => readerLeft

const untilLeft = new Set<() => void>()

/** Calls back once the reader of standard output turns out to be gone; answers how to call that off. */
export function whenOutputCloses(callback: () => void): () => void {
  untilLeft.add(callback)
  return () => untilLeft.delete(callback)
}

function leave(): void {
  readerLeft = true
  for (const callback of untilLeft) callback()
}

const guarded = new Set<Stream>()

/** A reader that leaves early (`| head`) is not an error. A full disk is one, and all that follows is lost. */
function guard(stream: Stream): Stream {
  if (guarded.has(stream)) return stream
  guarded.add(stream)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === process.stdout) leave()
    if (error.code === 'EPIPE') return
    if (stream === process.stdout) tell(`error: standard output cannot be written: ${error.message}\n`)
    process.exit(exit.error)
  })
  return stream
}

/** The only writer to standard output. */
export function data(text: string): void {
  if (!readerLeft) guard(process.stdout).write(text)
}

/** Until what was written has been taken, so that a slow reader's share does not pile up here. */
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

/** Text for people, on standard error. */
export function tell(text: string): void {
  guard(process.stderr).write(text)
}

/** A line for people, without what a terminal would obey. */
export const note = (line: string): void => tell(`${printable(line)}\n`)

/** What is drawn over again on a terminal; synchronous, so that nothing of it comes late. */
export function draw(text: string): void {
  try {
    writeSync(process.stderr.fd, text)
  } catch {
    // A terminal that cannot take more misses a frame, nothing else.
  }
}

/** Control characters but tab and line end, and those that turn the direction of text around. */
const obeyed = /[^\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const obeyedOrBreaking = /(?:\p{Cc}|[\u200e\u200f\u2028-\u202e\u2066-\u2069])+/gu

/** Without what a terminal would obey. */
export const printable = (text: string): string => text.replace(obeyed, '')

/** The same on one line. */
export const oneLine = (text: string): string => text.replace(obeyedOrBreaking, ' ')

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(character: string): string {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  return escapes[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`)
}

/** The same with each of them shown, so that different names look different. */
export const escaped = (text: string): string =>
  text.replace(obeyedOrBreaking, (characters) => Array.from(characters, escapeOf).join(''))
