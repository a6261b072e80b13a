import type { Child } from 'hono/jsx'
import { Form } from '../forms/form.tsx'
import { t } from '../i18n/i18n.ts'
import type { FormModel } from '../screen.ts'

interface Props {
  readonly title: string
  readonly open: boolean
  readonly id?: string | undefined
  readonly children?: Child
}

/** A collapsible card. */
export const Fold = ({ title, open, id, children }: Props) => (
  <details class="card" id={id} open={open}>
    <summary>{t(title)}</summary>
    {children}
  </details>
)

interface FormProps extends Partial<Pick<Props, 'title' | 'open' | 'id'>> {
  readonly of: FormModel | undefined
  readonly danger?: boolean
}

/** A collapsible form, open if it was refused; nothing if the session may not run it. */
export const FoldedForm = ({ of, title = of?.label ?? '', open = false, id, danger = false }: FormProps) =>
  of ? (
    <Fold title={title} open={open || of.refusal !== undefined} id={id}>
      <div class="pad">
        <Form of={of} danger={danger} />
      </div>
    </Fold>
  ) : null
