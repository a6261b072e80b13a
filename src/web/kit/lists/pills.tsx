import type { Child } from 'hono/jsx'
import { t } from '../i18n/i18n.ts'

export interface Pill {
  readonly href: string
  readonly text: Child
  readonly isNow: boolean
}

/** A few alternative views, one of them active. */
export const Pills = ({ label, of }: { label: string; of: readonly Pill[] }) => (
  <ul class="pills" aria-label={t(label)}>
    {of.map(({ href, text, isNow }) => (
      <li>
        <a href={href} aria-current={isNow ? 'true' : undefined}>
          {text}
        </a>
      </li>
    ))}
  </ul>
)
