import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'

const file = fileURLToPath(new URL('../chaos/main.ts', import.meta.url))

/** Five minutes under fire at full size; `chaos/main.ts` by itself takes other sizes, and a seed. */
export async function measure({ agents }: Sizes): Promise<void> {
  const sizes = ['--agents', String(agents), '--seconds', '300', '--accounts', '1000', '--rate', '200']
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...sizes], { stdio: 'inherit' })
  say('runs under fire that found a fault', status === 0 ? 0 : 1, 'runs', { max: 0 })
}
