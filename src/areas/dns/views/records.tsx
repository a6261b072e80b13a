import { listPage } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** The records of a zone, with ways to its text and its settings. */
export function zoneRecords(visit: Visit): Shown {
  const page = listPage(visit)
  const { names, href, data } = visit
  return {
    ...page,
    lead: (
      <>
        <Machine text={names['zone']!} /> · {t('serial')} <Machine text={String(data.serial)} />
      </>
    ),
    actions: (
      <>
        <a class="button" href={href('/dns/{zone}/settings', names)}>
          {t('Settings')}
        </a>
        <a class="button" href={href('/dns/{zone}/text', names)}>
          {t('Edit as text')}
        </a>
        {page.actions}
      </>
    ),
  }
}
