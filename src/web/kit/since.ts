/** Where a page goes on that is followed: how many lines it has, and the cursor after them. */
const form = /^(\d{1,9})\.(.+)$/

export const sinceOf = (lines: number, cursor: string | number): string => `${lines}.${cursor}`

export const cursorIn = (query: URLSearchParams): string | undefined => form.exec(query.get('after') ?? '')?.[2]

/** How many lines there are before those that are asked for. */
export const linesBefore = (query: URLSearchParams): number => Number(form.exec(query.get('after') ?? '')?.[1] ?? 0)
