import type { Area } from '../../runtime/areas/area.ts'
import { authenticateToken } from './authenticate.ts'
import { tokenUses } from './last-use.ts'
import { migrations } from './migrations.ts'
import { oauth } from './oauth/index.ts'
import { fetchDocumentsBy } from './oauth/metadata-document.ts'
import { tokenOperations } from './operations.ts'
import { settings } from './settings.ts'
import { accountTokens, adminTokens, findToken, revokeAll, revokeResellerTokens } from './store.ts'
import type { TokenRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/tokens/{tid}': { token: TokenRow }
    '/accounts/{id}/tokens/{tid}': { token: TokenRow }
  }
}

export const tokens = {
  name: 'tokens',
  handlers: tokenOperations,
  settings,
  finders: {
    '/tokens/{tid}': (ctx, { tid }) => ({ token: findToken(ctx, tid, adminTokens(ctx)) }),
    '/accounts/{id}/tokens/{tid}': (ctx, { id, tid }) => ({ token: findToken(ctx, tid, accountTokens(id)) }),
  },
  ofAccount: { end: (ctx, { id }) => revokeAll(ctx, id) },
  onEvent({ store }, { type, object_id }) {
    if (type === 'reseller.removed') revokeResellerTokens(store.db, object_id)
  },
  services: { authenticateToken, oauth },
  prepare: async (runtime, { outgoing }) => fetchDocumentsBy(runtime, outgoing),
  start: (runtime) => ({ stop: () => tokenUses(runtime).flush() }),
  stored: { migrations, essential: ['tokens'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
