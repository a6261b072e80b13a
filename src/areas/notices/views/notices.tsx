import type { Child } from 'hono/jsx'
import { actsOf } from '../../../web/kit/acts.ts'
import { ButtonForm } from '../../../web/kit/form.tsx'
import { jobInWords } from '../../../web/kit/job-words.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import type { Answered, Looks, Visit } from '../../../web/kit/screen.ts'
import { sideOf } from '../../../web/kit/side.ts'
import { t } from '../../../web/kit/text.ts'

export const looks: Looks = {
  name: { cell: ({ object, name }) => (object === 'job' ? t(jobInWords(name)) : <Machine text={name} />) },
}

/** A notice about an account is dismissed through that account. */
export function dismissing({ kind, object_id, username }: Answered, visit: Visit): Child {
  if (sideOf(visit.screen) === 'server' && username !== undefined)
    return <a href={visit.href('/accounts/{username}/notices', { username })}>{t('Look at it')}</a>
  return (
    <ButtonForm of={visit.form(actsOf(visit.screen)[0]!)}>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="object_id" value={object_id} />
    </ButtonForm>
  )
}
