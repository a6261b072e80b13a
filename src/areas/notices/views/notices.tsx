import type { Child } from 'hono/jsx'
import { actionsOf } from '../../../web/kit/actions.ts'
import { ButtonForm } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { sideOf } from '../../../web/kit/page-scope.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** A notice about an account is dismissed through that account. */
export function dismissing({ kind, object_id, username }: Answered, view: ViewContext): Child {
  if (sideOf(view.screen) === 'server' && username !== undefined)
    return <a href={view.href('/accounts/{username}/notices', { username })}>{t('Look at it')}</a>
  return (
    <ButtonForm of={view.form(actionsOf(view.screen)[0]!)}>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="object_id" value={object_id} />
    </ButtonForm>
  )
}
