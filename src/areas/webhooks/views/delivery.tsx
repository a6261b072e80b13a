import type { AttemptError } from '../../../contract/webhooks.ts'
import { actionsOf } from '../../../web/kit/actions.ts'
import { ButtonForm } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import { Facts } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** One event's delivery to a webhook: each attempt with its status, its duration and the start of the response. */
export function deliveryPage(view: ViewContext): PageView {
  const found = view.data.items.find(({ id }: Answered) => id === view.names['delivery'])
  if (!found) return { title: t('Delivery'), body: <p>{t('This delivery is not among the newest 500.')}</p> }
  const { attempts, ...rest } = found
  return {
    title: rest.event_type,
    machine: true,
    status: rest.status,
    actions: <ButtonForm of={view.form(actionsOf(view.screen)[0]!)} look="main" />,
    body: (
      <>
        <Facts view={view} of={rest} hidden={['event_type']} />
        <ItemCard view={view} title="Attempts" items={attempts.map(inWords)} columns={columns} />
      </>
    ),
  }
}

const causes: Readonly<Record<AttemptError, string>> = {
  timeout: 'No answer within 10 seconds',
  dns: 'The name could not be resolved',
  connect: 'The connection failed',
  tls: 'The TLS connection failed',
  'blocked-address': 'The address is not allowed',
  answer: 'The answer was not understood',
  redirect: 'The answer is a redirect, which is not followed',
  status: 'The answer is an error',
  interrupted: 'The server stopped during the attempt',
}

const inWords = ({ error, ...attempt }: Answered): Answered => ({
  ...attempt,
  ...(error && { error: t(lookupOwn(causes, error) ?? error) }),
})

const columns = ['number', 'at', 'duration_ms', 'http_status', 'error', 'response_start']
