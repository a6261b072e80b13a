import { operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { isList, listPage } from '../kit/lists/list.tsx'
import { formPage } from '../kit/pages/form-page.tsx'
import { objectPage } from '../kit/pages/object.tsx'
import type { PageView, Screen, View, ViewContext } from '../kit/screen.ts'

/** Renders a page with its view. */
export const renderView = (view: ViewContext): PageView => viewOf(view.screen)(view)

/** The default view of a page: a list, one object, or a form. */
function viewOf({ view, shows }: Screen): View {
  if (view) return view
  const op: Declaration = operations[shows]
  if (op.method !== 'get') return formPage
  return isList(op) ? listPage : objectPage
}
