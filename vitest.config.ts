import { defineConfig } from 'vitest/config'
import { folderInMemory } from './test/memory.ts'

const memory = folderInMemory()
if (memory !== undefined) process.env['TMPDIR'] ??= memory

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/table.ts',
    pool: 'forks',
    isolate: false,
    // Modules as vitest transformed them, by their content.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/modules' },
    // Half of the time the tests wait for processes, so that each core gets one that runs them.
    maxWorkers: '100%',
    // A slow or busy machine takes several times as long: these limits are for what hangs.
    testTimeout: 60_000 + 4000 * Number(process.env['FUZZ_SECONDS'] ?? 0),
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
  },
})
