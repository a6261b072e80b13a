import { noShell } from '../../../contract/accounts.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

export const opensShell = ({ shell }: Answered): boolean => shell !== noShell

/** Access by SSH; without a login shell, who can give the account one. */
export function sshPage(view: ViewContext): PageView {
  const isOpen = opensShell(view.data)
  return {
    ...objectPage(view),
    title: t(view.screen.title),
    status: view.data.enabled ? 'enabled' : 'off',
    ...(!isOpen && { lead: t(view.panel === 'admin' ? NO_SHELL : NO_SHELL_FOR_CUSTOMER) }),
    ...(!isOpen &&
      view.panel === 'admin' && {
        actions: <LinkButton href={`${view.href('/settings')}#updateAccount-shell`} label="Change the login shell" />,
      }),
  }
}

const NO_SHELL = 'The login shell of the account is nologin, so SSH is off. Give it another under Manage.'
const NO_SHELL_FOR_CUSTOMER =
  'Your account has no login shell, so SSH is off. Your hosting provider can give it one. Files can be reached by FTP and SFTP.'
