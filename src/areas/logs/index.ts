import type { Area } from '../../runtime/area.ts'
import { logOperations } from './operations.ts'

export const logs = { name: 'logs', handlers: logOperations } satisfies Area
