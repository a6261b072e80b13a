import type { Area } from '../../runtime/areas/area.ts'
import { descriptionOperations } from './operations.ts'

export const description = { name: 'description', handlers: descriptionOperations } satisfies Area
