import { shapes, type Tone, toneOf } from './status.ts'
import { inWords, t } from './text.ts'

/** A status: a shape and a word. */
export const Chip = ({ status, tone = toneOf(status), word }: { status: string; tone?: Tone; word?: string }) => (
  <span class={`chip ${tone}`}>
    <i aria-hidden="true">{shapes[tone]}</i> {t(word ?? inWords(status))}
  </span>
)
