import { recall } from '../../shared/recall.ts'
import { framed } from './jsx/written.ts'
import { worded } from './label.ts'
import { shapes, type Tone, toneOf } from './status.ts'
import { t } from './text.ts'
import { wordOf } from './value-words.ts'

const chips = new Map(
  (Object.keys(shapes) as Tone[]).map((tone) => [
    tone,
    framed(
      <span class={`chip ${tone}`}>
        <i aria-hidden="true">{shapes[tone]}</i>{' '}
      </span>,
    ),
  ]),
)

const words = new Map<string, string>()
const most = 1_000
const inWords = (status: string): string => recall(words, status, () => wordOf(status) ?? worded(status), most)

/** A status: a shape and a word. */
export const Chip = ({ status, tone = toneOf(status), word }: { status: string; tone?: Tone; word?: string }) =>
  chips.get(tone)!(t(word ?? inWords(status)))
