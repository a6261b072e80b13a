import type { Operation } from './commands.ts'

/** Whether the command line asks for the newest items first: a feed is read from its end, unless a place in it is named. */
export const isNewestFirst = (
  { newest, list }: Pick<Operation, 'newest' | 'list'>,
  { after, wait }: Readonly<Record<string, unknown>> = {},
): boolean => newest === true || (list === 'cursor' && (after ?? wait) === undefined)
