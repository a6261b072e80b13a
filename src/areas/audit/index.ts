import type { Area } from '../../runtime/area.ts'
import { auditOperations } from './operations.ts'

export const audit = { name: 'audit', handlers: auditOperations } satisfies Area
