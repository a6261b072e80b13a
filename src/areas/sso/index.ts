import type { Area } from '../../runtime/areas/area.ts'
import { endLinks } from './links.ts'
import { migrations } from './migrations.ts'
import { ssoOperations } from './operations.ts'
import { missingPrograms } from './programs.ts'

export const sso = {
  name: 'sso',
  handlers: ssoOperations,
  ofAccount: { end: (ctx, { id }) => endLinks(ctx, id), unavailable: missingPrograms },
  // Links used after the backup would work again.
  stored: { migrations, restore: ['DELETE FROM links;'] },
} satisfies Area
