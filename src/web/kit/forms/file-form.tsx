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
    <div class="field text">
      <label for={`${of.op}-file`}>{t('File')}</label>
      <input
        id={`${of.op}-file`}
        name="file"
        type="file"
        accept={accept}
        required={!isOptional}
        aria-describedby={`${of.op}-file-help`}
      />
      <p class="help" id={`${of.op}-file-help`}>
        {t(help)}
      </p>
    </div>
    <p class="buttons">
      <button type="submit">{t(of.label)}</button>
      {children}
    </p>
  </form>
)
