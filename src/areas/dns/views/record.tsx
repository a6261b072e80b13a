import { FormCard } from '../../../web/kit/form.tsx'
import { objectPage } from '../../../web/kit/object.tsx'
import { Pills } from '../../../web/kit/pills.tsx'
import type { FormModel, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { labelIn } from './inputs.tsx'
import { askedOf, dataOf, saidBy, types } from './said.ts'

/** A record to add: its type is chosen first, and determines the other inputs. */
export function newRecord(visit: Visit): Shown {
  const type = visit.typed?.get('type') ?? visit.query.get('type') ?? 'A'
  const form = visit.form('createDnsRecord', { only: askedOf({ type }), fixed: { type } })
  return {
    title: t('Add a record'),
    body: form ? (
      <>
        <Pills label="Type" of={types.map((one) => typeOf(visit, one, type))} />
        <FormCard of={named(form, type)} cancel={visit.href('/dns/{zone}')} />
      </>
    ) : null,
  }
}

const typeOf = ({ path }: Visit, type: string, chosen: string) => ({
  href: `${path}?type=${type}`,
  text: type,
  isNow: type === chosen,
})

const named = (form: FormModel, type: string): FormModel => ({
  ...form,
  fields: form.fields.map((field) => ({ ...field, label: labelIn(field.name, type) })),
})

/** A single record, titled by its content. */
export function oneRecord(visit: Visit): Shown {
  const said = saidBy(visit.data)
  return { ...objectPage(visit), title: `${said['name']} ${said['type']} ${dataOf(said)}`, machine: true }
}
