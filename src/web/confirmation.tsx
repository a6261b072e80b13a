import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { notFound } from '../contract/problem.ts'
import { valueAt } from './kit/cell.tsx'
import { Confirm } from './kit/confirm.tsx'
import type { Shown, Visit } from './kit/screen.ts'
import { t } from './kit/text.ts'

export const asksFirst = (op: OperationId): boolean => (operations[op] as Declaration).cli?.confirm !== undefined

/** What must be typed before an operation runs: the name of what it is about. */
export function nameToType(visit: Visit, op: OperationId): string | undefined {
  const { cli }: Declaration = operations[op]
  if (cli?.confirm !== 'name') return undefined
  const { screen, data, account } = visit
  const named = screen.name === undefined ? undefined : valueAt(data, screen.name)
  return String(named ?? data.username ?? data.name ?? account?.username ?? '')
}

/** What a change will do, before it is done. */
export function confirmation(visit: Visit, op: OperationId, item: string | undefined): Shown {
  const { screen, path } = visit
  const act = screen.acts?.[op]
  const form = visit.form(op, item === undefined ? {} : { item })
  if (!form) throw notFound('action')
  const { description }: Declaration = operations[op]
  const effects =
    typeof act?.confirm === 'function' ? act.confirm(visit) : (act?.confirm ?? (description ? [description] : []))
  return {
    title: t(form.label),
    lead: t('This cannot be undone.'),
    body: <Confirm of={form} effects={effects.map((effect) => t(effect))} name={nameToType(visit, op)} cancel={path} />,
  }
}
