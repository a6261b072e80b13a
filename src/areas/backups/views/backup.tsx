import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Cell } from '../../../web/kit/components/cell.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes } from '../../../web/kit/format/format.ts'
import { Confirm } from '../../../web/kit/forms/confirm.tsx'
import { FormCard } from '../../../web/kit/forms/form.tsx'
import { narrowed } from '../../../web/kit/forms/narrowed.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf, optionLabel } from '../../../web/kit/i18n/label.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, FormModel, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'
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

/** Only what was saved can be restored. */
const withSavedParts = (form: FormModel, { parts = [] }: Answered): FormModel => {
  const saved = new Set(parts.filter(({ status }: Answered) => status === 'ok').map(({ part }: Answered) => part))
  const fields = form.fields.filter(({ name }) => name !== 'databases' || saved.has('mysql'))
  return narrowed({ ...form, fields }, 'parts', (part) => saved.has(part))
}

/** The form for a new account from a backup, below what the backup is. */
export function restoreAsPage(view: ViewContext): PageView {
  const page = formPage(view)
  const backup = view.sections['backups']?.items.find(({ id }: Answered) => id === view.names['backup'])
  const form = view.form('restoreBackupAs')
  if (!backup || !form) return page
  return {
    ...page,
    lead: <Lead view={{ ...view, data: backup }} />,
    status: backup.status,
    ...statusOf(backup),
    actions: <InAccount view={view} of={backup} />,
    body: (
      <>
        <div class="card">
          <FactList
            of={['username', 'kind', 'size_bytes', 'note'].map((field) => [
              t(headOf(field)),
              <Cell field={field} value={backup[field]} now={view.now} />,
            ])}
          />
        </div>
        <ItemCard
          view={view}
          title="Parts"
          items={backup.parts}
          columns={['part', 'status', 'bytes', 'warnings']}
          looks={looks}
        />
        <FormCard of={withSavedParts(form, backup)} cancel={view.href('/backups')} />
      </>
    ),
  }
}

/** A terminated account has no pages. */
const InAccount = ({ view, of }: { view: ViewContext; of: Answered }) =>
  view.sections['accounts']?.items.some(({ username }: Answered) => username === of.username) ? (
    <LinkButton href={view.href('/accounts/{username}/backups/{id}', of)} label="Open in the account" />
  ) : null

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
  const { data } = view
  const form = view.form('restoreBackup')
  return {
    title: t(view.screen.title),
    lead: <Lead view={view} />,
    status: data.status,
    ...statusOf(data),
    actions: <Browse view={view} of={data} />,
    body: form ? (
      <>
        <p>{t('To restore single files, folders or databases, choose them under “Browse”.')}</p>
        <Confirm of={withSavedParts(form, data)} effects={restoring(view)} cancel={view.href('/backups/{id}', data)} />
      </>
    ) : null,
  }
}
