import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes } from '../../../web/kit/format/format.ts'
import { Confirm } from '../../../web/kit/forms/confirm.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { optionLabel } from '../../../web/kit/i18n/label.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Browse } from './contents.tsx'

const nameOf = ({ part }: Answered): string => t(optionLabel(part, 'parts'))
const sizeOf = (part: Answered): string => (part.bytes === undefined ? '–' : bytes(part.bytes))

const looks: Looks = { part: { cell: nameOf }, bytes: { cell: sizeOf, label: 'Size' } }

export const isBeingMade = ({ data }: ViewContext): boolean => data.status === 'running'

/** Links to the restore page, for complete backups only. */
export const Restore = ({ view, of }: { view: ViewContext; of: Answered }) =>
  of.status === 'complete' && view.may('restoreBackup') ? (
    <LinkButton href={view.href('/backups/{id}/restore', of)} label="Restore" asks />
  ) : null

const leftOutOf = ({ parts = [] }: Answered): readonly Answered[] =>
  parts.filter(({ status, warnings = [] }: Answered) => status === 'absent' && warnings.length > 0)

/** Complete, but for what could not be saved. */
const statusOf = (backup: Answered): Pick<PageView, 'status' | 'tone'> =>
  backup.status === 'complete' && leftOutOf(backup).length > 0 ? { status: 'partial', tone: 'warn' } : {}

const Lead = ({ view: { data, now } }: { view: ViewContext }) => (
  <>
    <Time at={data.created_at} now={now} />
    {leftOutOf(data).map((part) => ` · ${t('Without')} ${nameOf(part)}`)}
  </>
)

export const backupStatus = (backup: Answered) => <Chip status={statusOf(backup).status ?? backup.status} />

/** A backup: how much it contains of what, and what could not be saved. */
export function backupPage(view: ViewContext): PageView {
  const page = objectPage({ ...view, screen: { ...view.screen, hidden: ['parts', 'username', 'manifest_sha256'] } })
  return {
    ...page,
    ...statusOf(view.data),
    lead: <Lead view={view} />,
    actions: (
      <>
        {page.actions}
        <Browse view={view} of={view.data} />
        <Restore view={view} of={view.data} />
      </>
    ),
    body: (
      <>
        <ItemCard
          view={view}
          title="Parts"
          items={view.data.parts}
          columns={['part', 'status', 'files', 'bytes', 'warnings', 'error']}
          looks={looks}
        />
        {page.body}
      </>
    ),
  }
}

/** What a restore replaces, and how much. */
export function restoring({ data }: ViewContext): readonly string[] {
  const saved = (data.parts ?? []).filter(({ status }: Answered) => status === 'ok')
  return [
    t('What is there now is replaced by what the backup holds.'),
    ...(saved.length > 0 ? [saved.map((part: Answered) => `${nameOf(part)}: ${sizeOf(part)}`).join(', ')] : []),
    t('A safety backup is made before, unless you say otherwise.'),
  ]
}

/** Asks what to restore, and says what that replaces. */
export function restorePage(view: ViewContext): PageView {
  const { data, now } = view
  const form = view.form('restoreBackup')
  return {
    title: t(view.screen.title),
    lead: <Time at={data.created_at} now={now} />,
    status: data.status,
    actions: <Browse view={view} of={data} />,
    body: form ? (
      <>
        <p>{t('To restore single files, folders or databases, choose them under “Browse”.')}</p>
        <Confirm of={form} effects={restoring(view)} cancel={view.href('/backups/{id}', data)} />
      </>
    ) : null,
  }
}
