export * from './apps/apps.ts'
export * from './apps/env.ts'
export * from './apps/log.ts'
export * from './apps/releases.ts'
