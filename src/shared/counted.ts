/** A number with its noun: `1 file`, `2 files`. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`
