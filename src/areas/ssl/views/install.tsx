import { LinkButton } from '../../../web/kit/button.tsx'
import { FormCard } from '../../../web/kit/form.tsx'
import { objectPage } from '../../../web/kit/object.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** A certificate, with a link to replace it. */
export function certificatePage(visit: Visit): Shown {
  const page = objectPage(visit)
  return {
    ...page,
    actions: (
      <>
        {page.actions}
        {visit.may('installCertificate') ? (
          <LinkButton href={visit.href('/ssl/{domain}/install', visit.data)} label="Install a certificate" />
        ) : null}
      </>
    ),
  }
}

/** Installs another certificate on the page's domain. */
export function installPage(visit: Visit): Shown {
  const { domain, domain_id } = visit.data
  const only = ['certificate', 'private_key', 'ca_bundle']
  const form = visit.form('installCertificate', { only, fixed: { domain_id } })
  return {
    title: t(visit.screen.title),
    lead: <bdi dir="ltr">{domain}</bdi>,
    body: <FormCard of={form} cancel={visit.href('/ssl/{domain}', visit.data)} />,
  }
}
