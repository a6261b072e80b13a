import type { Area } from '../../runtime/areas/area.ts'
import { eventOperations } from './operations.ts'

export const events = {
  name: 'events',
  handlers: eventOperations,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
