import { LinkButton } from '../../../web/kit/components/button.tsx'
import { doubtIn } from '../../../web/kit/components/certificate.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'
import { CertificateForm } from './certificate-form.tsx'

/** A certificate, with a link to replace it. */
export function certificatePage(view: ViewContext): PageView {
  const page = objectPage(view)
  const doubt = doubtIn(view.data)
  return {
    ...page,
    // Browsers warn of it, so it is not valid to a visitor.
    ...(doubt && { status: doubt, tone: 'warn' }),
    actions: (
      <>
        {page.actions}
        {view.may('installCertificate') ? (
          <LinkButton href={view.href('/ssl/{domain}/install', view.data)} label="Install a certificate" />
        ) : null}
      </>
    ),
  }
}

const fields = ['domain_id', 'certificate', 'private_key', 'ca_bundle']

/** Installs a certificate on a domain of the account. */
export function newPage(view: ViewContext): PageView {
  const form = view.form('installCertificate', { only: fields })
  return { title: t(view.screen.title), body: form ? <CertificateForm of={form} cancel={view.href('/ssl')} /> : null }
}

/** Installs another certificate on the page's domain. */
export function installPage(view: ViewContext): PageView {
  const { domain, domain_id } = view.data
  const form = view.form('installCertificate', { only: fields, fixed: { domain_id } })
  return {
    title: t(view.screen.title),
    lead: <bdi dir="ltr">{domain}</bdi>,
    body: form ? <CertificateForm of={form} cancel={view.href('/ssl/{domain}', view.data)} /> : null,
  }
}
