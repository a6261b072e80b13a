import type { Child } from 'hono/jsx'
import { seen } from '../../../shared/command-line/quote.ts'
import { exact, isoOf } from '../format/format.ts'
import { cursorIn, linesBefore, logCursor } from '../format/log-cursor.ts'
import { t } from '../i18n/i18n.ts'
import type { Live, ViewContext } from '../screen.ts'

/** A log line and its level: a step, a possible problem, an error. */
export interface LogLine {
  readonly text: string
  readonly at?: number
  readonly tone?: 'go' | 'warn' | 'bad' | undefined
}

const MAX_LINES = 2000

interface Follow extends Props {
  readonly view: ViewContext
  /** The position after its last line. */
  readonly cursor: string | number | undefined
  readonly continues: boolean
  readonly hasMore?: boolean
}

/** A live log: as the page first shows it, and the lines to append. */
export function followed({ view, cursor, hasMore = false, ...log }: Follow): { log: Child; live: Live } {
  const { lines, continues: goesOn } = log
  const before = linesBefore(view.query)
  const after = logCursor(before + lines.length, cursor ?? cursorIn(view.query) ?? 0)
  const visible = <Lines lines={lines} before={before} />
  return { log: <Log {...log} />, live: { continues: goesOn, lines: { content: visible, after, hasMore } } }
}

interface Props {
  readonly lines: readonly LogLine[]
  readonly empty: string
  readonly extra?: Child
  /** Whether it contains commands, which can be shown alone. */
  readonly hasSteps?: boolean
  /** Whether more lines may come. */
  readonly continues?: boolean
}

/** A log, styled as a terminal. */
export const Log = ({ lines, empty, extra, hasSteps, continues: goesOn }: Props) => (
  <section class="card logged" id="log">
    <header>
      <h2>{t('Log')}</h2>
      <div class="actions">
        {extra}
        {hasSteps ? (
          <label class="button">
            <input type="checkbox" class="only" /> {t('Steps only')}
          </label>
        ) : null}
        {goesOn ? (
          <label class="button" hidden>
            <input type="checkbox" data-follow="" checked /> {t('Follow')}
          </label>
        ) : null}
      </div>
    </header>
    <div class="lines" role="log" aria-live="off" aria-label={t('Log')} dir="ltr" tabindex={0}>
      <ol data-lines="">
        <Lines lines={lines} before={0} />
      </ol>
    </div>
    {lines.length === 0 ? <p class="none">{t(empty)}</p> : null}
  </section>
)

/** The last lines, numbered among all. */
const Lines = ({ lines, before }: { lines: readonly LogLine[]; before: number }) => (
  <>
    {lines.slice(-MAX_LINES).map((line, place) => (
      <Line line={line} number={before + Math.max(0, lines.length - MAX_LINES) + place + 1} />
    ))}
  </>
)

const Line = ({ line: { text, at, tone }, number }: { line: LogLine; number: number }) => (
  <li id={`L${number}`} class={tone}>
    <a href={`#L${number}`} tabindex={-1}>
      {number}
    </a>
    {at === undefined ? null : (
      <time datetime={isoOf(at)} data-clock="">
        {exact(at).slice(11, 19)}
      </time>
    )}
    <span>{seen(text)}</span>
  </li>
)
