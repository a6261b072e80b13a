/** Loaded when something is drawn: what it loads by `require` is a file of its own in the build. */
export { card, cardColumns, grid, page } from './screen.ts'
