import { megabytes } from '../../../web/kit/format.ts'
import { Meter } from '../../../web/kit/meter.tsx'
import { Changes, Endings, Facts, objectPage } from '../../../web/kit/object.tsx'
import { Card, ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'
import { Servers } from './devices.tsx'

const shownApart = ['address', 'local_part', 'domain', 'quota_mb', 'used_bytes', 'measured_at', 'autoresponder']

/** A mailbox: its usage, what else happens to mail for its address, and how to set up a device. */
export const mailboxPage = (visit: Visit): Shown => ({
  ...objectPage(visit),
  body: (
    <>
      <section class="card" aria-label={t('Usage')}>
        <Used visit={visit} />
      </section>
      <Facts visit={visit} hidden={shownApart} />
      <Also visit={visit} />
      <Devices visit={visit} />
      <Changes visit={visit} />
      <Endings visit={visit} />
    </>
  ),
})

const Used = ({ visit: { data, now } }: { visit: Visit }) => (
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
const Also = ({ visit }: { visit: Visit }) => (
  <ListCard title="Mail that arrives" items={[<Autoresponder visit={visit} />, <Forwarder visit={visit} />]} />
)

const Autoresponder = ({ visit }: { visit: Visit }) => (
  <>
    <a href={visit.href('/email/{mailbox}/autoresponder')}>{t('Autoresponder')}</a>
    <span>{visit.data.autoresponder ? t('answers') : t('not set up')}</span>
  </>
)

const Forwarder = ({ visit }: { visit: Visit }) => {
  const own = visit.also['forwarders']?.items.find(({ address }: Answered) => address === visit.data.address)
  return own ? (
    <>
      <a href={visit.href('/email/forwarders/{address}', own)}>{t('Forwarder')}</a>
      <bdi class="m">{own.destinations.join(', ')}</bdi>
    </>
  ) : (
    <>
      <a href={visit.href('/email/forwarders/new')}>{t('Forwarder')}</a>
      <span>{t('not set up')}</span>
    </>
  )
}

const Devices = ({ visit }: { visit: Visit }) =>
  visit.also['devices'] ? (
    <Card
      title="Set up a device"
      aside={<a href={visit.href('/email/{mailbox}/devices')}>{t('Profiles for mail programs')}</a>}
    >
      <Servers visit={visit} config={visit.also['devices']} />
    </Card>
  ) : null
