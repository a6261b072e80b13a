import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { settingsPage } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

export const managePage = (view: ViewContext): PageView => ({
  ...settingsPage(view),
  ...(view.panel === 'user' &&
    view.may('getNotificationPreferences') && {
      actions: <LinkButton href={view.href('/notification-preferences')} label="Emails to the account" />,
    }),
  status: view.data.status,
  lead: <Code text={view.data.username} />,
})
