import type { RecordType } from '../../shared/zone/record.ts'
import { valueOfStrings } from '../../shared/zone/strings.ts'
import { FileError } from './zone-file/error.ts'
import { linesOf, type Word } from './zone-file/lines.ts'

/** Values as people paste them: in the notation of zone files, with comments, parentheses and quotes. */

/** Of these a value may have a semicolon, but none after a blank and outside of quotes. */
const withSemicolons: ReadonlySet<RecordType> = new Set(['HTTPS', 'NAPTR', 'SVCB', 'URI'])

/** A record's data without a comment after it and without parentheses; those of TXT and CAA have rules of their own. */
export function pastedData(type: RecordType, value: string): string {
  if (type === 'TXT' || type === 'CAA') return value
  const data = withoutComments(value, withSemicolons.has(type))
  return /^[^()]*\([^()]*\)\s*$/.test(data) ? data.replace(/[()\s]+/g, ' ').trim() : data
}

const piece = /"(?:[^"\\]|\\.)*"?|\\.|;[^\n]*|[^"\\;]+/gs

function withoutComments(value: string, afterBlank: boolean): string {
  const isComment = (text: string, at: number) =>
    text.startsWith(';') && (!afterBlank || at === 0 || /[\s")]/.test(value[at - 1]!))
  return value.replace(piece, (text, at: number) => (isComment(text, at) ? '' : text)).trim()
}

/** An address with blanks or brackets around it, as in a URL or in mail. */
export const pastedAddress = (value: string): string => value.trim().replace(/^\[\s*(?:IPv6:)?([^[\]]*?)\s*\]$/i, '$1')

/** What an issuer's parameters look like (RFC 8659, 4.2). */
const parameters = /^\s*(?:[a-z0-9-]+\s*=[!-:<-~]*\s*(?:;\s*|$))*$/i

/** The value of a CAA record without the quotes of every tutorial and without a comment after it. */
export function pastedAuthority(input: string, isIssuer: boolean): string {
  const value = input.trim()
  const [, inQuotes] = /^"([^"]*)"\s*(?:;.*)?$/s.exec(value) ?? []
  if (inQuotes !== undefined) return inQuotes
  const [, bare, comment] = (isIssuer ? /^([^\s;"]+)\s*;(.*)$/s : /^([^\s;"]+)\s+;(.*)$/s).exec(value) ?? []
  return bare === undefined || parameters.test(comment!) ? value : bare
}

/** A text as zone files have it, with parentheses, quotes, escapes or a comment; any other is left as it is. */
export function pastedText(value: string): string {
  const text = value.trim()
  if (/^\(?\s*"/.test(text)) return stringsAsTyped(value)
  // Policies and keys are one text, however they are cut.
  if (!/^v=/i.test(text)) return value
  return text.replace(/"\s+"/g, '').replaceAll('\\;', ';')
}

function stringsAsTyped(value: string): string {
  const words = wordsOf(value)
  if (!words?.every(({ quoted }) => quoted)) return value
  const strings = words.map(({ bytes }) => bytes.toString())
  const isAlone = value.startsWith('"') && value.endsWith('"') && !withoutStrings(value).trim()
  const isPolicy = /^v=/i.test(strings[0]!) && !isAlone
  return isPolicy || strings.length === 1 ? oneText(strings.join(''), isAlone) : valueOfStrings(strings)
}

const withoutStrings = (value: string): string => value.replace(/"(?:[^"\\]|\\.)*"/gs, '')

const oneText = (joined: string, isAlone: boolean): string =>
  isAlone ? `"${joined.replace(/["\\]/g, '\\$&')}"` : joined

/** The words of a value in zone file format. */
function wordsOf(value: string): readonly Word[] | undefined {
  const [line, ...others] = [...linesOf(value)].filter((one) => one !== undefined)
  return line && !(line instanceof FileError) && others.length === 0 ? line.words : undefined
}
