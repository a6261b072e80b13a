import type { Leaf } from './leaf.ts'

/** What the page showed, as JSON. */
export const wasName = (name: string): string => `was.${name}`

/** The box beside a number that says that there is none. */
export const noneName = (name: string): string => `none.${name}`

/** Whether there may be no number at all. */
export const isLimit = ({ kind, nullable }: Pick<Leaf, 'kind' | 'nullable'>): boolean => kind === 'number' && nullable
