import { CopyButton } from '../../../web/kit/components/button.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Table } from '../../../web/kit/lists/table.tsx'
import { Changes, Endings, Facts, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** A domain's mail settings, and the DNS records that they need. */
export function domainPage(view: ViewContext): PageView {
  const policy = view.sections['mta_sts']
  return {
    ...objectPage(view),
    body: (
      <>
        {view.data.verified ? null : (
          <Card title="Its mail waits">
            <p class="pad">
              {t('The domain is not verified: mail for it is deferred, and none is sent under its name.')}{' '}
              <a href={view.href(`/domains/${view.data.domain}`)}>{t('What verifies it')}</a>
            </p>
          </Card>
        )}
        <Facts view={view} />
        {view.sections['dns'] ? <Records records={view.sections['dns'].records} /> : null}
        {policy && policy.mode !== 'none' ? <Policy isProven={policy.proven} /> : null}
        <Changes view={{ ...view, data: { ...view.sections['relay'], ...view.data, mode: policy?.mode } }} />
        {view.sections['relay'] ? <Endings view={view} /> : null}
      </>
    ),
  }
}

const Policy = ({ isProven }: { isProven: boolean }) => (
  <Card title="Encryption by senders (MTA-STS)">
    <p class="pad">
      {t(
        isProven
          ? 'Senders can read the policy.'
          : 'Senders can read the policy once AutoSSL has added its name to the certificate.',
      )}
    </p>
  </Card>
)

const kinds: Readonly<Record<string, string>> = {
  ...{ mx: 'MX', spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC', ptr: 'PTR', helo: 'HELO' },
  ...{ mta_sts: 'MTA-STS', tls_rpt: 'TLS-RPT', blocklist: 'Blocklist' },
}

const UNKNOWN = 'What is unknown was not checked yet, or no name server answered.'

const Records = ({ records }: { records: readonly Answered[] }) => (
  <Card title="Does its mail arrive?">
    {records.some(({ status }) => status === 'unknown') ? <p class="pad soft">{t(UNKNOWN)}</p> : null}
    <Table
      caption="Does its mail arrive?"
      rows={records}
      columns={[
        { field: 'kind', label: 'Record', cell: ({ kind }) => <Code text={kinds[kind]!} /> },
        { field: 'status', cell: ({ status }) => <Chip status={status} /> },
        {
          field: 'advice',
          label: 'What to do',
          cell: ({ status, advice }) => (status === 'unknown' ? '–' : t(advice)),
        },
        { field: 'name', long: true, cell: ({ name }) => <Code text={name} /> },
        {
          field: 'wanted',
          label: 'To set',
          long: true,
          cell: ({ kind, name, wanted: desired }) => <DesiredValue id={`set-${kind}-${name}`} text={desired} />,
        },
        { field: 'found', label: 'Found', cell: ({ found }) => <Code text={found.join('\n')} /> },
      ]}
    />
  </Card>
)

const DesiredValue = ({ id, text }: { id: string; text: string | undefined }) =>
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
