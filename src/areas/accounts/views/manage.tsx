import { Code } from '../../../web/kit/components/code.tsx'
import { settingsPage } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

export const managePage = (view: ViewContext): PageView => ({
  ...settingsPage(view),
  status: view.data.status,
  lead: <Code text={view.data.username} />,
})
