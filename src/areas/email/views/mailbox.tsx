import { Meter } from '../../../web/kit/components/meter.tsx'
import { Card, ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { megabytes } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Changes, Endings, Facts, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Servers } from './devices.tsx'

const SEPARATE_FIELDS = ['address', 'local_part', 'domain', 'quota_mb', 'used_bytes', 'measured_at', 'autoresponder']

/** A mailbox: its usage, what else happens to mail for its address, and how to set up a device. */
export const mailboxPage = (view: ViewContext): PageView => ({
  ...objectPage(view),
  body: (
    <>
      <section class="card" aria-label={t('Usage')}>
        <Used view={view} />
      </section>
      <Facts view={view} hidden={SEPARATE_FIELDS} />
      <OtherSections view={view} />
      <Devices view={view} />
      <Changes view={view} />
      <Endings view={view} />
    </>
  ),
})

const Used = ({ view: { data, now } }: { view: ViewContext }) => (
  <Meter
    label={t('Used')}
    used={data.used_bytes / 1_048_576}
    limit={data.quota_mb}
    say={megabytes}
    note={
      <small>
        {t('measured')} <Time at={data.measured_at} now={now} />
      </small>
    }
  />
)

/** What else happens to mail for this address. */
const OtherSections = ({ view }: { view: ViewContext }) => (
  <ListCard
    title="Incoming mail"
    items={[<Autoresponder view={view} />, <Forwarder view={view} />, <Filters view={view} />]}
  />
)

const Autoresponder = ({ view }: { view: ViewContext }) => (
  <>
    <a href={view.href('/email/{mailbox}/autoresponder')}>{t('Autoresponder')}</a>
    <span>{view.data.autoresponder ? t('answers') : t('not set up')}</span>
  </>
)

const Forwarder = ({ view }: { view: ViewContext }) => {
  const own = view.sections['forwarders']?.items.find(({ address }: Answered) => address === view.data.address)
  return own ? (
    <>
      <a href={view.href('/email/forwarders/{address}', own)}>{t('Forwarder')}</a>
      <bdi class="m">{own.destinations.join(', ')}</bdi>
    </>
  ) : (
    <>
      <a href={view.href('/email/forwarders/new')}>{t('Forwarder')}</a>
      <span>{t('not set up')}</span>
    </>
  )
}

const Filters = ({ view }: { view: ViewContext }) => {
  const names: string[] = (view.sections['filters']?.items ?? []).map(({ name }: Answered) => name)
  return (
    <>
      <a href={view.href('/email/{mailbox}/filters')}>{t('Filters')}</a>
      {names.length > 0 ? <bdi>{names.join(', ')}</bdi> : <span>{t('not set up')}</span>}
    </>
  )
}

const Devices = ({ view }: { view: ViewContext }) =>
  view.sections['devices'] ? (
    <Card
      title="Set up a device"
      extra={<a href={view.href('/email/{mailbox}/devices')}>{t('Profiles for mail programs')}</a>}
    >
      <Servers view={view} config={view.sections['devices']} />
    </Card>
  ) : null
