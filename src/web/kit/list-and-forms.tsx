import { listPage } from './list.tsx'
import { Changes, Endings } from './object.tsx'
import type { Shown, Visit } from './screen.ts'

/** A list, and below it forms that change it as a whole. */
export function listAndForms(visit: Visit): Shown {
  const { acts: _, ...screen } = visit.screen
  const page = listPage({ ...visit, screen })
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
