import { ButtonForm } from '../../../web/kit/form.tsx'
import { ItemTable } from '../../../web/kit/list.tsx'
import { Facts } from '../../../web/kit/object.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** One event to one webhook: each attempt with its status, its time and how the answer began. */
export function deliveryPage(visit: Visit): Shown {
  const found = visit.data.items.find(({ id }: Answered) => id === visit.names['delivery'])
  if (!found) return { title: t('Delivery'), body: <p>{t('This delivery is not among the newest 500.')}</p> }
  const { attempts, ...rest } = found
  return {
    title: rest.event_type,
    machine: true,
    status: rest.status,
    actions: <Again visit={visit} />,
    body: (
      <>
        <Facts visit={visit} of={rest} />
        <Attempts visit={visit} attempts={attempts} />
      </>
    ),
  }
}

const Again = ({ visit }: { visit: Visit }) => {
  const form =
    visit.form('redeliverWebhook', { label: 'Redeliver' }) ??
    visit.form('redeliverWebhookForAccount', { label: 'Redeliver' })
  return form ? <ButtonForm of={form} main /> : null
}

const columns = ['number', 'at', 'duration_ms', 'http_status', 'error', 'response_start']

const Attempts = ({ visit, attempts }: { visit: Visit; attempts: readonly Answered[] }) => (
  <Card title={t('Attempts')}>
    {attempts.length === 0 ? (
      <p class="pad soft">{t('None yet.')}</p>
    ) : (
      <ItemTable visit={visit} caption={t('Attempts')} items={attempts} columns={columns} />
    )}
  </Card>
)
