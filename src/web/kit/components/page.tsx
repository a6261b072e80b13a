import type { Child } from 'hono/jsx'
import { seen } from '../../../shared/command-line/quote.ts'
import { count as figure } from '../format/format.ts'
import { t } from '../i18n/i18n.ts'
import type { PageView } from '../screen.ts'
import { Chip } from './chip.tsx'
import { Code } from './code.tsx'

/** A page's heading and content. */
export const Page = ({ tabs, ...visible }: PageView & { tabs?: Child }) => (
  <>
    <Head {...visible} />
    {tabs}
    <Content body={visible.body} />
  </>
)

/** All below the heading; a script fetches it once more when the job behind it has ended. */
export const Content = ({ body }: Pick<PageView, 'body'>) => (
  <div class="stack" id="content">
    {body}
  </div>
)

export const Head = ({ title, machine, status, tone, count, lead, actions }: PageView) => (
  <header class="head" id="head">
    <div>
      <h1>{machine ? <Code text={title} /> : seen(title)}</h1>
      {status === undefined ? null : <Chip status={status} {...(tone && { tone })} />}
      {count === undefined ? null : <span class="count">{figure(count)}</span>}
      {lead ? <p class="lead">{typeof lead === 'string' ? seen(lead) : lead}</p> : null}
    </div>
    {actions ? <div class="actions">{actions}</div> : null}
  </header>
)

/** In the bar of an account, outside of the page's content. */
export const AccountStatus = ({ status }: { status: string }) => (
  <span id="account-status">
    <Chip status={status} />
  </span>
)

export const Card = ({
  title,
  extra,
  children,
  id,
}: {
  title?: string | undefined
  extra?: Child
  children?: Child
  id?: string
}) => (
  <section class="card" id={id}>
    {title === undefined ? null : (
      <header>
        <h2>{t(title)}</h2>
        {extra}
      </header>
    )}
    {children}
  </section>
)

/** A card with a list; nothing if the list is empty. */
export const ListCard = ({ title, extra, items }: { title: string; extra?: Child; items: readonly Child[] }) =>
  items.length === 0 ? null : (
    <Card title={title} extra={extra}>
      <ul class="list">
        {items.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    </Card>
  )
