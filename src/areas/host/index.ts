import type { Area } from '../../runtime/area.ts'
import { rememberHost } from './host.ts'
import { hostOperations } from './operations.ts'

export const host = {
  name: 'host',
  handlers: hostOperations,
  start: (runtime, outside) => {
    rememberHost(runtime, outside.host)
    return { stop: () => Promise.resolve() }
  },
} satisfies Area
