const MAX_ROWS = 1_000

/** The row indices in a form for a list of objects: `set.0.name`. */
export function rowNumbers(form: URLSearchParams, name: string): number[] {
  const found = new Set<number>()
  for (const key of form.keys()) {
    const [, number] = key.startsWith(`${name}.`) ? (/^(\d{1,4})\./.exec(key.slice(name.length + 1)) ?? []) : []
    if (number !== undefined && found.size < MAX_ROWS) found.add(Number(number))
  }
  return [...found].sort((one, other) => one - other)
}
