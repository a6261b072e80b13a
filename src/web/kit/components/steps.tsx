import { span } from '../format/format.ts'
import { t } from '../i18n/i18n.ts'
import { worded } from '../i18n/label.ts'
import type { Answered } from '../screen.ts'

type State = 'done' | 'now' | 'bad' | 'next'

interface ProgressStep {
  readonly name: string
  readonly state: State
  readonly ms?: number | undefined
}

/** A job's steps, and how long each took. */
export const Steps = ({ of, now }: { of: Answered; now: number }) => {
  const steps = stepsOf(of, now)
  if (steps.length === 0) return null
  return (
    <ol class="steps">
      {steps.map(({ name, state, ms }) => (
        <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <b>{t(worded(name))}</b>
          <span>{ms === undefined ? '–' : span(ms)}</span>
          {state === 'done' ? <span class="visually-hidden">{t('Done')}</span> : null}
          {state === 'bad' ? <span class="bad">{t('Failed')}</span> : null}
        </li>
      ))}
    </ol>
  )
}

/** Skipped steps are hidden once a later one has begun. */
function stepsOf({ steps = [], step_times = [], status, finished_at }: Answered, now: number): ProgressStep[] {
  const begun = new Map<string, number>(step_times.map(({ step, at }: Answered) => [step, at]))
  const last = steps.findLastIndex((name: string) => begun.has(name))
  const ended = status === 'succeeded'
  return steps.flatMap((name: string, place: number): ProgressStep[] => {
    const from = begun.get(name)
    if (from === undefined) return place < last || ended ? [] : [{ name, state: 'next' }]
    const after = steps.slice(place + 1).map((later: string) => begun.get(later))
    const until = after.find((at: number | undefined) => at !== undefined) ?? finished_at ?? now
    const state = place < last || ended ? 'done' : finished_at === undefined ? 'now' : 'bad'
    return [{ name, state, ms: Math.max(0, until - from) }]
  })
}
