import type { Column } from '../table.ts'

/** Redundant endings of column titles. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/^(data|attempts|job)\./, ''],
  [/(?<=\w)\.(username|name|type)$/, ''],
  [/(?<=\w)_(at|name)$/, ''],
  [/_count$/, 's'],
  [/_pct$/, ''],
  [/^consecutive_/, ''],
  [/^main_/, ''],
]

const spaced = (text: string): string => text.replace(/[._]/g, ' ').toUpperCase()

const short = ({ field }: Column): string =>
  spaced(endings.reduce((text, [pattern, instead]) => text.replace(pattern, instead), field))

/** Short titles: `data.account.username` -> `ACCOUNT`; in full if two would be the same. */
export function headings(columns: readonly Column[]): string[] {
  const titles = columns.map(short)
  return columns.map((column, at) => {
    const title = titles[at] ?? ''
    return titles.filter((one) => one === title).length > 1 ? spaced(column.field) : title
  })
}
