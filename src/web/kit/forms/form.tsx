import type { Child } from 'hono/jsx'
import { type ButtonStyle, LinkButton, Submit } from '../components/button.tsx'
import { Card } from '../components/page.tsx'
import { t } from '../i18n/i18n.ts'
import { labelOf } from '../i18n/label.ts'
import type { FormModel, FormRefusal, ViewContext } from '../screen.ts'
import type { FormField } from './field.ts'
import { FieldBox, idOf } from './fields.tsx'

interface Props {
  readonly of: FormModel
  /** The main button's label. */
  readonly save?: string
  readonly cancel?: string | undefined
  readonly danger?: boolean
  readonly children?: Child
}

/** A form that posts one operation. */
export const Form = ({ of, children, ...others }: Props) => (
  <FormFrame of={of} {...others}>
    <Fields of={of} />
    {children}
  </FormFrame>
)

interface FrameProps extends Props {
  /** Further attributes of the form: how it sends files. */
  readonly attributes?: Readonly<Record<string, string>>
  /** The fields that its errors link to, if not all. */
  readonly linked?: readonly FormField[]
}

/** A form that posts one operation, around fields that a page draws itself. */
export const FormFrame = ({ of, save, cancel, danger, children, attributes = {}, linked = of.fields }: FrameProps) => (
  <form
    method="post"
    action={of.action}
    id={`form-${of.op}`}
    class="fields"
    novalidate
    data-once=""
    data-say=""
    {...attributes}
  >
    <Hidden of={of} />
    {of.refusal ? <FieldErrors of={{ ...of, fields: linked }} refusal={of.refusal} /> : null}
    {children}
    <p class="buttons">
      <Submit label={save ?? of.label} look={danger ? 'danger' : 'main'} />
      {cancel === undefined ? null : <LinkButton href={cancel} label="Cancel" />}
    </p>
  </form>
)

/** The few that most people fill in, and the others under a heading that opens. */
export const Fields = ({ of }: { of: FormModel }) => {
  const marks = of.fields.some(({ required }) => required)
  const isRare = ({ primary, control }: FormField): boolean => !primary && control.kind !== 'hidden'
  const rare = of.fields.filter(isRare)
  const groups = [...new Set(rare.flatMap(({ group }) => group ?? []))].filter(
    (group) => rare.filter((field) => field.group === group).length > 1,
  )
  const loose = rare.filter(({ group }) => group === undefined || !groups.includes(group))
  const box = (field: FormField) => <FieldBox field={field} form={of.op} marks={marks} />
  return (
    <>
      {of.fields.filter((field) => !isRare(field)).map(box)}
      {rare.length === 0 ? null : (
        <details class="more">
          <summary>{t('More options')}</summary>
          <div class="fields">
            {loose.map(box)}
            {groups.map((group) => (
              <>
                <h3>{t(group)}</h3>
                {rare.filter((field) => field.group === group).map(box)}
              </>
            ))}
          </div>
        </details>
      )}
    </>
  )
}

/** The page's main form; nothing if the session may not run it. */
export const FormCard = ({ of, title, cancel }: FormCardProps) =>
  of ? (
    <Card title={title}>
      <div class="pad">
        <Form of={of} cancel={cancel} />
      </div>
    </Card>
  ) : null

interface FormCardProps extends Pick<Props, 'cancel'> {
  readonly of: FormModel | undefined
  readonly title?: string
}

interface ButtonProps {
  readonly of: FormModel | undefined
  readonly label?: string | undefined
  readonly look?: ButtonStyle
  readonly children?: Child
}

/** A button that posts one operation; nothing if the session may not run it. */
export const ButtonForm = ({ of, label = of?.label ?? '', look, children }: ButtonProps) =>
  of ? (
    <form method="post" action={of.action} class="inline" data-once="">
      <Hidden of={of} />
      {children}
      <Submit label={label} look={look} />
    </form>
  ) : null

export const Hidden = ({ of }: { of: FormModel }) => (
  <>
    <input type="hidden" name="do" value={of.op} />
    <input type="hidden" name="csrf_token" value={of.csrf} />
    {of.key === undefined ? null : <input type="hidden" name="_key" value={of.key} />}
    {of.item === undefined ? null : <input type="hidden" name="_item" value={of.item} />}
  </>
)

export const accountOf = ({ account, session }: Pick<ViewContext, 'account' | 'session'>): string | undefined =>
  account?.id ?? session.account_id

/** A script shows this after restoring an unsaved draft of that account: addresses do not name the account. */
export const Drafted = ({ of = '' }: { of?: string | undefined }) => (
  <p class="notice" role="status" data-drafted={of} hidden>
    <span>{t('Your draft was restored. It is not saved yet.')}</span>
    <button type="button">{t('Discard it')}</button>
  </p>
)

/** The error of a single-button action, if any. */
export const FormError = ({ of }: { of: FormRefusal | undefined }) =>
  of ? (
    <div class="faults" role="alert">
      <p>
        <strong>{t(of.title)}</strong>
      </p>
      {of.detail ? <p>{of.detail}</p> : null}
    </div>
  ) : null

/** All errors in one focused list, with links to the fields. */
export const FieldErrors = ({ of, refusal }: { of: FormModel; refusal: FormRefusal }) => {
  const visibleFields = new Set(of.fields.map(({ name }) => name))
  const errors = Object.entries(refusal.fields)
  return (
    <div class="faults" role="alert" tabindex={-1} autofocus>
      <p>
        <strong>{t(refusal.title)}</strong>
      </p>
      {errors.length === 0 && refusal.detail ? <p>{refusal.detail}</p> : null}
      {errors.length === 0 ? null : (
        <ul>
          {errors.map(([name, error]) => (
            <li>
              {visibleFields.has(name) ? (
                <a href={`#${idOf(of.op, name)}`}>{t(fieldLabel(of, name))}</a>
              ) : (
                <b>{t(fieldLabel(of, name))}</b>
              )}
              : {error}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const fieldLabel = ({ fields }: FormModel, name: string): string =>
  fields.find((one) => one.name === name)?.label ?? labelOf(name)
