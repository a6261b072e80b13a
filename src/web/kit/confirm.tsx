import type { Child } from 'hono/jsx'
import { LinkButton, Submit } from './button.tsx'
import { FieldBox } from './fields.tsx'
import { Hidden, Trouble } from './form.tsx'
import { forMachines } from './machine.tsx'
import type { FormModel } from './screen.ts'
import { t } from './text.ts'

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
    {trouble ? <Trouble of={of.refusal} /> : null}
    {children}
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} />
    ))}
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
}

/** What will happen, and the button to do it. */
export const Confirm = ({ of, effects, name, cancel }: Props) => {
  const fault = of.refusal?.fields['confirm']
  return (
    <Asking
      of={of}
      label={of.label}
      danger
      yes
      trouble={fault === undefined}
      cancel={cancel}
      below={name === undefined ? null : <NameBox name={name} fault={fault} />}
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

const NameBox = ({ name, fault }: { name: string; fault: string | undefined }) => (
  <div class="field text">
    <label for="confirm">{t('Type {name} to confirm', { name })}</label>
    <input
      id="confirm"
      name="confirm"
      class="m"
      autocomplete="off"
      {...forMachines}
      data-confirm={name}
      aria-required="true"
      aria-invalid={fault && 'true'}
      aria-describedby={fault && 'confirm-error'}
    />
    {fault === undefined ? null : (
      <p class="error" id="confirm-error">
        {fault}
      </p>
    )}
  </div>
)
