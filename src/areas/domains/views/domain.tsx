import { CopyButton } from '../../../web/kit/button.tsx'
import { FactList } from '../../../web/kit/facts.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { objectPage } from '../../../web/kit/object.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** A domain, and while it is not verified, what would verify it. */
export function domainPage(visit: Visit): Shown {
  const page = objectPage(visit)
  const { verification } = visit.data
  return {
    ...page,
    body: (
      <>
        {verification ? <Verification verification={verification} /> : null}
        {page.body}
      </>
    ),
  }
}

const Verification = ({ verification: { record, reason, found } }: { verification: Answered }) => (
  <Card title="Not verified">
    <p>{t('Until a domain is verified, it takes no mail and sends none.')}</p>
    <p>{reason}</p>
    <p>{t('Set its name servers to those of its zone, or add this record where its DNS is kept:')}</p>
    <FactList
      of={[
        [t('Record'), <Machine text={record.type} />],
        [t('Name'), <Copied id="record-name" text={record.name} />],
        [t('Value'), <Copied id="record-value" text={record.value} />],
        [t('Name servers found'), <Machine text={listed(found.ns)} />],
        [t('Mail servers found'), <Machine text={listed(found.mx)} />],
        [t('Addresses found'), <Machine text={listed(found.addresses)} />],
      ]}
    />
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
