import type { Area } from '../../runtime/areas/area.ts'
import { securityOperations } from './operations.ts'

export const security = {
  name: 'security',
  handlers: securityOperations,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
