import { Chip } from '../../../web/kit/components/chip.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { worded } from '../../../web/kit/i18n/label.ts'
import type { Answered } from '../../../web/kit/screen.ts'

/** The step that runs, or the first that waits. */
export function stepNow(steps: readonly Answered[]): { step: Answered; word: string } | undefined {
  const step = steps.find(({ status }) => status === 'running') ?? steps.find(({ status }) => status === 'pending')
  return step && { step, word: worded(step.step) }
}

/** How much of a step is done; nothing of one that has only an end. */
export const Share = ({ of }: { of: Answered | undefined }) =>
  of === undefined || of.total <= 1 ? <>–</> : <>{`${count(of.done)} / ${count(of.total)} ${t(of.unit)}`}</>

/** The steps of an import, and how far each is. */
export const ImportSteps = ({ of }: { of: Answered }) => (
  <ul class="list">
    {of.steps.map((step: Answered) => (
      <li>
        <span>{t(worded(step.step))}</span>
        <span class="soft">{step.error ?? <Share of={step} />}</span>
        <Chip status={step.status} />
      </li>
    ))}
  </ul>
)
