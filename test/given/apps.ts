import type { Given } from './index.ts'

export const given: Given = { host: { apps: { apps: [], gone: [] } } }
