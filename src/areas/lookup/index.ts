import type { Area } from '../../runtime/areas/area.ts'
import { lookupOperations } from './operations.ts'

export const lookup = { name: 'lookup', handlers: lookupOperations } satisfies Area
