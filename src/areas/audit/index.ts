import type { Area } from '../../runtime/areas/area.ts'
import { defaultDays } from '../../runtime/settings/settings.ts'
import { auditOperations } from './operations.ts'

export const audit = {
  name: 'audit',
  settings: { audit_days: defaultDays.audit_days },
  handlers: auditOperations,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
