/** What draws on a terminal: a file of its own in the build, which other commands do not read. */
export { card, cardColumns } from './card.ts'
export { grid } from './grid.ts'
export { page } from './pager.ts'
