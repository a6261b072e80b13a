import { memoize } from '../../../shared/memoize.ts'
import { shapes, type Tone, toneOf } from '../format/status.ts'
import { t } from '../i18n/i18n.ts'
import { worded } from '../i18n/label.ts'
import { wordOf } from '../i18n/value-words.ts'

const words = new Map<string, string>()
const MAX_CACHED_CHIPS = 1_000
const inWords = (status: string): string =>
  memoize(words, status, () => wordOf(status) ?? worded(status), MAX_CACHED_CHIPS)

/** A status: a shape and a word. */
export const Chip = ({ status, tone = toneOf(status), word }: { status: string; tone?: Tone; word?: string }) => (
  <span class={`chip ${tone}`}>
    <i aria-hidden="true">{shapes[tone]}</i> {t(word ?? inWords(status))}
  </span>
)
