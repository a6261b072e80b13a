import { Machine } from '../../../web/kit/machine.tsx'
import { settingsPage } from '../../../web/kit/object.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'

export const managePage = (visit: Visit): Shown => ({
  ...settingsPage(visit),
  status: visit.data.status,
  lead: <Machine text={visit.data.username} />,
})
