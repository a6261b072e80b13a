import { LinkButton, Submit } from '../../../web/kit/components/button.tsx'
import { CodeArea, typedText } from '../../../web/kit/components/code-area.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { accountOf, Drafted, FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, FormModel, PageView, Staging, ViewContext } from '../../../web/kit/screen.ts'
import { countOf, Difference } from './difference.tsx'

/** Shows the difference before anything is saved. */
export const comparing: Staging = {
  when: (form) => !form.has('_yes'),
  next: ({ typed }) => typed ?? new URLSearchParams(),
}

export const compared = (typed: URLSearchParams): object => ({ zone_file: typed.get('zone_file') ?? '' })

/** Longer texts have no undo button: sent twice, they would be too long for a form whose session has ended. */
const MAX_UNDO_LENGTH = 12_000

/** The text as it was read, with the serial that saving the new one produced. */
export function undoneText(form: URLSearchParams, { zone }: Answered): URLSearchParams | undefined {
  const old = form.get('_old')
  if (old === null) return undefined
  return new URLSearchParams({ serial: String(zone.serial), zone_file: old, mode: 'replace', _yes: '1' })
}

/** A zone as a zone file, to view and to replace. */
export function zoneText(view: ViewContext): PageView {
  const form = view.form('importDnsZone', { only: [] })
  return {
    title: view.names['zone']!,
    machine: true,
    lead: t('The zone becomes what the text says. What will change is shown first.'),
    body: form ? (
      <Editor view={view} form={form} />
    ) : (
      <pre class="card pad">
        <bdi dir="ltr">{view.data.zone_file}</bdi>
      </pre>
    ),
  }
}

const Editor = ({ view, form }: { view: ViewContext; form: FormModel }) => {
  const { data, typed, now } = view
  const text = typedText(typed, 'zone_file') ?? data.zone_file
  const isRead = form.refusal?.code === 'serial-mismatch'
  const serial = (isRead ? undefined : typed?.get('serial')) ?? data.serial
  const old = (isRead ? undefined : typed?.get('_old')) ?? data.zone_file
  const since = Number(typed?.get('_since') ?? now)
  return (
    <form method="post" action={form.action} class="stack" data-once="" data-draft={typed ? 'typed' : ''}>
      <Hidden of={form} />
      <input type="hidden" name="mode" value="replace" />
      <input type="hidden" name="serial" value={serial} />
      <input type="hidden" name="_since" value={since} />
      {old.length > MAX_UNDO_LENGTH ? null : <input type="hidden" name="_old" value={old} />}
      <FormError of={form.refusal} />
      <Drafted of={accountOf(view)} />
      {typed ? <Outcome difference={view.sections['difference']} since={since} /> : null}
      <CodeArea id="zone_file" label={t('Zone file')} text={text} />
      <p class="buttons">
        <Submit label="Show what will change" look={typed ? undefined : 'main'} />
        <LinkButton href={view.href('/dns/{zone}')} label="Cancel" />
      </p>
    </form>
  )
}

/** What the text would change, with the button to save it; or its errors. */
const Outcome = ({ difference, since }: { difference: Answered; since: number }) => {
  if (!difference) return null
  if (difference.refused !== undefined)
    return (
      <p class="faults" role="alert">
        {difference.refused}
      </p>
    )
  const changes = countOf(difference, since)
  if (changes === 0) return <p role="status">{t('No changes.')}</p>
  return (
    <>
      <div class="notice" role="status">
        <b>
          {changes === 1 ? t('1 record will change.') : t('{count} records will change.', { count: count(changes) })}
        </b>
        <span>{t('They are applied together or not at all.')}</span>
        <button type="submit" class="main" name="_yes" value="1">
          {changes === 1 ? t('Save 1 change') : t('Save {count} changes', { count: count(changes) })}
        </button>
      </div>
      <Difference difference={difference} since={since} />
    </>
  )
}
