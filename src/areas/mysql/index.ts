import type { Area } from '../../runtime/areas/area.ts'
import { backup, contents } from './backup.ts'
import { dumpJobs } from './dumps/jobs.ts'
import { mysqlHost } from './host.ts'
import { mysqlJobs } from './jobs.ts'
import { mysqlLookup } from './lookup.ts'
import { mysqlOperations } from './operations.ts'
import { isPublic, listenAnew, settings } from './server.ts'
import { databasesOf, hostsOf, usersOf } from './store.ts'
import { stored } from './stored.ts'
import type { DatabaseRow, HostRow, UserRow } from './tables.ts'
import { keepSizes } from './usage.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/mysql/databases/{dbid}': { database: DatabaseRow }
    '/accounts/{id}/mysql/databases/{dbid}/users/{duid}': { user: UserRow }
    '/accounts/{id}/mysql/users/{duid}': { user: UserRow }
    '/accounts/{id}/mysql/hosts/{hid}': { host: HostRow }
  }
}

const namesOf = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name)

export const mysql = {
  name: 'mysql',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: mysqlOperations,
  settings,
  settingsChanged: listenAnew,
  lookup: mysqlLookup,
  finders: {
    '/accounts/{id}/mysql/databases/{dbid}': (ctx, { id, dbid }) => ({ database: databasesOf.find(ctx, id, dbid) }),
    '/accounts/{id}/mysql/databases/{dbid}/users/{duid}': (ctx, { id, duid }) => ({
      user: usersOf.find(ctx, id, duid),
    }),
    '/accounts/{id}/mysql/users/{duid}': (ctx, { id, duid }) => ({ user: usersOf.find(ctx, id, duid) }),
    '/accounts/{id}/mysql/hosts/{hid}': (ctx, { id, hid }) => ({ host: hostsOf.find(ctx, id, hid) }),
  },
  jobs: (runtime, { host }) => [...mysqlJobs({ runtime, client: host }), ...dumpJobs(runtime, host)],
  ofAccount: {
    counts: { databases: databasesOf.count },
    host: { db: mysqlHost },
    server: (db) => ({ mysqlPublic: isPublic(db) }),
    measured: keepSizes,
    backup,
    databases: contents,
    belongings: (db, id) => ({
      databases: namesOf(databasesOf.all(db, id)),
      databaseUsers: namesOf(usersOf.all(db, id)),
    }),
  },
  stored,
} satisfies Area
