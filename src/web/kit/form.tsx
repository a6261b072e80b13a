import type { Child } from 'hono/jsx'
import { FieldBox, idOf } from './fields.tsx'
import type { FormModel, Refusal } from './screen.ts'
import { t } from './text.ts'

interface Props {
  readonly of: FormModel
  /** Of its main button. */
  readonly save?: string
  readonly cancel?: string
  readonly danger?: boolean
  readonly children?: Child
}

/** A form that posts one operation. */
export const Form = ({ of, save, cancel, danger, children }: Props) => (
  <form method="post" action={of.action} id={`form-${of.op}`} class="fields" novalidate data-once="" data-say="">
    <Hidden of={of} />
    {of.refusal ? <Faults of={of} refusal={of.refusal} /> : null}
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} marks={of.fields.some(({ required }) => required)} />
    ))}
    {children}
    <p class="buttons">
      <button type="submit" class={danger ? 'danger' : 'main'}>
        {t(save ?? of.label)}
      </button>
      {cancel === undefined ? null : (
        <a class="button" href={cancel}>
          {t('Cancel')}
        </a>
      )}
    </p>
  </form>
)

/** One button that posts one operation. */
export const ButtonForm = ({
  of,
  label,
  danger,
  main,
}: {
  of: FormModel
  label?: string
  danger?: boolean
  main?: boolean
}) => (
  <form method="post" action={of.action} class="inline" data-once="">
    <Hidden of={of} />
    <button type="submit" class={danger ? 'danger' : main ? 'main' : ''}>
      {t(label ?? of.label)}
    </button>
  </form>
)

export const Hidden = ({ of }: { of: FormModel }) => (
  <>
    <input type="hidden" name="do" value={of.op} />
    <input type="hidden" name="csrf_token" value={of.csrf} />
    {of.key === undefined ? null : <input type="hidden" name="_key" value={of.key} />}
    {of.item === undefined ? null : <input type="hidden" name="_item" value={of.item} />}
  </>
)

/** What was wrong with what one press did. */
export const Trouble = ({ refusal }: { refusal: Refusal }) => (
  <div class="faults" role="alert">
    <p>
      <strong>{t(refusal.title)}</strong>
    </p>
    {refusal.detail ? <p>{refusal.detail}</p> : null}
  </div>
)

/** What is wrong, in one list that has the focus and leads to the fields. */
const Faults = ({ of, refusal }: { of: FormModel; refusal: Refusal }) => {
  const shown = new Set(of.fields.map(({ name }) => name))
  const faults = Object.entries(refusal.fields)
  return (
    <div class="faults" role="alert" tabindex={-1} autofocus>
      <p>
        <strong>{t(refusal.title)}</strong>
      </p>
      {faults.length === 0 && refusal.detail ? <p>{refusal.detail}</p> : null}
      {faults.length === 0 ? null : (
        <ul>
          {faults.map(([name, fault]) => (
            <li>
              {shown.has(name) ? <a href={`#${idOf(of.op, name)}`}>{labelOf(of, name)}</a> : <b>{labelOf(of, name)}</b>}
              : {fault}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const labelOf = ({ fields }: FormModel, name: string): string => fields.find((one) => one.name === name)?.label ?? name
