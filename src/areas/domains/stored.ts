import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'

export const stored: Partial<StoreParts> = { migrations, essential: ['domains'] }
