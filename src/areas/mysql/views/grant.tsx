import { Code } from '../../../web/kit/components/code.tsx'
import { FoldedForm } from '../../../web/kit/components/fold.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Endings, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** What a user may do in a database: the form shows what it may do now, so that saving takes nothing away unseen. */
export function grantPage(view: ViewContext): PageView {
  const { data, names } = view
  const isUser = ({ id, name }: Answered): boolean => [id, name].includes(names['database_user'])
  const granted = data.users.find(isUser)
  const user = granted ?? view.sections['users']?.items.find(isUser)
  const grant = view.may('setDatabaseGrant')
    ? view.form('setDatabaseGrant', { value: { privileges: granted?.privileges ?? ['ALL'] } })
    : undefined
  return {
    title: t('What a user may do'),
    lead: (
      <>
        {user ? <Code text={user.name} /> : null} {t('In the database')} <Code text={data.name} />
        {granted ? null : <> · {t('no access yet')}</>}
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
