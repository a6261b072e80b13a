/** Ignores white space and comments. */
const said = (text: string): string[] =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(/\s*;[^"]*$/, '')
        .replace(/\s+/g, ' ')
        .trimEnd(),
    )
    .filter((line) => line !== '')

/** The lines that differ: `-` removed, `+` added. */
export function differenceOf(before: string, after: string): string[] {
  const [old, fresh] = [said(before), said(after)]
  const [had, has] = [new Set(old), new Set(fresh)]
  return [
    ...old.filter((line) => !has.has(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !had.has(line)).map((line) => `+ ${line}`),
  ]
}
