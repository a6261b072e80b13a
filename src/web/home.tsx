import type { z } from 'zod'
import { type Account, Usage } from '../contract/accounts.ts'
import { privileges } from '../contract/common.ts'
import type { Session } from '../contract/sessions.ts'
import { Page } from './layout.tsx'

type SessionView = z.infer<typeof Session>
type UsageView = z.infer<typeof Usage>

interface HomeProps {
  readonly server: string
  readonly session: SessionView
}

const userOf = (session: SessionView, panel: 'admin' | 'user') => ({
  name: session.username ?? '',
  panel,
  csrf: session.csrf_token ?? '',
})

const aside = ['measured_at', 'at_least']
/** What the contract says is measured or counted, and what it calls it. */
const figures = Object.entries(Usage.shape).filter(([name]) => !aside.includes(name)) as [Figure, z.ZodType][]
type Figure = Exclude<keyof UsageView, 'measured_at' | 'at_least'>

/** Figures that are only a lower bound where the home could not be counted to its end. */
const bounded: readonly Figure[] = ['disk_mb', 'inodes']
const leastOf = (usage: UsageView, name: Figure) => (usage.at_least && bounded.includes(name) ? 'at least ' : '')

const Figures = ({ usage }: { usage: UsageView }) => (
  <table>
    <tbody>
      {figures.map(([name, { description }]) => {
        const { used, limit } = usage[name]
        return (
          <tr>
            <th scope="row">{description}</th>
            <td>{`${leastOf(usage, name)}${used} of ${limit ?? 'unlimited'}`}</td>
          </tr>
        )
      })}
    </tbody>
  </table>
)

interface CustomerProps extends HomeProps {
  readonly account: z.infer<typeof Account>
  readonly usage: UsageView
}

/** Where a customer lands: the account, its status, what it uses. */
export const CustomerHome = ({ server, session, account, usage }: CustomerProps) => (
  <Page title={account.main_domain} server={server} user={userOf(session, 'user')}>
    {session.acting_as ? (
      <p class="banner" role="status">
        An administrator is signed in as {account.username}. The password and two-factor settings cannot be changed
        here.
      </p>
    ) : null}
    <table>
      <tbody>
        <tr>
          <th scope="row">Status</th>
          <td class={`status-${account.status}`}>{account.status}</td>
        </tr>
        <tr>
          <th scope="row">Username</th>
          <td>{account.username}</td>
        </tr>
        <tr>
          <th scope="row">Package</th>
          <td>{account.package_name}</td>
        </tr>
        <tr>
          <th scope="row">IP address</th>
          <td>{account.ip_address}</td>
        </tr>
        <tr>
          <th scope="row">Home directory</th>
          <td>
            <code>{account.home_dir}</code>
          </td>
        </tr>
      </tbody>
    </table>
    <h2>Usage</h2>
    <Figures usage={usage} />
    <h2>What you can do</h2>
    <ul>
      <li>Change contact address, theme and language, and your password.</li>
      <li>Create API tokens for scripts, webhooks, and read the feed of events.</li>
    </ul>
  </Page>
)

/** Where root and resellers land: how many accounts there are, and what they may do. */
export const AdminHome = ({ server, session, accounts }: HomeProps & { accounts: number | undefined }) => (
  <Page title={session.is_root ? 'Server' : 'Reseller'} server={server} user={userOf(session, 'admin')}>
    <table>
      <tbody>
        <tr>
          <th scope="row">Signed in as</th>
          <td>{`${session.username} (${session.role})`}</td>
        </tr>
        {accounts === undefined ? null : (
          <tr>
            <th scope="row">Accounts</th>
            <td>{accounts}</td>
          </tr>
        )}
      </tbody>
    </table>
    <h2>What you may do</h2>
    {session.is_root ? (
      <p>Everything, here and at the command line.</p>
    ) : (
      <ul>
        {(session.acl ?? []).map((name) => (
          <li>{privileges[name]}</li>
        ))}
      </ul>
    )}
    <p>
      <a href="/docs">API reference</a>
    </p>
  </Page>
)
