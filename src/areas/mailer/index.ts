import type { Area } from '../../runtime/areas/area.ts'
import { Mailer } from './mailer.ts'
import { migrations } from './migrations.ts'
import { purpose } from './outbox.ts'
import { settings } from './settings.ts'

/** The way out for all mail of the panel itself: areas queue messages, and the host's mail server gets them. */
export const mailer = {
  name: 'mailer',
  handlers: {},
  settings,
  stored: {
    migrations,
    // What was sent after the backup would be sent again.
    restore: ['DELETE FROM mail_messages;'],
    sealed: [{ table: 'mail_messages', column: 'content', purpose }],
  },
  start: (runtime, { host }) => new Mailer(runtime, host),
} satisfies Area
