import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { notFound } from '../contract/problem.ts'
import { valueAt } from './kit/cell.tsx'
import { Confirm } from './kit/confirm.tsx'
import { Machine } from './kit/machine.tsx'
import type { Answered, Shown, Visit } from './kit/screen.ts'
import { t } from './kit/text.ts'

/** The object name to type before an operation runs. */
export function nameToType(visit: Visit, op: OperationId): string | undefined {
  const { cli }: Declaration = operations[op]
  return cli?.confirm === 'name' ? (nameIn(visit, undefined) ?? visit.account?.username ?? '') : undefined
}

/** The name of the page's object, or of a row of its list. */
function nameIn({ screen, data }: Visit, item: string | undefined): string | undefined {
  const one = item === undefined ? data : data.items?.find(({ id }: Answered) => id === item)
  const named = (screen.name === undefined ? undefined : valueAt(one, screen.name)) ?? one?.username ?? one?.name
  return named === undefined ? undefined : String(named)
}

/** Describes a change before it is made. */
export function confirmation(visit: Visit, op: OperationId, item: string | undefined): Shown {
  const { screen, path } = visit
  const act = screen.acts?.[op]
  const form = visit.form(op, { item })
  if (!form) throw notFound('action')
  const { description }: Declaration = operations[op]
  const effects =
    typeof act?.confirm === 'function' ? act.confirm(visit) : (act?.confirm ?? (description ? [description] : []))
  return {
    title: t(form.label),
    lead: <Lead name={nameIn(visit, item)} isFinal={!act?.back && !act?.undo} />,
    body: <Confirm of={form} effects={effects.map((effect) => t(effect))} name={nameToType(visit, op)} cancel={path} />,
  }
}

const Lead = ({ name, isFinal }: { name: string | undefined; isFinal: boolean }) => (
  <>
    {name === undefined ? null : <Machine text={name} />} {isFinal ? t('This cannot be undone.') : null}
  </>
)
