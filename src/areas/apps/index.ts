import type { Area } from '../../runtime/area.ts'

/** There are no apps yet. */
export const apps = {
  name: 'apps',
  handlers: {},
  ofAccount: { host: { apps: () => ({ apps: [], gone: [] }) } },
} as const satisfies Area
