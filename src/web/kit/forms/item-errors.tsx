import { t } from '../i18n/i18n.ts'
import type { FormRefusal } from '../screen.ts'
import { FormError } from './form.tsx'

/** The errors of a form whose fields the server names otherwise: with their places in its list. */
export const ItemErrors = ({ of }: { of: FormRefusal | undefined }) => {
  const errors = Object.entries(of?.fields ?? {})
  if (!of || errors.length === 0) return <FormError of={of} />
  return (
    <div class="faults" role="alert" tabindex={-1} autofocus>
      <p>
        <strong>{t(of.title)}</strong>
      </p>
      <ul>
        {errors.map(([name, error]) => (
          <li>
            <b class="m">{name.replace(/^(items|access)\.\d+\./, '')}</b>: {error}
          </li>
        ))}
      </ul>
    </div>
  )
}
