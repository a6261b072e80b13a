/** Called before each point, so that a test can stop there. */
export type StoreFailPoint = (point: 'before-commit' | 'after-commit' | 'mid-migration') => void
