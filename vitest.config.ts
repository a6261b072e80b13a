import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/table.ts',
    pool: 'forks',
    isolate: false,
    // Half of the time the tests wait for processes, so that each core gets one that runs them.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
