import { optionalLetters } from '../../../contract/email-templates.ts'
import { Submit } from '../../../web/kit/components/button.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

const occasions: Readonly<Record<string, string>> = {
  quota: 'A limit is nearly reached: disk, traffic, mailboxes',
  'certificate-failed': 'A certificate could not be issued or renewed',
  'backup-failed': 'A backup failed',
  unsuspended: 'The account works again after a suspension',
  digest: 'The monthly summary is ready',
}

/** The body of the form: it names the emails that are sent, the operation those that are not. */
export const preferencesIn = (form: URLSearchParams) => ({
  off: optionalLetters.filter((kind) => !form.getAll('on').includes(kind)),
})

/** Which emails the account gets. */
export function preferencesPage(view: ViewContext): PageView {
  const form = view.form('setNotificationPreferences')
  const off: readonly string[] = view.typed ? preferencesIn(view.typed).off : view.data.off
  return {
    title: t(view.screen.title),
    lead: t('Emails about a new or a suspended account are always sent.'),
    body: form ? <Occasions of={form} off={off} /> : null,
  }
}

const Occasions = ({ of, off }: { of: FormModel; off: readonly string[] }) => (
  <Card>
    <form method="post" action={of.action} id={`form-${of.op}`} class="fields pad" novalidate data-once="">
      <Hidden of={of} />
      <FormError of={of.refusal} />
      <fieldset class="field checks">
        <legend>{t('Send me an email when:')}</legend>
        {optionalLetters.map((kind) => (
          <label>
            <input type="checkbox" name="on" value={kind} checked={!off.includes(kind)} /> {t(occasions[kind] ?? kind)}
          </label>
        ))}
      </fieldset>
      <p class="buttons">
        <Submit label="Save" look="main" />
      </p>
    </form>
  </Card>
)
