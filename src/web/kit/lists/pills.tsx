import type { Child } from 'hono/jsx'
import { t } from '../i18n/i18n.ts'

export interface Pill {
  readonly href: string
  readonly text: Child
  readonly isNow: boolean
  /** It fills in the form of this operation. */
  readonly fills?: string
}

/** A few alternative views, one of them active. */
export const Pills = ({ label, of }: { label: string; of: readonly Pill[] }) => (
  <ul class="pills" aria-label={t(label)}>
    {of.map(({ href, text, isNow, fills }) => (
      <li>
        <a href={href} aria-current={isNow ? 'true' : undefined} data-preset={fills}>
          {text}
        </a>
      </li>
    ))}
  </ul>
)
