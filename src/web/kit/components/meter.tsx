import type { Child } from 'hono/jsx'
import { t } from '../i18n/i18n.ts'

interface Props {
  readonly label: string
  readonly used: number
  readonly limit?: number | undefined
  /** Formats a number with its unit. */
  readonly say: (value: number) => string
  /** Formats the limit, if otherwise: as it was typed. */
  readonly sayLimit?: (value: number) => string
  readonly note?: Child
  /** The figure says it all: a percentage. */
  readonly isShare?: true
}

const near = 0.8

/** Usage of a limit. */
export const Meter = ({ label, used, limit, say, sayLimit = say, note, isShare }: Props) => (
  <div class="meter">
    <span class="label">{label}</span>
    <span class="figure">
      <b>{say(used)}</b>{' '}
      {isShare ? null : (
        <small>{limit === undefined ? t('unlimited') : t('of {limit}', { limit: sayLimit(limit) })}</small>
      )}
    </span>
    {limit === undefined ? null : (
      <meter
        class={used >= limit ? 'bad' : used >= limit * near ? 'warn' : ''}
        min={0}
        max={Math.max(limit, 1)}
        value={Math.min(used, limit)}
        aria-label={label}
      >
        {say(used)}
      </meter>
    )}
    {note}
  </div>
)
