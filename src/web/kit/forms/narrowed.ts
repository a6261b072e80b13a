import type { FormModel } from '../screen.ts'

/** The form with fewer options in one of its fields. */
export const narrowed = (form: FormModel, name: string, isOffered: (value: string) => boolean): FormModel => ({
  ...form,
  fields: form.fields.map((field) => {
    const { control } = field
    if (field.name !== name || (control.kind !== 'choice' && control.kind !== 'checks')) return field
    return { ...field, control: { ...control, options: control.options.filter(({ value }) => isOffered(value)) } }
  }),
})
