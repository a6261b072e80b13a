import type { Child } from 'hono/jsx'
import { t } from '../i18n/i18n.ts'
import type { FormModel } from '../screen.ts'
import { FieldBox } from './fields.tsx'
import { FormError, Hidden } from './form.tsx'

interface Props {
  readonly of: FormModel
  readonly accept: string
  readonly help: string
  /** Whether something else may be given instead. */
  readonly isOptional?: true
  /** Content beside its button. */
  readonly children?: Child
}

/** A form that uploads one file. */
export const FileForm = ({ of, accept, help, isOptional, children }: Props) => (
  <form method="post" action={of.action} enctype="multipart/form-data" class="fields pad" data-once="">
    <Hidden of={of} />
    <FormError of={of.refusal} />
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} />
    ))}
    <FileField id={`${of.op}-file`} name="file" label="File" accept={accept} help={help} required={!isOptional} />
    <p class="buttons">
      <button type="submit">{t(of.label)}</button>
      {children}
    </p>
  </form>
)

interface FileFieldProps {
  readonly id?: string
  readonly name: string
  readonly label: string
  readonly accept: string
  readonly help: string
  readonly error?: string | undefined
  readonly required?: boolean
}

/** Chooses a file. */
export const FileField = ({ name, id = `file-${name}`, label, accept, help, error, required }: FileFieldProps) => (
  <div class="field text">
    <label for={id}>{t(label)}</label>
    <input
      {...{ id, name, accept, required }}
      type="file"
      aria-describedby={`${id}-help`}
      aria-invalid={error ? 'true' : undefined}
    />
    <p class="help" id={`${id}-help`}>
      {t(help)}
    </p>
    {error ? <p class="error">{error}</p> : null}
  </div>
)
