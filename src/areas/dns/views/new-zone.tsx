import { FormCard } from '../../../web/kit/forms/form.tsx'
import { narrowed } from '../../../web/kit/forms/narrowed.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** Offers what can have a zone and has none: a subdomain is part of another domain's. */
export function newZonePage(view: ViewContext): PageView {
  const page = formPage(view)
  const form = view.form('createDnsZone')
  if (!form) return page
  const free = domainsWithoutZone(view)
  const ids = new Set(free.map(({ id }) => id))
  const offered = narrowed(form, 'domain_id', (value) => ids.has(value))
  return { ...page, body: free.length > 0 ? <FormCard of={offered} cancel={view.href('/dns')} /> : <NoneLeft /> }
}

/** Adding one is offered while a domain can have one. */
export function zonesPage(view: ViewContext): PageView {
  const { add, to, ...others } = view.screen
  const isOffered = add !== undefined && domainsWithoutZone(view).length > 0
  // Who may not see records gets no links to them.
  const links = { ...(isOffered && { add }), ...(to !== undefined && view.may('listDnsRecords') && { to }) }
  return listPage({ ...view, screen: { ...others, ...links } })
}

/** What says which domains have a zone. */
export const zonesAndDomains = {
  zones: { run: 'listDnsZones', query: { per_page: '500' }, fields: ['domain_id'], quiet: true },
  domains: { run: 'listDomains', query: { per_page: '500' }, fields: ['id', 'kind'], quiet: true },
} as const

export function domainsWithoutZone({ sections }: Pick<ViewContext, 'sections'>): readonly Answered[] {
  const items = (section: string): readonly Answered[] => sections[section]?.items ?? []
  const taken = new Set(items('zones').map(({ domain_id }) => domain_id))
  return items('domains').filter(({ id, kind }) => kind !== 'sub' && !taken.has(id))
}

const NoneLeft = () => <p class="notice">{t('All domains have a zone; a subdomain is part of its domain’s.')}</p>
