import { CopyButton, LinkButton } from '../../../web/kit/components/button.tsx'
import { CertificateChip } from '../../../web/kit/components/certificate.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** A domain, and while it is not verified, what would verify it. */
export function domainPage(view: ViewContext): PageView {
  const page = objectPage(view)
  const { verification } = view.data
  return {
    ...page,
    lead: <CertificateChip certificate={view.data.certificate} />,
    actions: (
      <>
        <Links view={view} />
        {page.actions}
      </>
    ),
    body: (
      <>
        {view.sections['preview'] ? <Preview preview={view.sections['preview']} now={view.now} /> : null}
        {verification ? <Verification verification={verification} /> : null}
        {page.body}
      </>
    ),
  }
}

/** The pages about this domain that are not its own. */
const Links = ({ view }: { view: ViewContext }) => (
  <>
    {view.may('listFiles') ? (
      <LinkButton href={view.href('/files/{path...}', { path: view.data.document_root })} label="Files" />
    ) : null}
    {view.may('getVisitors') ? (
      <LinkButton href={view.href('/visitors/{domain}', { domain: view.data.name })} label="Visitors" />
    ) : null}
    {view.may('updateDomain') && view.data.kind !== 'parked' ? (
      <LinkButton href={view.href('/domains/{domain}/access', { domain: view.data.name })} label="Access rules" />
    ) : null}
    {view.may('listWafHits') && view.data.waf ? (
      <LinkButton href={view.href('/domains/{domain}/waf/hits', { domain: view.data.name })} label="Firewall" />
    ) : null}
    {view.may('checkHtaccess') ? (
      <LinkButton href={view.href('/domains/{domain}/htaccess', { domain: view.data.name })} label=".htaccess files" />
    ) : null}
  </>
)

const Verification = ({ verification: { record, reason, found } }: { verification: Answered }) => (
  <Card title="Not verified">
    <div class="pad">
      <p>{t('Until a domain is verified, it takes no mail and sends none.')}</p>
      <p>{reason}</p>
      <p>{t('Set its name servers to those of its zone, or add this record where its DNS is kept:')}</p>
    </div>
    <FactList
      of={[
        [t('Record'), <Code text={record.type} />],
        [t('Name'), <Copied id="record-name" text={record.name} />],
        [t('Value'), <Copied id="record-value" text={record.value} />],
        [t('Name servers found'), <Code text={listed(found.ns)} />],
        [t('Mail servers found'), <Code text={listed(found.mx)} />],
        [t('Addresses found'), <Code text={listed(found.addresses)} />],
      ]}
    />
  </Card>
)

const Preview = ({ preview: { url, hosts_line, expires_at, trusted }, now }: { preview: Answered; now: number }) => (
  <Card title="Preview">
    <FactList
      of={[
        ...(url ? ([[t('Address'), <Copied id="preview-url" text={url} />]] as const) : []),
        [t('Line for a hosts file'), <Copied id="preview-hosts" text={hosts_line} />],
        [t('Until'), <Time at={expires_at} now={now} />],
      ]}
    />
    {trusted === false ? <p class="pad">{t('Browsers warn of its certificate, which is self-signed.')}</p> : null}
  </Card>
)

const listed = (all: readonly string[]): string => all.join('\n') || '–'

const Copied = ({ id, text }: { id: string; text: string }) => (
  <>
    <bdi dir="ltr" class="m" id={id}>
      {text}
    </bdi>{' '}
    <CopyButton from={id} />
  </>
)
