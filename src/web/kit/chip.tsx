import { pattern } from './jsx/written.ts'
import { worded } from './label.ts'
import { shapes, type Tone, toneOf } from './status.ts'
import { t } from './text.ts'
import { wordOf } from './value-words.ts'

const chip = pattern((place) => (
  <span class={place}>
    <i aria-hidden="true">{place}</i> {place}
  </span>
))

/** A status: a shape and a word. */
export const Chip = ({ status, tone = toneOf(status), word }: { status: string; tone?: Tone; word?: string }) =>
  chip(`chip ${tone}`, shapes[tone], t(word ?? wordOf(status) ?? worded(status)))
