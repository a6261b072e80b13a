import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered } from '../../../web/kit/screen.ts'
import { fieldsOf, type RecordFields } from './record-fields.ts'
import { Records, Row } from './rows.tsx'

/** A record to add, to remove, or to replace another of its name and type. */
interface Pair {
  readonly old?: RecordFields
  readonly now?: RecordFields
  /** Someone else added or changed the old record after the text was read. */
  readonly clashes?: boolean
}

const MAX_DIFFERENCES = 200

/** What saving a text would change in the zone, by record. */
export const Difference = ({ difference, since }: { difference: Answered; since: number }) => {
  const pairs = pairsOf(difference, since)
  return (
    <div class="card">
      <Records caption="What will change">
        {pairs.slice(0, MAX_DIFFERENCES).map((pair) => (
          <PairRow {...pair} />
        ))}
      </Records>
      {pairs.length > MAX_DIFFERENCES ? (
        <p class="pad">{t('And {count} more.', { count: pairs.length - MAX_DIFFERENCES })}</p>
      ) : null}
    </div>
  )
}

const PairRow = ({ old, now, clashes }: Pair) => (
  <Row
    mark={old && now ? '~' : now ? '+' : '−'}
    kind={old && now ? 'changed' : now ? 'new' : 'deleted'}
    fields={now ?? old!}
    old={now && old}
    note={clashes ? <p class="error">{t('Conflict: someone else added or changed it.')}</p> : null}
  />
)

export const countOf = ({ created, deleted }: Answered, since: number): number =>
  pairsOf({ created, deleted }, since).length

function pairsOf({ created, deleted }: Answered, since: number): Pair[] {
  const coming = new Map<string, RecordFields[]>()
  for (const fields of created.map(fieldsOf) as RecordFields[])
    coming.set(keyOf(fields), [...(coming.get(keyOf(fields)) ?? []), fields])
  const going = (deleted as Answered[]).map((record): Pair => {
    const old = fieldsOf(record)
    const now = coming.get(keyOf(old))?.shift()
    return { old, ...(now && { now }), clashes: record.updated_at > since }
  })
  return [...going, ...[...coming.values()].flat().map((now): Pair => ({ now }))].toSorted(clashesFirst)
}

const clashesFirst = (one: Pair, other: Pair): number => Number(other.clashes ?? false) - Number(one.clashes ?? false)

const keyOf = (fields: RecordFields): string => `${fields['name']} ${fields['type']}`
