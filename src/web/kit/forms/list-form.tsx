import type { Answered, FormModel, ViewContext } from '../screen.ts'
import { ButtonForm, Hidden } from './form.tsx'
import { ItemErrors } from './item-errors.tsx'
import { LIST_FIELD, NUMBER_FIELD } from './item-of-list.ts'

interface ItemProps {
  readonly view: ViewContext
  readonly form: FormModel
  readonly list: readonly Answered[]
  readonly number: number
}

/** What a form for one item of a list sends besides the item, and its errors. */
export const ItemOfList = ({ view, form, list, number }: ItemProps) => (
  <>
    <Hidden of={form} />
    <input type="hidden" name={LIST_FIELD} value={view.typed?.get(LIST_FIELD) ?? JSON.stringify(list)} />
    <input type="hidden" name={NUMBER_FIELD} value={number} />
    <ItemErrors of={form.refusal} />
  </>
)

/** A button that replaces a list. */
export const Replacing = ({ form, label, list }: { form: FormModel; label: string; list: readonly Answered[] }) => (
  <ButtonForm of={form} label={label}>
    <input type="hidden" name={LIST_FIELD} value={JSON.stringify(list)} />
  </ButtonForm>
)
