/** Called before each point, so that a test can stop there. */
export type StoreFaults = (point: 'before-commit' | 'after-commit' | 'mid-migration') => void
