import { servicePorts } from '../../../contract/service-ports.ts'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** What a customer copies into other programs: name servers, FTP, SSH and mail. */
export const Connect = ({ view }: { view: ViewContext }) => {
  const { ftp, ssh, zones, domains } = view.sections
  const main = domains?.items.find(({ name }: Answered) => name === view.data.main_domain)
  const zone = zones?.items.find(({ name }: Answered) => name === view.data.main_domain)
  const mail = ftp && view.may('listMailboxes')
  return (
    <Card title="Connect">
      <FactList
        of={[
          zone && [t('Name servers'), <Listed of={zone.nameservers} />],
          main && [t('DNS'), <Pointing view={view} domain={main} />],
          ftp && [t('FTP'), <Place host={ftp.host} port={ftp.ftp_port} user={view.data.username} />],
          ssh?.enabled && [t('SSH'), <Place host={ssh.host} port={ssh.port} user={view.data.username} />],
          mail && [t('IMAP'), <Place host={ftp.host} port={servicePorts.imap} />],
          mail && [t('SMTP'), <Place host={ftp.host} port={servicePorts.smtp} />],
          view.may('createWebmailLink') && [t('Webmail'), <a href={view.href('/email')}>{t('Choose a mailbox')}</a>],
          view.may('createPhpMyAdminLink') && [
            t('phpMyAdmin'),
            <a href={view.href('/mysql')}>{t('Choose a database')}</a>,
          ],
        ]}
      />
    </Card>
  )
}

const Place = ({ host, port, user }: { host: string; port: number; user?: string }) => (
  <>
    <Code text={`${host}:${port}`} />
    {user === undefined ? null : (
      <>
        {' '}
        · {t('user')} <Code text={user} />
      </>
    )}
  </>
)

const Listed = ({ of }: { of: readonly string[] }) => (
  <>
    {of.map((name) => (
      <div>
        <Code text={name} />
      </div>
    ))}
  </>
)

/** Whether the public DNS leads here. */
const Pointing = ({ view, domain }: { view: ViewContext; domain: Answered }) =>
  domain.verified ? (
    <Chip status="active" word="Points here" />
  ) : (
    <>
      <Chip status="missing" word="Does not point here yet" />{' '}
      <a href={view.href('/domains/{name}', domain)}>{t('What to do')}</a>
    </>
  )
