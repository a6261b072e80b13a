import { FormCard } from '../../../web/kit/forms/form.tsx'
import { narrowed } from '../../../web/kit/forms/narrowed.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
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

export function domainsWithoutZone({ sections }: Pick<ViewContext, 'sections'>): readonly Answered[] {
  const items = (section: string): readonly Answered[] => sections[section]?.items ?? []
  const taken = new Set(items('zones').map(({ domain_id }) => domain_id))
  return items('domains').filter(({ id, kind }) => kind !== 'sub' && !taken.has(id))
}

const NoneLeft = () => <p class="notice">{t('All domains have a zone; a subdomain is part of its domain’s.')}</p>
