import { eq } from 'drizzle-orm'
import type { Area } from '../../runtime/areas/area.ts'
import { contactChanged } from './channels/confirm.ts'
import { channelOperations } from './channels/operations.ts'
import { findChannel, purpose } from './channels/store.ts'
import { AlertDispatcher } from './dispatch.ts'
import { migrations } from './migrations.ts'
import { offChannels } from './notices.ts'
import { alertOperations } from './operations.ts'
import { findAlert } from './store.ts'
import { type AlertRow, type ChannelRow, channels } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/alerts/{lid}': { alert: AlertRow }
    '/alerts/channels/{cid}': { channel: ChannelRow }
    '/accounts/{id}/alerts/{lid}': { alert: AlertRow }
    '/accounts/{id}/alerts/channels/{cid}': { channel: ChannelRow }
  }
}

export const alerts = {
  name: 'alerts',
  handlers: { ...alertOperations, ...channelOperations },
  finders: {
    '/alerts/{lid}': (ctx, { lid }) => ({ alert: findAlert(ctx, lid) }),
    '/alerts/channels/{cid}': (ctx, { cid }) => ({ channel: findChannel(ctx, cid) }),
    '/accounts/{id}/alerts/{lid}': (ctx, { id, lid }) => ({ alert: findAlert(ctx, lid, id) }),
    '/accounts/{id}/alerts/channels/{cid}': (ctx, { id, cid }) => ({ channel: findChannel(ctx, cid, id) }),
  },
  ofAccount: {
    notices: offChannels,
    changed: contactChanged,
    end: ({ db }, { id }) => void db.delete(channels).where(eq(channels.owner_id, id)).run(),
  },
  stored: {
    migrations,
    sealed: [
      { table: 'alert_channels', column: 'address', purpose },
      { table: 'alert_channels', column: 'secret', purpose },
    ],
  },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  start: (runtime, { outgoing }) => new AlertDispatcher(runtime, outgoing),
} satisfies Area
