/** A live page's position: its number of lines, and the cursor after them. */
const form = /^(\d{1,9})\.(.+)$/

export const logCursor = (lines: number, cursor: string | number): string => `${lines}.${cursor}`

export const cursorIn = (query: URLSearchParams): string | undefined => form.exec(query.get('after') ?? '')?.[2]

/** The number of lines before the requested ones. */
export const linesBefore = (query: URLSearchParams): number => Number(form.exec(query.get('after') ?? '')?.[1] ?? 0)
