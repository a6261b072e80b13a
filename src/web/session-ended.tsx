import { operations } from '../contract/index.ts'
import type { Typed } from './forms.ts'
import { Form } from './kit/form.tsx'
import { addressOf, ofThePast } from './kit/query.ts'
import type { Act } from './kit/screen.ts'
import { t } from './kit/text.ts'
import type { C, Served } from './served.ts'
import { Plain } from './sign-in-forms.tsx'
import { fieldsTyped } from './typed.ts'

interface Props {
  readonly served: Served
  /** Undefined if it was too long to keep. */
  readonly typed?: Typed
  readonly act?: Act | undefined
}

/** A form whose session has ended, with everything typed except secrets. Reads nothing from the store. */
export const SessionEnded = ({ served: { screens, panel, c }, typed, act }: Props) => (
  <Plain title="Your session has ended" server={screens.server}>
    <p role="alert">
      <a href={`/${panel}/login`} target="_blank" rel="noopener">
        {t('Sign in in a new tab')}
      </a>
      {t(", or open your provider's link; then press Save here.")} {t('Nothing was changed.')}
    </p>
    {typed ? (
      <Form
        of={{
          op: typed.op,
          action: here(c),
          csrf: '',
          label: act?.label ?? operations[typed.op].summary,
          fields: fieldsTyped(typed, act),
        }}
        save="Save"
      />
    ) : (
      <p>
        {t('What you sent was too long to be shown here. Sign in, then')}{' '}
        <a href={here(c)}>{t('open the page again')}</a>
        {t(': the text that you typed comes back. Without JavaScript, go back and copy it first.')}
      </p>
    )}
  </Plain>
)

/** Keeps the query, which the form may depend on, without the previous change's parameters. */
function here(c: C): string {
  const { pathname, searchParams } = new URL(c.req.url)
  for (const name of [...ofThePast, 'say']) searchParams.delete(name)
  return addressOf(pathname, searchParams)
}
