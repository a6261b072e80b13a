import { invalid } from '../../../contract/problem.ts'
import type { ButtonStyle } from '../components/button.tsx'
import { t } from '../i18n/i18n.ts'

interface Props {
  readonly label: string
  /** The field that gets what the browser answers. */
  readonly field: string
  /** What the browser is asked, or where a script gets it: it expires. */
  readonly options?: object
  readonly start?: string
  readonly look?: ButtonStyle
}

/** Asks the browser for a passkey and submits its form; only a script can show it. */
export const PasskeyButton = ({ label, field, options, start, look }: Props) => (
  <>
    <input type="hidden" name={field} />
    <button
      type="button"
      class={look}
      hidden
      data-passkey={field}
      data-options={options && JSON.stringify(options)}
      data-start={start}
      data-failed={t('The passkey was not used. Try again, or choose another way.')}
      data-known={t('This device already has a passkey of yours for this address.')}
    >
      {t(label)}
    </button>
  </>
)

/** What a browser answered, in a field of a form. */
export function credentialIn(text: string | null): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text ?? '')
    if (typeof found === 'object' && found !== null) return { ...found }
  } catch {
    // Below.
  }
  throw invalid('credential', 'is filled in by the browser: this needs JavaScript and a passkey')
}
