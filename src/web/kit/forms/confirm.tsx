import type { Child } from 'hono/jsx'
import { LinkButton, Submit } from '../components/button.tsx'
import { codeInputProps } from '../components/code.tsx'
import { t } from '../i18n/i18n.ts'
import type { FormModel } from '../screen.ts'
import { Fields, FormError, Hidden } from './form.tsx'

interface AskingProps {
  readonly of: FormModel
  /** The submit button's label. */
  readonly label: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly danger?: boolean
  /** Whether to send `_yes`: the user was asked. */
  readonly yes: boolean
  readonly trouble?: boolean
  readonly cancel?: string
  /** Content above the fields, and below them. */
  readonly children?: Child
  readonly below?: Child
}

/** A confirmation form on a page of its own. */
export const Asking = ({ of, label, values, danger, yes, trouble = true, cancel, children, below }: AskingProps) => (
  <form method="post" action={of.action} class="fields card pad" id={`form-${of.op}`} novalidate data-once="">
    <Hidden of={of} />
    {yes ? <input type="hidden" name="_yes" value="1" /> : null}
    {trouble ? <FormError of={of.refusal} /> : null}
    {children}
    <Fields of={of} />
    {below}
    <p class="buttons">
      <Submit
        label={label}
        values={values}
        look={danger ? 'danger' : 'main'}
        data-confirmed={danger ? '' : undefined}
      />
      {cancel === undefined ? null : <LinkButton href={cancel} label="Cancel" />}
    </p>
  </form>
)

interface Props {
  readonly of: FormModel
  readonly effects: readonly string[]
  /** The name to type; without one there is just a button. */
  readonly name?: string | undefined
  readonly cancel: string
  /** Whether the page says already why it was refused. */
  readonly isAbove?: boolean
}

/** What will happen, and the button to do it. */
export const Confirm = ({ of, effects, name, cancel, isAbove = false }: Props) => {
  const error = of.refusal?.fields['confirm']
  return (
    <Asking
      of={of}
      label={of.label}
      danger
      yes
      trouble={error === undefined && !isAbove}
      cancel={cancel}
      below={name === undefined ? null : <NameBox name={name} error={error} />}
    >
      {effects.length === 0 ? null : (
        <ul>
          {effects.map((effect) => (
            <li>{effect}</li>
          ))}
        </ul>
      )}
    </Asking>
  )
}

const NameBox = ({ name, error }: { name: string; error: string | undefined }) => (
  <div class="field text">
    <label for="confirm">{t('Type {name} to confirm', { name })}</label>
    <input
      id="confirm"
      name="confirm"
      class="m"
      autocomplete="off"
      {...codeInputProps}
      data-confirm={name}
      aria-required="true"
      aria-invalid={error && 'true'}
      aria-describedby={error && 'confirm-error'}
    />
    {error === undefined ? null : (
      <p class="error" id="confirm-error">
        {error}
      </p>
    )}
  </div>
)
