import type { Row } from './row.ts'

/** The rows as a table, in Markdown. */
export function table(rows: readonly Row[]): string {
  const heads = ['measured', 'panel', 'p50 / p99 ms', 'beside']
  const lines = rows.map((row) => [row.what, `${amount(row.value)} ${row.unit}`, times(row), beside(row)])
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Two digits behind the point; three where there is little before it. */
const amount = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 0.1 ? 3 : 2 })

function times({ p50, p99 }: Row): string {
  if (p99 === undefined) return ''
  return p50 === undefined ? `– / ${amount(p99)}` : `${amount(p50)} / ${amount(p99)}`
}

const beside = ({ ratios }: Row): string =>
  Object.entries(ratios)
    .map(([baseline, ratio]) => `**${amount(ratio)}** of ${baseline}`)
    .join(', ')
