import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The form, or why the server cannot issue any, with the way that is left. */
export const issuePage = (view: ViewContext): PageView =>
  view.hasAuthority ? formPage(view) : { ...formPage(view), body: <NoAuthority view={view} /> }

const ASK =
  'This server has no certificate authority yet, so it cannot issue certificates. Your administrator can choose one.'
const CHOOSE =
  'This server has no certificate authority yet, so it cannot issue certificates. Choose one in the settings.'

const NoAuthority = ({ view }: { view: ViewContext }) => (
  <Card>
    <div class="pad stack">
      <p>{t(view.session.is_root ? CHOOSE : ASK)}</p>
      <p class="buttons">
        {view.session.is_root ? (
          <a class="button main" href="/admin/settings">
            {t('Settings')}
          </a>
        ) : null}
        {view.has('/ssl/new') && view.may('installCertificate') ? (
          <LinkButton href={view.href('/ssl/new')} label="Install a certificate" />
        ) : null}
        <LinkButton href={view.parent} label="Cancel" />
      </p>
    </div>
  </Card>
)
