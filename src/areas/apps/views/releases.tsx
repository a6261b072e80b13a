import { Chip } from '../../../web/kit/chip.tsx'
import { ButtonForm } from '../../../web/kit/form.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import type { Answered, Visit } from '../../../web/kit/screen.ts'
import { Time } from '../../../web/kit/time.tsx'

/** Labels for statuses that users would not understand in the API's words. */
export const words: Readonly<Record<string, string>> = { superseded: 'kept', pruned: 'removed' }

export const isKept = ({ status }: Answered): boolean => status === 'superseded'
export const liveAmong = (items: readonly Answered[] = []): Answered => items.find(({ status }) => status === 'live')

/** An app's releases, newest first; those that are kept can be rolled back to. */
export const Releases = ({ visit, items }: { visit: Visit; items: readonly Answered[] }) => (
  <ul class="list">
    {items.map((release) => (
      <li>
        <span>
          <a href={visit.href('/apps/{app}/releases/{number}', release)}>{release.number}</a>{' '}
          <Machine text={(release.commit ?? release.ref ?? release.source).slice(0, 12)} />
        </span>
        <Chip status={words[release.status] ?? release.status} />
        <span class="soft">
          <Time at={release.activated_at ?? release.created_at} now={visit.now} />
        </span>
        {isKept(release) ? <RollBack visit={visit} release={release} /> : null}
      </li>
    ))}
  </ul>
)

export const RollBack = ({ visit, release }: { visit: Visit; release: Answered }) => (
  <ButtonForm of={visit.form('rollbackApp')} label="Roll back">
    <input type="hidden" name="release_id" value={release.id} />
  </ButtonForm>
)
