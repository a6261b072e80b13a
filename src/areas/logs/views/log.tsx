import { queryOf } from '../../../web/kit/href.ts'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { tailPage } from '../../../web/kit/tail.tsx'

/** The end of a log, and its archived days. */
export function logPage(visit: Visit): Shown {
  const page = tailPage(visit)
  return {
    ...page,
    body: (
      <>
        {page.body}
        <Days visit={visit} />
      </>
    ),
  }
}

/** The log on the page, as the list of logs describes it. */
function logOf({ names, query, also }: Visit): Answered | undefined {
  const kind = query.get('kind') || 'access'
  const isAt = ({ domain, domain_id }: Answered) => [domain, domain_id].includes(names['domain'])
  return also['logs']?.items.find((log: Answered) => log.kind === kind && isAt(log))
}

const Days = ({ visit }: { visit: Visit }) => {
  const { days = [], domain_id, kind } = logOf(visit) ?? {}
  if (days.length === 0 || !visit.may('downloadLog')) return null
  return (
    <Card title="Download a day">
      <ul class="pad">
        {days.map((day: string) => (
          <li>
            <a href={visit.download('downloadLog') + queryOf({ domain_id, kind, day })} download="">
              {day}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}
