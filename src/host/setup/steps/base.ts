import type { Step } from '../step.ts'

/** Programs that the agent itself calls. */
export const base: Step = {
  name: 'base',
  packages: () => ['procps', 'ca-certificates', 'bzip2', 'xz-utils', 'zstd', 'libarchive-tools'],
}
