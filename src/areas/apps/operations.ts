import type * as declared from '../../contract/apps/apps.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { deleteApp, rotateAppDeployKey, updateApp } from './change.ts'
import { createApp } from './create.ts'
import { envOperations } from './env/operations.ts'
import { getAppLog } from './log.ts'
import { releaseOperations } from './releases/operations.ts'
import { restartApp, startApp, stopApp } from './running.ts'
import { appsOf } from './store.ts'
import { toApp } from './view.ts'

const listApps: Handler<typeof declared.listApps> = {
  handle: ({ db, found: { account } }) => ({
    items: appsOf.all(db, account.id).map((app) => toApp(db, account, app)),
  }),
}

const getApp: Handler<typeof declared.getApp> = {
  handle: ({ db, found: { account, app } }) => toApp(db, account, app),
}

export const appOperations = {
  listApps,
  createApp,
  getApp,
  updateApp,
  deleteApp,
  startApp,
  stopApp,
  restartApp,
  rotateAppDeployKey,
  ...releaseOperations,
  ...envOperations,
  getAppLog,
}
