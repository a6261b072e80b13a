import type { Area } from '../../runtime/area.ts'
import { authenticateSession } from './authenticate.ts'
import { sessionOperations } from './operations.ts'
import { findOwnSession, sessionUses } from './store.ts'

export const sessions = {
  name: 'sessions',
  handlers: sessionOperations,
  finders: {
    '/auth/sessions/{sid}': (ctx, { sid }) => findOwnSession(ctx, sid!, 'admin'),
    '/user/auth/sessions/{sid}': (ctx, { sid }) => findOwnSession(ctx, sid!, 'user'),
  },
  services: { authenticateSession },
  start: (runtime) => ({ stop: () => sessionUses(runtime).flush() }),
} satisfies Area
