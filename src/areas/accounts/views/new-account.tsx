import { FormCard } from '../../../web/kit/forms/form.tsx'
import { narrowed } from '../../../web/kit/forms/narrowed.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import type { Answered, FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The form of a new account. A reseller with limits in total is offered the packages that it can grant. */
export function newAccountPage(view: ViewContext): PageView {
  const page = formPage(view)
  const form = view.form('createAccount')
  if (!form || !mustLimit(view)) return page
  const packages: readonly Answered[] = (view.sections['packages']?.items ?? []).filter(isLimitedFor(view))
  const cancel = view.href('/accounts')
  return {
    ...page,
    body: (
      <>
        {packages.length === 0 ? <NoPackage view={view} /> : null}
        <FormCard of={withPackages(form, packages)} cancel={cancel} />
      </>
    ),
  }
}

const own = ({ sections }: ViewContext): Answered => sections['own'] ?? {}

/** With overselling, usage counts, and accounts may be unlimited. */
const mustLimit = (view: ViewContext): boolean =>
  !own(view).overselling && (own(view).max_disk_mb ?? own(view).max_bw_mb) !== undefined

const isLimitedFor = (view: ViewContext) => (one: Answered) =>
  (own(view).max_disk_mb === undefined || one.disk_quota_mb !== undefined) &&
  (own(view).max_bw_mb === undefined || one.bw_limit_mb !== undefined)

function withPackages(form: FormModel, packages: readonly Answered[]): FormModel {
  const ids = new Set(packages.map(({ id }) => id))
  return ids.size === 0 ? form : narrowed(form, 'package_id', (value) => ids.has(value))
}

const NoPackage = ({ view }: { view: ViewContext }) => (
  <p class="notice warn">
    {t('Your accounts need a package with limits, since yours are limited in total.')}{' '}
    {view.has('/packages/new') && view.may('createPackage') ? (
      <a href={view.href('/packages/new')}>{t('Create a package')}</a>
    ) : null}
  </p>
)
