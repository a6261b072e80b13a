import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import { changesIt } from '../kit/actions.ts'
import { valueAt } from '../kit/components/cell.tsx'
import { Code } from '../kit/components/code.tsx'
import { Confirm } from '../kit/forms/confirm.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { Action, Answered, PageView, ViewContext } from '../kit/screen.ts'

/** The object name to type before an operation runs. */
export function nameToType(view: ViewContext, op: OperationId): string | undefined {
  const { cli }: Declaration = operations[op]
  return cli?.confirm === 'name' ? (nameIn(view, undefined) ?? view.account?.username ?? '') : undefined
}

/** The name of the page's object, or of a row of its list. */
function nameIn(view: ViewContext, item: string | undefined): string | undefined {
  const { screen } = view
  const one = rowOf(view, item)
  const named = (screen.name === undefined ? undefined : valueAt(one, screen.name)) ?? one?.username ?? one?.name
  return named === undefined ? undefined : String(named)
}

const rowOf = ({ data }: ViewContext, item: string | undefined): Answered =>
  item === undefined ? data : data.items?.find(({ id }: Answered) => id === item)

/** What has no name is known by its domain, such as a certificate. */
const domainIn = (view: ViewContext, item: string | undefined): string | undefined => rowOf(view, item)?.domain

/** Describes a change before it is made. */
export function confirmation(view: ViewContext, op: OperationId, item: string | undefined): PageView {
  const { screen, path } = view
  const act = screen.acts?.[op]
  const changed = changesIt(op) ? { value: act?.value?.(view.data) ?? view.data } : {}
  const form = view.form(op, { item, ...changed })
  if (!form) throw notFound('action')
  const { description }: Declaration = operations[op]
  const effects =
    typeof act?.confirm === 'function' ? act.confirm(view) : (act?.confirm ?? (description ? [description] : []))
  return {
    title: t(form.label),
    lead: <Lead name={nameIn(view, item) ?? domainIn(view, item)} isFinal={isFinal(op, act)} />,
    body: (
      <Confirm
        of={form}
        effects={effects.map((effect) => t(effect))}
        name={nameToType(view, op)}
        cancel={path}
        isAbove={view.refusal !== undefined}
      />
    ),
  }
}

const isFinal = (op: OperationId, { undo, undoWith, recoverable }: Action = { done: '' }): boolean =>
  !changesIt(op) && !undo && !undoWith && !recoverable

const Lead = ({ name, isFinal }: { name: string | undefined; isFinal: boolean }) => (
  <>
    {name === undefined ? null : <Code text={name} />} {isFinal ? t('This cannot be undone.') : null}
  </>
)
