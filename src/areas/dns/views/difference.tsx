import type { Answered } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Records, Row } from './rows.tsx'
import { type Said, saidBy } from './said.ts'

/** A record to add, to remove, or to replace another of its name and type. */
interface Pair {
  readonly old?: Said
  readonly now?: Said
  /** Someone else added or changed the old record after the text was read. */
  readonly clashes?: boolean
}

const most = 200

/** What saving a text would change in the zone, by record. */
export const Difference = ({ difference, since }: { difference: Answered; since: number }) => {
  const pairs = pairsOf(difference, since)
  return (
    <div class="card">
      <Records caption="What will change">
        {pairs.slice(0, most).map((pair) => (
          <PairRow {...pair} />
        ))}
      </Records>
      {pairs.length > most ? <p class="pad">{t('And {count} more.', { count: pairs.length - most })}</p> : null}
    </div>
  )
}

const PairRow = ({ old, now, clashes }: Pair) => (
  <Row
    mark={old && now ? '~' : now ? '+' : '−'}
    kind={old && now ? 'changed' : now ? 'new' : 'deleted'}
    said={now ?? old!}
    old={now && old}
    note={clashes ? <p class="error">{t('Conflict: someone else added or changed it.')}</p> : null}
  />
)

export const countOf = ({ created, deleted }: Answered, since: number): number =>
  pairsOf({ created, deleted }, since).length

function pairsOf({ created, deleted }: Answered, since: number): Pair[] {
  const coming = new Map<string, Said[]>()
  for (const said of created.map(saidBy) as Said[]) coming.set(keyOf(said), [...(coming.get(keyOf(said)) ?? []), said])
  const going = (deleted as Answered[]).map((record): Pair => {
    const old = saidBy(record)
    const now = coming.get(keyOf(old))?.shift()
    return { old, ...(now && { now }), clashes: record.updated_at > since }
  })
  return [...going, ...[...coming.values()].flat().map((now): Pair => ({ now }))].toSorted(clashesFirst)
}

const clashesFirst = (one: Pair, other: Pair): number => Number(other.clashes ?? false) - Number(one.clashes ?? false)

const keyOf = (said: Said): string => `${said['name']} ${said['type']}`
