import { Code } from '../../../web/kit/components/code.tsx'
import { Card, ListCard } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { worded } from '../../../web/kit/i18n/label.ts'
import { ItemTable } from '../../../web/kit/lists/list.tsx'
import type { Answered, PageView, Screen, ViewContext } from '../../../web/kit/screen.ts'

/** Settings for mail programs, and files that configure them automatically. */
export const devicesPage = (view: ViewContext): PageView => ({
  title: t('Set up a device'),
  lead: (
    <>
      {t('Sign in as')} <Code text={view.data.login} />. {t('The password is that of the mailbox.')}
    </>
  ),
  body: (
    <>
      <Card title="Servers">
        <Servers view={view} config={view.data} />
      </Card>
      <ListCard
        title="Profiles for mail programs"
        items={profiles.map(([field, name, label]) => (
          <>
            <a href={`${view.path}?file=${field}`} download="">
              {t(label)}
            </a>
            <Code text={name} />
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

export const Servers = ({ view, config }: { view: ViewContext; config: Answered }) => (
  <ItemTable
    view={view}
    caption="Servers"
    items={[...config.incoming, ...config.outgoing]}
    columns={['protocol', 'host', 'port', 'security']}
    looks={{
      protocol: { cell: ({ protocol }) => <Code text={worded(protocol)} /> },
      host: { label: 'Server' },
      port: { cell: ({ port }) => <Code text={String(port)} /> },
      security: { label: 'Encryption', cell: ({ security }) => <Code text={worded(security)} /> },
    }}
  />
)
