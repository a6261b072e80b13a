import type { Area } from '../../runtime/area.ts'
import { endLinks } from './links.ts'
import { ssoOperations } from './operations.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/email/accounts/{mid}': object
  }
}

export const sso = {
  name: 'sso',
  handlers: ssoOperations,
  // No area has mailboxes: webmail is refused for want of a driver, whatever the id.
  finders: { '/accounts/{id}/email/accounts/{mid}': () => ({}) },
  ofAccount: { end: (ctx, { id }) => endLinks(ctx, id) },
  // Links that were used since a backup would work again.
  stored: { restore: ['DELETE FROM links;'] },
} satisfies Area
