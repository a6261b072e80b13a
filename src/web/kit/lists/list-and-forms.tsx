import { Changes, Endings } from '../pages/object.tsx'
import type { Actions, PageView, ViewContext } from '../screen.ts'
import { listPage } from './list.tsx'

/** A list, with forms below that change it as a whole. */
export function listAndForms(view: ViewContext): PageView {
  const page = listPage({ ...view, screen: { ...view.screen, acts: ofRows(view) } })
  return {
    ...page,
    body: (
      <>
        {page.body}
        <Changes view={view} />
        <Endings view={view} />
      </>
    ),
  }
}

/** What can be done to the selected rows. */
const ofRows = ({ screen: { acts = {} } }: ViewContext): Actions =>
  Object.fromEntries(Object.entries(acts).filter(([, { many }]) => many))
