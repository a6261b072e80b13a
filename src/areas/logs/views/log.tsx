import { Card } from '../../../web/kit/components/page.tsx'
import { queryOf } from '../../../web/kit/format/href.ts'
import { tailPage } from '../../../web/kit/pages/tail.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The end of a log, and its archived days. */
export function logPage(view: ViewContext): PageView {
  const page = tailPage(view)
  return {
    ...page,
    body: (
      <>
        {page.body}
        <Days view={view} />
      </>
    ),
  }
}

/** The log on the page, as the list of logs describes it. */
function logOf({ names, query, sections }: ViewContext): Answered | undefined {
  const kind = query.get('kind') || 'access'
  const isAt = ({ domain, domain_id }: Answered) => [domain, domain_id].includes(names['domain'])
  return sections['logs']?.items.find((log: Answered) => log.kind === kind && isAt(log))
}

const Days = ({ view }: { view: ViewContext }) => {
  const { days = [], domain_id, kind } = logOf(view) ?? {}
  if (days.length === 0 || !view.may('downloadLog')) return null
  return (
    <Card title="Download a day">
      <ul class="pad">
        {days.map((day: string) => (
          <li>
            <a href={view.download('downloadLog') + queryOf({ domain_id, kind, day })} download="">
              {day}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}
