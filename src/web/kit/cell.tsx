import { Chip } from './chip.tsx'
import { bytes, count, megabytes } from './format.ts'
import { Machine } from './machine.tsx'
import type { Answered } from './screen.ts'
import { t } from './text.ts'
import { Time } from './time.tsx'

const isTime = (field: string): boolean => /(^|_)(at|until|since)$|^not_(after|before)$/.test(field)
const isStatus = (field: string): boolean => /(^|_)(status|outcome|state)$/.test(field)
const isLimit = (field: string): boolean => /^max_|_limit(_mb)?$|quota_mb$|(^|\.)limit$/.test(field)
const isProse = (field: string): boolean =>
  /(comment|description|reason|detail|summary|title|message|label|note|error)$/.test(field)

/** What a column shows of an item: dots reach into objects. */
export const valueAt = (item: Answered, field: string): unknown =>
  field.split('.').reduce<Answered>((value, part) => value?.[part], item)

/** Numbers that are no times stand at the end of their column. */
export const standsAtEnd = (field: string, value: unknown): boolean => typeof value === 'number' && !isTime(field)

/** A value of an answer, by what its field is called. */
export const Cell = ({ field, value, now }: { field: string; value: unknown; now: number }) => {
  if (value === undefined || value === null || value === '')
    return <Absent limit={isLimit(field) && value === undefined} />
  if (typeof value === 'boolean') return <>{t(value ? 'Yes' : 'No')}</>
  if (typeof value === 'number') return isTime(field) ? <Time at={value} now={now} /> : <>{numberIn(field, value)}</>
  if (Array.isArray(value)) return <Many values={value} />
  if (typeof value === 'object') return <Machine text={JSON.stringify(value)} />
  const text = String(value)
  if (isStatus(field)) return <Chip status={text} />
  return isProse(field) ? <bdi>{text}</bdi> : <Machine text={text} />
}

const Absent = ({ limit }: { limit: boolean }) => <span class="soft">{limit ? t('unlimited') : '–'}</span>

const isNumber = (field: string): boolean => /(^|_)(port|uid|pid|number|version|seq|code|serial|ttl)$/.test(field)

function numberIn(field: string, value: number): string {
  if (isNumber(field)) return String(value)
  if (/_mb(\.\w+)?$/.test(field)) return megabytes(value)
  return /_bytes$|^size$/.test(field) ? bytes(value) : count(value)
}

const Many = ({ values }: { values: readonly unknown[] }) =>
  values.every((one) => typeof one !== 'object') ? (
    <>
      {values.map((one, place) => (
        <>
          {place > 0 ? ', ' : ''}
          <Machine text={String(one)} />
        </>
      ))}
    </>
  ) : (
    <>{count(values.length)}</>
  )
