import { createHash } from 'node:crypto'

/** Of what a change records as before or after, in JSON: lists show it, and it is stored for as long as the audit log. */
const MAX_DETAILS_BYTES = 16 * 1024
/** Of one field, where they are more together. */
const MAX_FIELD_BYTES = 1024

type Details = Readonly<Record<string, unknown>>

/**
 * What the audit log keeps of a change: of large fields only the size and a hash, which says whether they differ; where the
 * caller's allowance does not admit it, how many fields there are.
 */
export function recordedDetails(details: Details, admits: (bytes: number) => boolean): Details {
  const recorded = boundedDetails(details)
  return admits(bytesOf(recorded)) ? recorded : { fields: Object.keys(details).length }
}

function boundedDetails(details: Details): Details {
  if (bytesOf(details) <= MAX_DETAILS_BYTES) return details
  const shortened = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shortenedField(value)]))
  return bytesOf(shortened) <= MAX_DETAILS_BYTES ? shortened : { fields: Object.keys(details).length }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

function shortenedField(value: unknown): unknown {
  const text = JSON.stringify(value) ?? ''
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_FIELD_BYTES) return value
  return `${bytes} bytes, SHA-256 ${createHash('sha256').update(text).digest('hex')}`
}
