const MAX_LENGTH = 200

/** Names that others chose, for one line of a page or a terminal. */
export const plainText = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_LENGTH)
