import { FormCard } from './form.tsx'
import type { Shown, Visit } from './screen.ts'
import { t } from './text.ts'

/** The default page of a form. */
export function formPage(visit: Visit): Shown {
  const { screen, path } = visit
  const above = path.slice(0, path.lastIndexOf('/')) || '/'
  return { title: t(screen.title), body: <FormCard of={visit.form(screen.shows)} cancel={above} /> }
}
