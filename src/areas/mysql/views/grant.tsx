import { Code } from '../../../web/kit/components/code.tsx'
import { FoldedForm } from '../../../web/kit/components/fold.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Endings, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** What a user may do in a database: the form shows what it may do now, so that saving takes nothing away unseen. */
export function grantPage(view: ViewContext): PageView {
  const { data, names } = view
  const granted = data.users.find(({ id, name }: Answered) => [id, name].includes(names['database_user']))
  const grant = view.may('setDatabaseGrant')
    ? view.form('setDatabaseGrant', { value: { privileges: granted?.privileges ?? ['ALL'] } })
    : undefined
  return {
    title: t('What a user may do'),
    lead: (
      <>
        {granted ? <Code text={granted.name} /> : null} {t('In the database')} <Code text={data.name} />
      </>
    ),
    actions: granted ? objectPage(view).actions : undefined,
    body: (
      <>
        {grant ? <FoldedForm of={grant} title="Privileges" open /> : null}
        <Endings view={view} />
      </>
    ),
  }
}
