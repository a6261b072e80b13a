import type { Area } from '../../runtime/areas/area.ts'
import { Counting } from './counting.ts'
import { keepUsage } from './history.ts'
import { migrations } from './migrations.ts'
import { logOperations } from './operations.ts'

export const logs = {
  name: 'logs',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: logOperations,
  ofAccount: { measured: keepUsage },
  start: (runtime, outside) => new Counting(runtime, outside),
  stored: { migrations },
} satisfies Area
