import { FormCard } from '../../../web/kit/form.tsx'
import { Endings } from '../../../web/kit/object.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** A mailbox's automatic reply; there may be none yet. */
export function autoresponder(visit: Visit): Shown {
  const written = visit.also['autoresponder']
  const form = visit.form('setAutoresponder', written ? { value: written } : {})
  return {
    title: visit.data.address,
    machine: true,
    lead: t(written ? 'What is answered to mail that arrives.' : 'Nothing is answered yet.'),
    body: (
      <>
        <FormCard of={form} cancel={visit.href('/email/{mailbox}')} />
        {written ? <Endings visit={visit} /> : null}
      </>
    ),
  }
}
