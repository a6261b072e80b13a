import type { Area } from '../../runtime/area.ts'
import { migrations } from './migrations/index.ts'
import { noticeOperations } from './operations.ts'

export const notices = { name: 'notices', handlers: noticeOperations, stored: { migrations } } satisfies Area
