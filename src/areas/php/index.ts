import type { Area } from '../../runtime/areas/area.ts'
import { migrations } from './migrations.ts'
import { askNode, prepareReports, watchReports } from './reports.ts'
import { refuseSettings, settingsChanged } from './settings.ts'
import { DEFAULT_IDLE_MINUTES } from './store.ts'

export const php = {
  name: 'php',
  handlers: {},
  settings: { default_php_version: null, site_idle_minutes: DEFAULT_IDLE_MINUTES },
  refuseSettings,
  settingsChanged,
  prepare: prepareReports,
  start: watchReports,
  async ofSweep(runtime, { row, signal }) {
    await askNode(runtime, row.node, signal)
    return () => {}
  },
  stored: { migrations },
} satisfies Area
