import type { OperationId } from '../../../contract/index.ts'
import { FormCard } from '../forms/form.tsx'
import { t } from '../i18n/i18n.ts'
import { Pills } from '../lists/pills.tsx'
import type { PageView, Preset, ViewContext } from '../screen.ts'

/** The default page of a form. */
export function formPage(view: ViewContext): PageView {
  const { screen, parent } = view
  const value = valueAtFirst(view)
  return {
    title: t(screen.title),
    lead: screen.lead && t(screen.lead),
    body: (
      <>
        <Presets view={view} of={screen.presets ?? []} op={screen.shows} />
        <FormCard of={view.form(screen.shows, value ? { value } : {})} cancel={parent} />
      </>
    ),
  }
}

/** What the form suggests before anything was typed or chosen. */
export function valueAtFirst(view: ViewContext): object | undefined {
  const { presets = [], startsFrom, startsWith } = view.screen
  if (startsWith) return startsWith(view)
  return view.query.has('do') ? undefined : presets.find(({ label }) => label === startsFrom)?.fields
}

/** Links to the same form, filled in for a common case. */
export const Presets = ({ view, of, op }: { view: ViewContext; of: readonly Preset[]; op: OperationId }) =>
  of.length === 0 ? null : (
    <Pills
      label="Start from"
      of={of.map(({ label, fields }) => ({
        href: `${view.path}?${queryOf(op, fields)}`,
        text: t(label),
        fills: op,
        isNow: view.query.has('do') ? isChosen(view.query, fields) : label === view.screen.startsFrom,
      }))}
    />
  )

function queryOf(op: OperationId, fields: Preset['fields']): string {
  const query = new URLSearchParams({ do: op })
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) query.append(name, one)
  return query.toString()
}

const isChosen = (query: URLSearchParams, fields: Preset['fields']): boolean =>
  Object.entries(fields).every(([name, value]) => `${query.getAll(name)}` === `${[value].flat()}`)
