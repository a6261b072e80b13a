import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/table.ts',
    pool: 'forks',
    isolate: false,
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
})
