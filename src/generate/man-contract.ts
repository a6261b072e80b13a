import { areas } from '../contract/areas.ts'
import { privileges } from '../contract/common.ts'
import { events } from '../contract/events.ts'
import { operationList } from '../contract/index.ts'
import { description } from '../contract/openapi.ts'
import { problems } from '../contract/problem.ts'
import { exitMeanings } from '../shared/exit.ts'
import { item, page, prose, references, section, subsection } from './roff.ts'

/** The text before the list of what holds, and the list. */
function introduction(): string[] {
  const [first = '', ...points] = description.split('\n- ')
  return [prose(first.trim()), ...points.flatMap((point) => ['.IP \\(bu 2', prose(point.trim())])]
}

const callers = [
  ...item(
    'Local socket',
    'On the server itself, any process that can open panel.sock in the data directory acts as root.',
  ),
  ...item(
    'API token',
    'Authorization: Bearer pnl_..., limited to its areas, addresses and lifetime; for the server or for one account.',
  ),
  ...item('Session', 'The cookie set at sign-in, and for changes the header X-CSRF-Token.'),
]

/** Area by area, as the description has them. */
function operations(): string[] {
  const names = [...new Set(operationList.map(({ area }) => area))]
  return names.flatMap((name) => {
    const own = operationList.filter(({ area }) => area === name)
    const lines = own.flatMap(({ id, method, path, summary }) =>
      item(`${id}: ${method.toUpperCase()} ${path}`, `${summary}.`),
    )
    return subsection(name, [prose(areas[name as keyof typeof areas]), ...lines])
  })
}

const meanings = new Map(exitMeanings)

const errors = Object.entries(problems).flatMap(([code, { status, title, exit }]) =>
  item(`${code} (${status})`, `${title}. Exit status ${exit}: ${meanings.get(exit)}`),
)

const eventTypes = Object.entries(events).flatMap(([type, { summary, account }]) =>
  item(type, account ? `${summary}. Accounts receive it too.` : `${summary}.`),
)

const deliveries = [
  prose(
    'Each event is posted to every webhook subscribed to its type. X-Panel-Signature is sha256= and the HMAC-SHA256 of X-Panel-Timestamp, a dot and the body, keyed with the whole secret as text; the headers of Standard Webhooks are sent too. X-Panel-Delivery never repeats. Eight attempts are made: at once, then after 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours, 12 hours and 24 hours.',
  ),
]

const feed = [
  prose(
    'listEvents returns events in the order of seq, and in next the cursor for the next call; with wait it waits for the next event. gap: true means that events after the cursor are gone, by age or because a backup was restored: reload what you keep.',
  ),
]

/** The contract, as a page of the manual. */
export const contractPage = (): string =>
  page('panel-contract', 'the HTTP API of panel', [
    section('DESCRIPTION', introduction()),
    section('CALLERS', callers),
    section('OPERATIONS', operations()),
    section('ERRORS', errors),
    section('EVENTS', [...feed, ...eventTypes]),
    section('WEBHOOKS', deliveries),
    section(
      'PRIVILEGES OF RESELLERS',
      Object.entries(privileges).flatMap(([name, text]) => item(name, String(text))),
    ),
    section('SEE ALSO', references(['panel', 'panel-api', 'panel-serve'])),
  ])
