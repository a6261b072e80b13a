import type { Area } from '../../runtime/areas/area.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import { authenticateSession, sessionStatus } from './authenticate.ts'
import { sessionOperations } from './operations.ts'
import { findOwnPasskey } from './passkeys/store.ts'
import { confirmOwnPassword, prepareOwnPassword } from './password.ts'
import { backup, contactChanged, keepResetAddress, rootContactChanged, trustContact } from './password-reset/address.ts'
import { endResets } from './password-reset/store.ts'
import { deleteSecondFactors } from './second-factor.ts'
import { endSessionsOf, findOwnSession, sessionUses } from './store.ts'
import { stored } from './stored.ts'
import type { PasskeyRow, SessionRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/auth/sessions/{sid}': { session: SessionRow }
    '/user/auth/sessions/{sid}': { session: SessionRow }
    '/auth/passkeys/{pid}': { passkey: PasskeyRow }
    '/user/auth/passkeys/{pid}': { passkey: PasskeyRow }
  }
}

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    root_password_hash: string
    root_password_changed_at: number
    two_factor_required: 'none' | 'admins' | 'everyone'
    password_max_age_days: number | null
  }
}

export const sessions = {
  name: 'sessions',
  settings: { two_factor_required: 'none', password_max_age_days: null },
  handlers: sessionOperations,
  finders: {
    '/auth/sessions/{sid}': (ctx, { sid }) => ({ session: findOwnSession(ctx, sid, 'admin') }),
    '/user/auth/sessions/{sid}': (ctx, { sid }) => ({ session: findOwnSession(ctx, sid, 'user') }),
    '/auth/passkeys/{pid}': (ctx, { pid }) => ({ passkey: findOwnPasskey(ctx, pid) }),
    '/user/auth/passkeys/{pid}': (ctx, { pid }) => ({ passkey: findOwnPasskey(ctx, pid) }),
  },
  ofAccount: {
    backup,
    changed(ctx, before, after) {
      contactChanged(ctx, before, after)
      if (sameSecret(after.password_hash ?? '', before.password_hash ?? '')) return
      endSessionsOf(ctx, after.id, ctx.actor.session?.id)
    },
    end(ctx, { id }) {
      endSessionsOf(ctx, id)
      endResets(ctx, id)
      deleteSecondFactors(ctx.db, id)
      trustContact(ctx.db, id)
    },
    contactRestored: (ctx, { id, contact_email }) => keepResetAddress(ctx.db, id, contact_email),
  },
  settingsChanged: rootContactChanged,
  onEvent({ store, clock }, { type, object_id }) {
    if (type === 'reseller.removed') endSessionsOf({ db: store.db, now: clock.now() }, object_id, undefined, 'admin')
  },
  services: { authenticateSession, sessionStatus, prepareOwnPassword, confirmOwnPassword },
  start: (runtime) => ({ stop: () => sessionUses(runtime).flush() }),
  stored,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
