import { operations } from '../../contract/index.ts'
import type { TypedForm } from '../forms/operation-form.ts'
import { fieldsTyped } from '../forms/preserved-fields.ts'
import { addressOf, NOTICE_PARAMETERS } from '../kit/format/query.ts'
import { Form } from '../kit/forms/form.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { Action } from '../kit/screen.ts'
import type { C, PanelRequest } from '../panel-request.ts'
import { Plain } from './forms.tsx'

interface Props {
  readonly request: PanelRequest
  /** Undefined if it was too long to keep. */
  readonly typed?: TypedForm
  readonly act?: Action | undefined
}

/** A form whose session has ended, with everything typed except secrets. Reads nothing from the store. */
export const SessionEnded = ({ request: { screens, panel, c }, typed, act }: Props) => (
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
          action: currentPath(c),
          csrf: '',
          label: act?.label ?? operations[typed.op].summary,
          fields: fieldsTyped(typed, act),
        }}
        save="Save"
      />
    ) : (
      <p>
        {t('What you sent was too long to be shown here. Sign in, then')}{' '}
        <a href={currentPath(c)}>{t('open the page again')}</a>
        {t(': the text that you typed comes back. Without JavaScript, go back and copy it first.')}
      </p>
    )}
  </Plain>
)

/** Keeps the query, which the form may depend on, without the previous change's parameters. */
function currentPath(c: C): string {
  const { pathname, searchParams } = new URL(c.req.url)
  for (const name of [...NOTICE_PARAMETERS, 'say']) searchParams.delete(name)
  return addressOf(pathname, searchParams)
}
