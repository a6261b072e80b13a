import { actsOf } from '../../../web/kit/acts.ts'
import { ButtonForm } from '../../../web/kit/form.tsx'
import { ItemCard } from '../../../web/kit/list.tsx'
import { Facts } from '../../../web/kit/object.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** One event's delivery to a webhook: each attempt with its status, its duration and the start of the response. */
export function deliveryPage(visit: Visit): Shown {
  const found = visit.data.items.find(({ id }: Answered) => id === visit.names['delivery'])
  if (!found) return { title: t('Delivery'), body: <p>{t('This delivery is not among the newest 500.')}</p> }
  const { attempts, ...rest } = found
  return {
    title: rest.event_type,
    machine: true,
    status: rest.status,
    actions: <ButtonForm of={visit.form(actsOf(visit.screen)[0]!)} look="main" />,
    body: (
      <>
        <Facts visit={visit} of={rest} />
        <ItemCard visit={visit} title="Attempts" items={attempts} columns={columns} />
      </>
    ),
  }
}

const columns = ['number', 'at', 'duration_ms', 'http_status', 'error', 'response_start']
