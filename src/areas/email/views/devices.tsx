import { worded } from '../../../web/kit/label.ts'
import { ItemTable } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Card, ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Screen, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** Settings for mail programs, and files that configure them automatically. */
export const devicesPage = (visit: Visit): Shown => ({
  title: t('Set up a device'),
  lead: (
    <>
      {t('Sign in as')} <Machine text={visit.data.login} />. {t('The password is that of the mailbox.')}
    </>
  ),
  body: (
    <>
      <Card title="Servers">
        <Servers visit={visit} config={visit.data} />
      </Card>
      <ListCard
        title="Profiles for mail programs"
        items={profiles.map(([field, name, label]) => (
          <>
            <a href={`${visit.path}?file=${field}`} download="">
              {t(label)}
            </a>
            <Machine text={name} />
          </>
        ))}
      />
    </>
  ),
})

const profiles = [
  ['mobileconfig', 'mail.mobileconfig', 'iPhone, iPad and Mac'],
  ['autoconfig', 'autoconfig.xml', 'Thunderbird'],
  ['autodiscover', 'autodiscover.xml', 'Outlook'],
] as const

export const profileFiles: NonNullable<Screen['files']> = Object.fromEntries(
  profiles.map(([field, name]) => [field, (data: Answered) => ({ name, text: data[field] })]),
)

export const Servers = ({ visit, config }: { visit: Visit; config: Answered }) => (
  <ItemTable
    visit={visit}
    caption="Servers"
    items={[...config.incoming, ...config.outgoing]}
    columns={['protocol', 'host', 'port', 'security']}
    looks={{
      protocol: { cell: ({ protocol }) => <Machine text={worded(protocol)} /> },
      host: { label: 'Server' },
      port: { cell: ({ port }) => <Machine text={String(port)} /> },
      security: { label: 'Encryption', cell: ({ security }) => <Machine text={worded(security)} /> },
    }}
  />
)
