import type { Child } from 'hono/jsx'
import type { OperationId } from '../../../contract/index.ts'
import { ListFilter } from '../../../web/kit/filter.tsx'
import { Hidden } from '../../../web/kit/form.tsx'
import { ItemTable } from '../../../web/kit/list.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** What needs attention, each with what dismisses it. */
export function noticesPage(visit: Visit): Shown {
  const { data, screen } = visit
  const ofServer = screen.of === 'server'
  const columns = ['name', 'detail', ...(ofServer ? ['username'] : []), 'severity', 'since']
  return {
    title: t(screen.title),
    body: (
      <>
        <ListFilter visit={visit} />
        {data.items.length === 0 ? (
          <div class="card empty">
            <p>{t('Nothing needs attention.')}</p>
          </div>
        ) : (
          <div class="card">
            <ItemTable
              visit={visit}
              caption={t(screen.title)}
              items={data.items}
              columns={columns}
              action={(item: Answered): Child => dismissing(visit, item)}
            />
          </div>
        )}
      </>
    ),
  }
}

/** A notice about an account is dismissed on the account's own page. */
function dismissing(visit: Visit, { kind, object_id, username }: Answered): Child {
  const ofServer = visit.screen.of === 'server'
  if (ofServer && username !== undefined)
    return <a href={visit.href('/accounts/{username}/notices', { username })}>{t('Look at it')}</a>
  const op: OperationId = ofServer ? 'dismissNotice' : 'dismissNoticeForAccount'
  const form = visit.form(op)
  return form ? (
    <form method="post" action={form.action} class="inline" data-once="">
      <Hidden of={form} />
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="object_id" value={object_id} />
      <button type="submit">{t(form.label)}</button>
    </form>
  ) : null
}
