import type { Area } from '../../runtime/areas/area.ts'
import { migrations } from './migrations.ts'
import { noticeOperations } from './operations.ts'

export const notices = {
  name: 'notices',
  handlers: noticeOperations,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  stored: { migrations },
} satisfies Area
