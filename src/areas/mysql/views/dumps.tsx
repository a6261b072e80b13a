import { LinkButton } from '../../../web/kit/components/button.tsx'
import { type Fact, FactList } from '../../../web/kit/components/description-list.tsx'
import { Fold, FoldedForm } from '../../../web/kit/components/fold.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes, count } from '../../../web/kit/format/format.ts'
import { FileForm } from '../../../web/kit/forms/file-form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

/** Where dumps come in and go out, and what the last ones were. */
export function dumpsPage(view: ViewContext): PageView {
  return {
    title: t(view.screen.title),
    lead: (
      <a href={view.href('/mysql/{database}', view.data)}>
        <bdi>{view.data.database}</bdi>
      </a>
    ),
    body: (
      <>
        <Import view={view} />
        <LastImport view={view} />
        <FoldedForm of={view.form('exportDatabase')} id="export" open />
        <LastExport view={view} />
      </>
    ),
  }
}

const Import = ({ view }: { view: ViewContext }) => {
  const form = view.form('importDatabase')
  return form ? (
    <Fold title="Import" id="import" open>
      <FileForm
        of={form}
        accept=".sql,.gz,.bz2,.xz,.zst,.zip,.tar,.tgz,.7z"
        help="An SQL dump, also packed. Up to 64 MiB; larger ones: panel mysql import, or a path in the home."
        isOptional
      />
    </Fold>
  ) : null
}

const LastImport = ({ view }: { view: ViewContext }) => {
  const { data, now } = view
  const last = data.import
  if (!last) return null
  const facts: Fact[] = [
    [t('Finished'), <Time at={last.finished_at} now={now} />],
    [t('Tables'), count(last.tables)],
    [t('Rows'), count(last.rows)],
    [t('Size'), bytes(last.bytes)],
  ]
  return (
    <>
      <Card title="Last import">
        <FactList of={facts} />
      </Card>
      {last.warnings.length === 0 ? null : (
        <ItemCard view={view} title="Left out or changed" items={last.warnings} columns={['line', 'reason']} />
      )}
    </>
  )
}

const LastExport = ({ view }: { view: ViewContext }) => {
  const { data, now } = view
  const last = data.export
  if (!last || !view.may('downloadDatabase')) return null
  const facts: Fact[] = [
    [t('File'), last.file],
    [t('Can be downloaded until'), <Time at={last.expires_at} now={now} />],
  ]
  return (
    <Card
      title="Last export"
      extra={<LinkButton href={view.download('downloadDatabase')} label="Download" download="" />}
    >
      <FactList of={facts} />
    </Card>
  )
}
