import type { Leaf } from './leaf.ts'

/** The hidden input with the value that the page showed, as JSON. */
export const wasName = (name: string): string => `was.${name}`

/** The checkbox beside a number that means "no limit". */
export const noneName = (name: string): string => `none.${name}`

/** Whether the number can be null. */
export const isLimit = ({ kind, nullable }: Pick<Leaf, 'kind' | 'nullable'>): boolean => kind === 'number' && nullable
