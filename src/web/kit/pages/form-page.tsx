import { FormCard } from '../forms/form.tsx'
import { t } from '../i18n/i18n.ts'
import type { PageView, ViewContext } from '../screen.ts'

/** The default page of a form. */
export function formPage(view: ViewContext): PageView {
  const { screen, path } = view
  const above = path.slice(0, path.lastIndexOf('/')) || '/'
  return { title: t(screen.title), body: <FormCard of={view.form(screen.shows)} cancel={above} /> }
}
