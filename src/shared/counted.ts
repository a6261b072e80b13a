/** A number and what it counts: `1 file`, `2 files`. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`
