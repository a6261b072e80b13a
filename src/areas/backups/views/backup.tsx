import { LinkButton } from '../../../web/kit/button.tsx'
import { Confirm } from '../../../web/kit/confirm.tsx'
import { bytes } from '../../../web/kit/format.ts'
import { optionLabel } from '../../../web/kit/label.ts'
import { ItemCard } from '../../../web/kit/list.tsx'
import { objectPage } from '../../../web/kit/object.tsx'
import type { Answered, Looks, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'

const nameOf = ({ part }: Answered): string => t(optionLabel(part, 'parts'))
const sizeOf = (part: Answered): string => (part.bytes === undefined ? '–' : bytes(part.bytes))

const looks: Looks = { part: { cell: nameOf }, bytes: { cell: sizeOf, label: 'Size' } }

export const isBeingMade = ({ data }: Visit): boolean => data.status === 'running'

/** Links to the restore page, for complete backups only. */
export const Restore = ({ visit, of }: { visit: Visit; of: Answered }) =>
  of.status === 'complete' && visit.may('restoreBackup') ? (
    <LinkButton href={visit.href('/backups/{id}/restore', of)} label="Restore" asks />
  ) : null

/** A backup: how much it contains of what, and what could not be saved. */
export function backupPage(visit: Visit): Shown {
  const page = objectPage({ ...visit, screen: { ...visit.screen, hidden: ['parts'] } })
  return {
    ...page,
    actions: (
      <>
        {page.actions}
        <Restore visit={visit} of={visit.data} />
      </>
    ),
    body: (
      <>
        <ItemCard
          visit={visit}
          title="Parts"
          items={visit.data.parts}
          columns={['part', 'status', 'files', 'bytes', 'warnings', 'error']}
          looks={looks}
        />
        {page.body}
      </>
    ),
  }
}

/** What a restore replaces, and how much. */
export function restoring({ data }: Visit): readonly string[] {
  const saved = (data.parts ?? []).filter(({ status }: Answered) => status === 'ok')
  return [
    t('What is there now is replaced by what the backup holds.'),
    ...(saved.length > 0 ? [saved.map((part: Answered) => `${nameOf(part)}: ${sizeOf(part)}`).join(', ')] : []),
    t('A safety backup is made before, unless you say otherwise.'),
  ]
}

/** Asks what to restore, and says what that replaces. */
export function restorePage(visit: Visit): Shown {
  const { data, now } = visit
  const form = visit.form('restoreBackup')
  return {
    title: t(visit.screen.title),
    lead: <Time at={data.created_at} now={now} />,
    status: data.status,
    body: form ? <Confirm of={form} effects={restoring(visit)} cancel={visit.href('/backups/{id}', data)} /> : null,
  }
}
