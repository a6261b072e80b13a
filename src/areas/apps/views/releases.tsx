import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { ButtonForm } from '../../../web/kit/forms/form.tsx'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** Labels for statuses that users would not understand in the API's words. */
export const words: Readonly<Record<string, string>> = { superseded: 'kept', pruned: 'removed' }

export const isRetained = ({ status }: Answered): boolean => status === 'superseded'
export const liveAmong = (items: readonly Answered[] = []): Answered => items.find(({ status }) => status === 'live')

/** An app's releases, newest first; those that are kept can be rolled back to. */
export const Releases = ({ view, items }: { view: ViewContext; items: readonly Answered[] }) => (
  <ul class="list">
    {items.map((release) => (
      <li>
        <span>
          <a href={view.href('/apps/{app}/releases/{number}', release)}>{release.number}</a>{' '}
          <Code text={(release.commit ?? release.ref ?? release.source).slice(0, 12)} />
        </span>
        <Chip status={words[release.status] ?? release.status} />
        <span class="soft">
          <Time at={release.activated_at ?? release.created_at} now={view.now} />
        </span>
        {isRetained(release) ? <RollBack view={view} release={release} /> : null}
      </li>
    ))}
  </ul>
)

export const RollBack = ({ view, release }: { view: ViewContext; release: Answered }) => (
  <ButtonForm of={view.form('rollbackApp')} label="Roll back">
    <input type="hidden" name="release_id" value={release.id} />
  </ButtonForm>
)
