import { CopyButton } from '../../../web/kit/button.tsx'
import { Chip } from '../../../web/kit/chip.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Changes, Facts, objectPage } from '../../../web/kit/object.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'

/** A domain's mail settings, and the DNS records that they need. */
export const domainPage = (visit: Visit): Shown => ({
  ...objectPage(visit),
  body: (
    <>
      {visit.data.verified ? null : (
        <Card title="Its mail waits">
          <p>{t('The domain is not verified: mail for it is deferred, and none is sent under its name.')}</p>
          <p>
            <a href={visit.href(`/domains/${visit.data.domain}`)}>{t('What verifies it')}</a>
          </p>
        </Card>
      )}
      <Facts visit={visit} />
      {visit.also['dns'] ? <Records records={visit.also['dns'].records} /> : null}
      <Changes visit={visit} />
    </>
  ),
})

const kinds: Readonly<Record<string, string>> = { mx: 'MX', spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC' }

const Records = ({ records }: { records: readonly Answered[] }) => (
  <Card title="DNS records that its mail needs">
    <Table
      caption="DNS records that its mail needs"
      rows={records}
      columns={[
        { field: 'kind', label: 'Record', cell: ({ kind }) => <Machine text={kinds[kind]!} /> },
        { field: 'status', cell: ({ status }) => <Chip status={status} /> },
        { field: 'name', cell: ({ name }) => <Machine text={name} /> },
        { field: 'wanted', label: 'To set', cell: ({ kind, wanted }) => <Wanted id={`set-${kind}`} text={wanted} /> },
        { field: 'found', label: 'Found', cell: ({ found }) => <Machine text={found.join('\n')} /> },
      ]}
    />
  </Card>
)

const Wanted = ({ id, text }: { id: string; text: string | undefined }) =>
  text === undefined ? (
    <span class="soft">{t('any')}</span>
  ) : (
    <>
      <bdi dir="ltr" class="m" id={id}>
        {text}
      </bdi>{' '}
      <CopyButton from={id} />
    </>
  )
