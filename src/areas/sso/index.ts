import type { Area } from '../../runtime/area.ts'
import { ssoOperations } from './operations.ts'

export const sso = { name: 'sso', handlers: ssoOperations } satisfies Area
