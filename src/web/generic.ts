import { operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { isList, listPage } from './kit/list.tsx'
import { formPage } from './kit/new.tsx'
import { objectPage } from './kit/object.tsx'
import type { Screen, Shown, View, Visit } from './kit/screen.ts'

/** Renders a page with its view. */
export const viewed = (visit: Visit): Shown => viewOf(visit.screen)(visit)

/** The default view of a page: a list, one object, or a form. */
function viewOf({ view, shows }: Screen): View {
  if (view) return view
  const op: Declaration = operations[shows]
  if (op.method !== 'get') return formPage
  return isList(op) ? listPage : objectPage
}
