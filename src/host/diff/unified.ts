/** Unchanged lines shown around a change. */
const context = 3
/** Above this many pairs of lines, show the changed part as a whole. */
const maxPairs = 1_000_000

type Mark = ' ' | '-' | '+'
interface DiffLine {
  readonly mark: Mark
  readonly text: string
}

/** The hunks of a unified diff between two texts, without its header. */
export function unifiedHunks(before: string, after: string): string[] {
  const lines = compared(linesOf(before), linesOf(after))
  return hunksOf(lines).flatMap(({ from, to }) => [headOf(lines, from, to), ...lines.slice(from, to).map(visible)])
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
const visible = ({ mark, text }: DiffLine): string => mark + text
const marked = (mark: Mark, texts: readonly string[]): DiffLine[] => texts.map((text) => ({ mark, text }))

function compared(before: readonly string[], after: readonly string[]): DiffLine[] {
  const head = same(before, after)
  const rest = [before.slice(head), after.slice(head)] as const
  const tail = same(rest[0].toReversed(), rest[1].toReversed())
  const [old, fresh] = rest.map((part) => part.slice(0, part.length - tail)) as [string[], string[]]
  return [
    ...marked(' ', before.slice(0, head)),
    ...(old.length * fresh.length > maxPairs ? replaced(old, fresh) : aligned(old, fresh)),
    ...marked(' ', before.slice(before.length - tail)),
  ]
}

function same(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, place) => line !== other[place])
  return at < 0 ? one.length : at
}

const replaced = (old: readonly string[], fresh: readonly string[]): DiffLine[] => [
  ...marked('-', old),
  ...marked('+', fresh),
]

/** Keeps the longest common subsequence of lines. */
function aligned(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const length = commonLengths(old, fresh)
  const lines: DiffLine[] = []
  let [a, b] = [0, 0]
  while (a < old.length && b < fresh.length) {
    if (old[a] === fresh[b]) lines.push({ mark: ' ', text: old[a++]! }) && b++
    else if (length[a + 1]![b]! >= length[a]![b + 1]!) lines.push({ mark: '-', text: old[a++]! })
    else lines.push({ mark: '+', text: fresh[b++]! })
  }
  return [...lines, ...replaced(old.slice(a), fresh.slice(b))]
}

/** The length of the longest common subsequence from each pair of positions on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const length = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = fresh.length - 1; b >= 0; b--)
      length[a]![b] =
        old[a] === fresh[b] ? length[a + 1]![b + 1]! + 1 : Math.max(length[a + 1]![b]!, length[a]![b + 1]!)
  return length
}

interface Span {
  readonly from: number
  readonly to: number
}

function hunksOf(lines: readonly DiffLine[]): Span[] {
  const spans: Span[] = []
  for (const [place, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    const last = spans.at(-1)
    const span = { from: Math.max(0, place - context), to: Math.min(lines.length, place + context + 1) }
    if (last && span.from <= last.to) spans[spans.length - 1] = { from: last.from, to: span.to }
    else spans.push(span)
  }
  return spans
}

function headOf(lines: readonly DiffLine[], from: number, to: number): string {
  const range = (other: Mark) => {
    const count = (part: readonly DiffLine[]) => part.filter(({ mark }) => mark !== other).length
    const size = count(lines.slice(from, to))
    return `${count(lines.slice(0, from)) + (size === 0 ? 0 : 1)},${size}`
  }
  return `@@ -${range('+')} +${range('-')} @@`
}
