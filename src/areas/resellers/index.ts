import type { z } from 'zod'
import type { Brand } from '../../contract/brand.ts'
import type { Area } from '../../runtime/areas/area.ts'
import { nameOf } from '../accounts/store.ts'
import type { FullAcl } from './acls.ts'
import { aclOperations, findAcl } from './acls.ts'
import { brandOperations } from './brand/operations.ts'
import { refuseBeyondReseller, refusePackageBeyondResellers } from './limits.ts'
import { migrations } from './migrations.ts'
import { resellerOperations } from './operations.ts'
import type { FullReseller } from './store.ts'
import {
  endReselling,
  findOwnReseller,
  makeReseller,
  nameserversOf,
  refuseWhileOwning,
  reservedNames,
} from './store.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/resellers/{id}': { reseller: FullReseller }
    '/acls/{id}': { acl: FullAcl }
  }
}

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    brand: Omit<z.infer<typeof Brand>, 'hostname'> | null
  }
}

export const resellers = {
  name: 'resellers',
  handlers: { ...resellerOperations, ...aclOperations, ...brandOperations },
  settings: { brand: null },
  finders: {
    '/resellers/{id}': (ctx, { id }) => ({ reseller: findOwnReseller(ctx, id) }),
    '/acls/{id}': (ctx, { id }) => ({ acl: findAcl(ctx, id) }),
  },
  ofAccount: {
    nameservers: nameserversOf,
    reservedNames,
    refuseGrant: refuseBeyondReseller,
    created(ctx, account) {
      if (account.make_reseller) makeReseller(ctx, account.id, { acl: [], acl_id: null })
    },
    refuseEnd: refuseWhileOwning,
    end: (ctx, account) => endReselling(ctx, nameOf(account)),
  },
  ofPackage: { refuseGrant: refusePackageBeyondResellers },
  stored: { migrations, essential: ['resellers', 'acls'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
