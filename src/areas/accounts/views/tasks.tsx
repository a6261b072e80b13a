import type { OperationId } from '../../../contract/index.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import { ListCard } from '../../../web/kit/page.tsx'
import type { Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

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

export const Tasks = ({ visit }: { visit: Visit }) => (
  <ListCard
    title="Do next"
    items={tasks
      .filter(([, path, , op]) => visit.has(path) && visit.may(op))
      .map(([label, path, command]) => (
        <>
          <a href={visit.href(path)}>{t(label)}</a>
          <Machine text={command} />
        </>
      ))}
  />
)
