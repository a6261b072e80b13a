import { invalid } from '../../contract/problem.ts'

export interface Block {
  readonly label: string
  readonly der: Buffer
  /** It has headers, as only a legacy encrypted key does. */
  readonly headed: boolean
}

const block = /\s*-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\r?\n([^-]*(?:-[^-]+)*)-----END \1-----[ \t]*(?:\r?\n|$)/y
const headers = /^(?:[A-Za-z][A-Za-z0-9-]*: [^\r\n]*\r?\n)+\r?\n/

/** The blocks in a PEM field; 400 for the field if it contains anything else. */
export function blocksOf(field: string, text: string): Block[] {
  const blocks: Block[] = []
  const end = text.trimEnd().length
  block.lastIndex = 0
  for (let at = 0; at < end; at = block.lastIndex) {
    const [, label, body] = block.exec(text) ?? []
    if (label === undefined) throw invalid(field, outside(blocks.length))
    blocks.push({ label, der: derOf(field, body!), headed: headers.test(body!) })
  }
  return blocks
}

const outside = (count: number): string =>
  count === 0
    ? 'must be PEM text and begin with -----BEGIN'
    : `must hold PEM blocks alone; there is other text after block ${count}`

function derOf(field: string, body: string): Buffer {
  const base64 = body.replace(headers, '').replace(/\s+/g, '')
  const der = Buffer.from(base64, 'base64')
  if (der.length === 0 || der.toString('base64') !== base64)
    throw invalid(field, 'must hold base64 between its PEM lines')
  return der
}

/** Encodes DER as PEM. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
