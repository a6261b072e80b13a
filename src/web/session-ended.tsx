import { operations } from '../contract/index.ts'
import { fieldsFor, type Typed } from './forms.ts'
import { Form } from './kit/form.tsx'
import { t } from './kit/text.ts'
import type { Served } from './served.ts'
import { Plain } from './sign-in-forms.tsx'

/** A form whose session has ended, with everything that was typed except secrets. Nothing is read from the store. */
export const SessionEnded = ({ served: { screens, panel, c }, typed }: { served: Served; typed?: Typed }) => (
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
          action: new URL(c.req.url).pathname,
          csrf: '',
          label: operations[typed.op].summary,
          fields: fieldsFor(typed.op, {}, {}, typed),
        }}
        save="Save"
      />
    ) : (
      <p>{t('What you sent was too long to be kept. Go back to have it again.')}</p>
    )}
  </Plain>
)
