import type { Area } from '../../runtime/area.ts'
import { nameOf } from '../accounts/store.ts'
import type { FullAcl } from './acls.ts'
import { aclOperations, findAcl } from './acls.ts'
import { refuseBeyondReseller } from './limits.ts'
import { resellerOperations } from './operations.ts'
import type { FullReseller } from './store.ts'
import { endReselling, findReseller, makeReseller, nameserversOf, refuseWhileOwning } from './store.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/resellers/{id}': { reseller: FullReseller }
    '/acls/{id}': { acl: FullAcl }
  }
}

export const resellers = {
  name: 'resellers',
  handlers: { ...resellerOperations, ...aclOperations },
  finders: {
    '/resellers/{id}': (ctx, { id }) => ({ reseller: findReseller(ctx, id) }),
    '/acls/{id}': (ctx, { id }) => ({ acl: findAcl(ctx, id) }),
  },
  ofAccount: {
    nameservers: nameserversOf,
    refuseGrant: refuseBeyondReseller,
    created(ctx, account) {
      if (account.make_reseller) makeReseller(ctx, account.id, [])
    },
    refuseEnd: refuseWhileOwning,
    end: (ctx, account) => endReselling(ctx, nameOf(account)),
  },
  stored: { essential: ['resellers', 'acls'] },
} satisfies Area
