import { Form } from './form.tsx'
import type { Shown, Visit } from './screen.ts'
import { t } from './text.ts'

/** The usual page of a form. */
export function formPage(visit: Visit): Shown {
  const { screen, path } = visit
  const form = visit.form(screen.shows)
  return {
    title: t(screen.title),
    body: form ? (
      <div class="card pad">
        <Form of={form} cancel={path.slice(0, path.lastIndexOf('/')) || '/'} />
      </div>
    ) : null,
  }
}
