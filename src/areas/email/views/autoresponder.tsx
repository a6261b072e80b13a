import { Code } from '../../../web/kit/components/code.tsx'
import { FormCard } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Endings } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

/** A mailbox's automatic reply; there may be none yet. */
export function autoresponder(view: ViewContext): PageView {
  const written = view.sections['autoresponder']
  const form = view.form('setAutoresponder', written ? { value: written } : {})
  return {
    title: t(view.screen.title),
    lead: (
      <>
        <Code text={view.data.address} />
        {' · '}
        {t(written ? 'What is answered to mail that arrives.' : 'Nothing is answered yet.')}
      </>
    ),
    body: (
      <>
        <FormCard of={form} cancel={view.href('/email/{mailbox}')} />
        {written ? <Endings view={view} /> : null}
      </>
    ),
  }
}
