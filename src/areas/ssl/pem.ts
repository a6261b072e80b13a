import { invalid } from '../../contract/problem.ts'

export interface Block {
  readonly label: string
  readonly der: Buffer
  /** It has headers, as only a legacy encrypted key does. */
  readonly headed: boolean
}

const boundary = /-----(BEGIN|END) ([A-Z0-9#][A-Z0-9# ]*)-----/g
const headers = /^\s*(?:[A-Za-z][A-Za-z0-9-]*: [^\r\n]*(?:\r\n?|\n)(?:[ \t]+[^\r\n]*(?:\r\n?|\n))*)+\s*/

/**
 * The blocks of a PEM text, as RFC 7468 and programs write them: text around them is ignored, and line ends may be of any
 * system, missing, or written as `\n`. 400 for the field if a block is damaged.
 */
export function blocksOf(field: string, text: string): Block[] {
  const plain = text.replaceAll('\\r', '').replaceAll('\\n', '\n')
  const blocks: Block[] = []
  let open: RegExpExecArray | undefined
  for (const found of plain.matchAll(boundary)) {
    const number = blocks.length + 1
    const [line, side, label] = found
    if (side === 'END' && !open) throw invalid(field, `has ${line} without its BEGIN line, ${placed(number)}`)
    if (side === 'BEGIN' && open) throw invalid(field, notEnded(number))
    if (side === 'BEGIN') {
      open = found
      continue
    }
    if (open![2] !== label) throw invalid(field, `block ${number} begins as ${open![2]} but ends as ${label}`)
    blocks.push(blockOf(field, number, label!, plain.slice(open!.index + open![0].length, found.index)))
    open = undefined
  }
  if (open) throw invalid(field, notEnded(blocks.length + 1))
  if (blocks.length === 0 && text.trim() !== '') throw invalid(field, noBlock(plain))
  return blocks
}

const placed = (number: number): string => (number === 1 ? 'before the first block' : `after block ${number - 1}`)

const notEnded = (number: number): string => `block ${number} is not complete: its END line is missing`

const noBlock = (text: string): string =>
  text.includes('BEGIN ')
    ? 'must be PEM text: its BEGIN line must have five dashes on each side: -----BEGIN CERTIFICATE-----'
    : 'must be PEM text and have a line -----BEGIN …-----'

function blockOf(field: string, number: number, label: string, body: string): Block {
  const base64 = body.replace(headers, '').replace(/\s+/g, '')
  const der = Buffer.from(base64, 'base64')
  if (der.length === 0) throw invalid(field, `block ${number} (${label}) is empty`)
  if (der.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, ''))
    throw invalid(field, `block ${number} (${label}) is damaged: there must be only base64 between its lines`)
  return { label, der, headed: headers.test(body) }
}

/** Encodes DER as PEM. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
