import { notFound } from '../../contract/problem.ts'
import { FactList } from '../kit/components/description-list.tsx'
import { Time } from '../kit/components/time.tsx'
import { bytes } from '../kit/format/format.ts'
import { Asking } from '../kit/forms/confirm.tsx'
import { ButtonForm } from '../kit/forms/form.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { Answered, PageView, ViewContext } from '../kit/screen.ts'
import type { PageRequest } from '../pages/page-request.ts'
import { viewContextOf } from '../pages/view-context.ts'
import type { Submission } from './submit-form.tsx'

interface Files {
  /** The file that is there. */
  readonly old: Answered
  /** The one that was received. */
  readonly upload: Answered
}

/** "Replace index.html?", for an upload whose name is taken. */
export async function replaceQuestion({ pages, act }: Submission, page: PageRequest, files: Files): Promise<Response> {
  const view = await viewContextOf(page)
  return pages.render(page, () => question(view, act.replacedBy!, files), { status: 409, view })
}

function question(view: ViewContext, op: NonNullable<Submission['act']['replacedBy']>, files: Files): PageView {
  const { old, upload } = files
  const item: string = upload.id
  const form = view.form(op, { item, only: ['path', 'overwrite'], fixed: { path: old.path, overwrite: true } })
  if (!form) throw notFound('action')
  return {
    title: t('Replace {name}?', { name: old.name }),
    lead: t('There is already a file with this name.'),
    body: (
      <>
        <Asking of={form} label="Replace" yes={false}>
          <FactList
            of={[
              [t('The old file'), <Age of={old} now={view.now} />],
              [t('The new file'), bytes(upload.size)],
            ]}
          />
        </Asking>
        <ButtonForm of={view.form('deleteUpload', { item })}>
          <input type="hidden" name="_yes" value="1" />
        </ButtonForm>
      </>
    ),
  }
}

const Age = ({ of: { size, modified_at }, now }: { of: Answered; now: number }) => (
  <>
    {bytes(size)}, <Time at={modified_at} now={now} />
  </>
)
