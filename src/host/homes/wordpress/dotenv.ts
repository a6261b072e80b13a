const line = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^#\r\n]*))/

/** The variables of a `.env` file. */
export const environmentIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((one) => {
      const [, name, double, single, bare] = line.exec(one) ?? []
      return name === undefined ? [] : [[name, double ?? single ?? bare?.trim() ?? ''] as const]
    }),
  )
