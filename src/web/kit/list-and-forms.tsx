import { listPage } from './list.tsx'
import { Changes, Endings } from './object.tsx'
import type { Acts, Shown, Visit } from './screen.ts'

/** A list, with forms below that change it as a whole. */
export function listAndForms(visit: Visit): Shown {
  const page = listPage({ ...visit, screen: { ...visit.screen, acts: ofRows(visit) } })
  return {
    ...page,
    body: (
      <>
        {page.body}
        <Changes visit={visit} />
        <Endings visit={visit} />
      </>
    ),
  }
}

/** What can be done to the selected rows. */
const ofRows = ({ screen: { acts = {} } }: Visit): Acts =>
  Object.fromEntries(Object.entries(acts).filter(([, { many }]) => many))
