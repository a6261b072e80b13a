import { CopyButton, LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { type Fact, FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Table } from '../../../web/kit/lists/table.tsx'
import { Changes, Endings, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** A database: what a program needs to connect to it, who may use it, and the way to its dumps. */
export const databasePage = (view: ViewContext): PageView => ({
  ...objectPage(view),
  lead: <Size view={view} />,
  actions: <Actions view={view} />,
  body: (
    <>
      {view.sections['server'] ? <Connection view={view} server={view.sections['server']} /> : null}
      {view.sections['users'] ? <Users view={view} users={view.sections['users'].items} /> : null}
      <Changes view={view} />
      <Endings view={view} />
    </>
  ),
})

const Size = ({ view: { data, now } }: { view: ViewContext }) => (
  <>
    {bytes(data.used_bytes)} · {t('measured')} <Time at={data.measured_at} now={now} /> · <Code text={data.collation} />
  </>
)

const Actions = ({ view }: { view: ViewContext }) => (
  <>
    {view.may('importDatabase') ? (
      <LinkButton href={`${view.href('/mysql/{name}/dumps', view.data)}#import`} label="Import" />
    ) : null}
    {view.may('exportDatabase') ? (
      <LinkButton href={`${view.href('/mysql/{name}/dumps', view.data)}#export`} label="Export" />
    ) : null}
    {objectPage(view).actions}
  </>
)

const Connection = ({ view: { data }, server }: { view: ViewContext; server: Answered }) => {
  const names: string[] = data.users.map(({ name }: Answered) => name)
  return (
    <Card title="Connection data">
      <FactList
        of={[
          copied('db-host', 'Host', server.host),
          [t('Port'), <Code text={String(server.port)} />],
          copied('db-name', 'Database', data.name),
          ...(names.length === 0 ? [[t('User'), t('No user may use it yet: grant one access below.')] as const] : []),
          ...names.map((name, place) => copied(`db-user-${place}`, 'User', name)),
          [t('Password'), t('The one that was set for the user. It is not shown again: set a new one if it is lost.')],
        ]}
      />
    </Card>
  )
}

const copied = (id: string, label: string, text: string): Fact => [
  t(label),
  <>
    <bdi dir="ltr" class="m" id={id}>
      {text}
    </bdi>{' '}
    <CopyButton from={id} />
  </>,
]

/** The account's database users, those of this database first. */
const Users = ({ view, users }: { view: ViewContext; users: readonly Answered[] }) => {
  const granted = new Map<string, readonly string[]>(
    view.data.users.map(({ id, privileges }: Answered) => [id, privileges]),
  )
  const sorted = users.toSorted((one, other) => Number(granted.has(other.id)) - Number(granted.has(one.id)))
  return (
    <Card
      title="Users"
      extra={
        view.may('createDatabaseUser') ? (
          <LinkButton href={view.href('/mysql/users/new')} label="Add a database user" />
        ) : null
      }
    >
      {sorted.length === 0 ? (
        <p class="pad soft">
          {t('A program signs in to a database as a database user. Add one, then grant it access.')}
        </p>
      ) : (
        <Table
          caption="Users"
          rows={sorted}
          columns={[
            {
              field: 'name',
              cell: (user) => (
                <a href={view.href('/mysql/users/{name}', user)}>
                  <Code text={user.name} />
                </a>
              ),
            },
            { field: 'privileges', cell: ({ id }) => <Privileges of={granted.get(id)} /> },
          ]}
          action={(user) => (
            <a href={view.href('/mysql/{database}/users/{name}', user)}>
              {t(granted.has(user.id) ? 'Change privileges' : 'Grant access')}
            </a>
          )}
        />
      )}
    </Card>
  )
}

const Privileges = ({ of }: { of: readonly string[] | undefined }) =>
  of === undefined ? (
    <span class="soft">{t('no access')}</span>
  ) : of.includes('ALL') ? (
    <>{t('all privileges')}</>
  ) : (
    <Code text={of.join(', ')} />
  )
