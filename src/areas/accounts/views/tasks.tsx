import type { OperationId } from '../../../contract/index.ts'
import { Code } from '../../../web/kit/components/code.tsx'
import { ListCard } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { ViewContext } from '../../../web/kit/screen.ts'

/** The most common tasks of customers: the page, and the equivalent command. */
const tasks: readonly (readonly [label: string, path: string, command: string, op: OperationId])[] = [
  ['Add a mailbox', '/email/new', 'email create', 'createMailbox'],
  ['Upload files', '/files', 'files upload', 'listFiles'],
  ['Change DNS records', '/dns', 'dns change', 'listDnsZones'],
  ['Restore a backup', '/backups', 'backups restore', 'listBackups'],
  ['Create a database', '/mysql/new', 'mysql databases create', 'createDatabase'],
  ['Deploy an app', '/apps', 'apps deploy', 'listApps'],
  ['Forward an address', '/email/forwarders/new', 'email forwarders create', 'createForwarder'],
  ['Read the error log', '/logs', 'logs tail', 'tailLog'],
  ['Give FTP access', '/ftp/new', 'ftp create', 'createFtpAccount'],
  ['Schedule a command', '/cron/new', 'cron create', 'createCronJob'],
]

export const Tasks = ({ view }: { view: ViewContext }) => (
  <ListCard
    title="Quick actions"
    items={tasks
      .filter(([, path, , op]) => view.has(path) && view.may(op))
      .map(([label, path, command]) => (
        <>
          <a href={view.href(path)}>{t(label)}</a>
          <Code text={command} />
        </>
      ))}
  />
)
