/** Told of each point before it is passed, so that a test can stop there. */
export type StoreFaults = (point: 'before-commit' | 'after-commit' | 'mid-migration') => void
