import { importsSlice } from '../../debian/sandbox.ts'
import { sliceProperties } from '../../parts/limits.ts'
import type { SetupStep } from '../step.ts'

/** As much as one account may have that its package does not limit. */
const limits = sliceProperties({}).filter(([, value]) => value !== '')
const slice = `# Written by \`panel host setup\`. Make changes with \`systemctl edit ${importsSlice}\`.
[Unit]
Description=Archives of accounts that are imported

[Slice]
${limits.map(([name, value]) => `${name}=${value}\n`).join('')}`

/** Programs that the agent itself calls. */
export const base: SetupStep = {
  name: 'base',
  packages: () => ['procps', 'ca-certificates', 'bzip2', 'xz-utils', 'zstd', 'libarchive-tools'],
  files: () => [{ path: `/etc/systemd/system/${importsSlice}`, content: slice, mode: 0o644 }],
}
