import { operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { listPage } from './kit/list.tsx'
import { formPage } from './kit/new.tsx'
import { objectPage } from './kit/object.tsx'
import type { Screen, View } from './kit/screen.ts'

/** The view of a page that has none of its own: a list, one object, or a form. */
export function viewOf({ view, shows }: Screen): View {
  if (view) return view
  const op: Declaration = operations[shows]
  if (op.method !== 'get') return formPage
  return isList(op) ? listPage : objectPage
}

export const isList = ({ answer }: Declaration): boolean =>
  answer !== undefined && 'shape' in answer && 'items' in (answer.shape as object)
