import type { Area } from '../../runtime/area.ts'
import { rememberHost } from './host.ts'
import { hostOperations } from './operations.ts'
import { verifyJob } from './verify.ts'

export const host = {
  name: 'host',
  handlers: hostOperations,
  jobs: (runtime, { host }) => [verifyJob({ runtime, client: host })],
  start: (runtime, outside) => {
    rememberHost(runtime, outside.host)
    return { stop: () => Promise.resolve() }
  },
} satisfies Area
