import { FormCard } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { labelIn } from './inputs.tsx'
import { dataOf, fieldNamesOf, fieldsOf, types } from './record-fields.ts'
import { presetsIn } from './record-presets.ts'

/** A record to add: its type is chosen first, and determines the other inputs. */
export function newRecord(view: ViewContext): PageView {
  const type = view.typed?.get('type') ?? view.query.get('type') ?? 'A'
  const form = view.form('createDnsRecord', { only: fieldNamesOf({ type }), fixed: { type } })
  return {
    title: t('Add a record'),
    body: form ? (
      <>
        <Pills label="Start from" of={presetsIn(view).map(({ label, ...link }) => ({ ...link, text: t(label) }))} />
        <Pills label="Type" of={types.map((one) => typeOf(view, one, type))} />
        <FormCard of={named(form, type, view.query.has('verifies'))} cancel={view.href('/dns/{zone}')} />
      </>
    ) : null,
  }
}

const typeOf = ({ path }: ViewContext, type: string, chosen: string) => ({
  href: `${path}?type=${type}`,
  text: type,
  isNow: type === chosen,
})

const named = (form: FormModel, type: string, verifies: boolean): FormModel => ({
  ...form,
  fields: form.fields.map((field) => ({
    ...field,
    label: labelIn(field.name, type),
    ...(verifies && field.name === 'value' && { help: 'Copy it from the service that verifies the site.' }),
  })),
})

const MAX_TITLE_CHARACTERS = 40

/** A single record, titled by its content. */
export function oneRecord(view: ViewContext): PageView {
  const fields = fieldsOf(view.data)
  const content = dataOf(fields)
  const visible = content.length > MAX_TITLE_CHARACTERS ? `${content.slice(0, MAX_TITLE_CHARACTERS)}…` : content
  return { ...objectPage(view), title: `${fields['name']} ${fields['type']} ${visible}`, machine: true }
}
