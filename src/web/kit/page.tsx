import type { Child } from 'hono/jsx'
import { Chip } from './chip.tsx'
import { count as figure } from './format.ts'
import { Machine } from './machine.tsx'
import type { Shown } from './screen.ts'

/** The head of a page, and what is below it. */
export const Page = ({ title, machine, status, count, lead, actions, body, tabs }: Shown & { tabs?: Child }) => (
  <>
    <header class="head">
      <div>
        <h1>{machine ? <Machine text={title} /> : title}</h1>
        {status === undefined ? null : <Chip status={status} />}
        {count === undefined ? null : <span class="count">{figure(count)}</span>}
        {lead ? <p class="lead">{lead}</p> : null}
      </div>
      {actions ? <div class="actions">{actions}</div> : null}
    </header>
    {tabs}
    {body}
  </>
)

export const Card = ({
  title,
  aside,
  children,
  id,
}: {
  title?: string
  aside?: Child
  children?: Child
  id?: string
}) => (
  <section class="card" {...(id && { id })}>
    {title === undefined ? null : (
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
    )}
    {children}
  </section>
)
