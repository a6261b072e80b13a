import type { Child } from 'hono/jsx'
import { privileges } from '../../../contract/common.ts'
import { seen } from '../../../shared/command-line/quote.ts'
import { limitDefaultOf } from '../../../shared/limit-defaults.ts'
import { memoize } from '../../../shared/memoize.ts'
import { bytes, count, limitMegabytes, megabytes } from '../format/format.ts'
import { t } from '../i18n/i18n.ts'
import { jobInWords } from '../i18n/job-words.ts'
import { optionLabel } from '../i18n/label.ts'
import { isClosed, tongue } from '../i18n/value-words.ts'
import { lookupOwn } from '../lookup.ts'
import type { Answered } from '../screen.ts'
import { Chip } from './chip.tsx'
import { Code } from './code.tsx'
import { Time } from './time.tsx'

export const isTime = (field: string): boolean => /(^|[._])(at|until|since|seen|not_after|not_before)$/.test(field)
const isStatus = (field: string): boolean => /(^|[._])(status|outcome|state)$/.test(field)
/** Absent, such a field means: unlimited. */
export const isLimit = (field: string): boolean =>
  /^max_|_limit(_mb)?$|quota_mb$|(^|\.)limit$/.test(field) || limitDefaultOf(field) !== undefined
/** A job's kind; other kinds have no dots. */
const isKind = (field: string): boolean => field === 'kind'
export const isProse = (field: string): boolean =>
  /(comment|description|reason|detail|summary|title|message|label|note|error)$/.test(field)

/** A column's value; dotted names reach into objects. */
export const valueAt = (item: Answered, field: string): unknown =>
  field.includes('.') ? field.split('.').reduce<Answered>((value, part) => value?.[part], item) : item?.[field]

/** Numbers other than times are aligned to the end. */
export const isEndAligned = (field: string, value: unknown): boolean => typeof value === 'number' && !isTime(field)

type Show = (value: unknown, now: number) => Child

/** Renders a value of an answer, by its field's name. */
export const Cell = ({ field, value, now }: { field: string; value: unknown; now: number }) => (
  <>{cellOf(field)(value, now)}</>
)

/** Text written by people, in either direction. */
export const prose = (text: string) => <bdi>{seen(text)}</bdi>

const MAX_CACHED_CELLS = 1_000
const known = new Map<string, Show>()

/** How to render a field's values, determined once per field. */
export const cellOf = (field: string): Show => memoize(known, field, () => showOf(field), MAX_CACHED_CELLS)

function showOf(field: string): Show {
  const [showText, showNumber] = [textIn(field), numberIn(field)]
  return (value, now) => {
    if (value === undefined || value === null || value === '')
      return <Absent field={field} limit={value === undefined && isLimit(field)} now={now} />
    if (typeof value === 'string') return showText(value)
    if (typeof value === 'number') return showNumber(value, now)
    if (typeof value === 'boolean') return t(value ? 'Yes' : 'No')
    return Array.isArray(value) ? <Many field={field} values={value} /> : <Code text={JSON.stringify(value)} />
  }
}

function textIn(field: string): (text: string) => Child {
  if (isStatus(field)) return (status) => <Chip status={status} />
  if (isKind(field)) return (text) => (text.includes('.') ? t(jobInWords(text)) : <Word field={field} text={text} />)
  if (field === 'locale') return (text) => <bdi>{tongue(text)}</bdi>
  if (isClosed(field)) return (text) => <Word field={field} text={text} />
  if (isProse(field)) return prose
  return (text) => (/\n./.test(text) ? <Lines text={text} /> : <Code text={text} />)
}

/** Text of several lines, such as a certificate. */
const Lines = ({ text }: { text: string }) => (
  <pre dir="ltr" class="code" tabindex={0}>
    {text.trimEnd().split('\n').map(seen).join('\n')}
  </pre>
)

const Nothing = () => <span class="soft">–</span>

/** A limit that is not set: what applies instead, or nothing. */
const Absent = ({ field, limit, now }: { field: string; limit: boolean; now: number }) => {
  const standard = limitDefaultOf(field)
  if (!limit) return <Nothing />
  if (standard === undefined) return <span class="soft">{t('unlimited')}</span>
  return (
    <>
      {numberIn(field)(standard, now)} <span class="soft">{t('by default')}</span>
    </>
  )
}

const isNumber = (field: string): boolean => /(^|_)(port|uid|pid|number|version|seq|code|serial|ttl)$/.test(field)

function numberIn(field: string): (value: number, now: number) => Child {
  if (isTime(field)) return (at, now) => <Time at={at} now={now} />
  if (isNumber(field)) return String
  if (/_mb(\.\w+)?$/.test(field)) return isLimit(field) ? limitMegabytes : megabytes
  if (/_pct$/.test(field)) return (value) => `${count(value)}%`
  if (/_ms$/.test(field)) return (value) => `${count(value)} ${t('ms')}`
  if (/_s$/.test(field)) return (value) => `${count(value)} ${t('seconds')}`
  return /_bytes$|^size$/.test(field) ? bytes : count
}

/** A value of a closed set; `dns-01` stays as it is. */
const Word = ({ field, text }: { field: string; text: string }) => {
  const word = optionLabel(text, field)
  return word === text ? <Code text={text} /> : <>{t(word)}</>
}

const partOf = (one: Answered): unknown => (one && typeof one === 'object' ? (one.part ?? one.name ?? one) : one)

const Many = ({ field, values: all }: { field: string; values: readonly unknown[] }) => {
  const values = all.map(partOf)
  if (values.length === 0) return <Nothing />
  return values.every((one) => typeof one !== 'object') ? (
    <>
      {values.map((one, place) => (
        <>
          {place > 0 ? ', ' : ''}
          {field === 'acl' ? (
            t(lookupOwn(privileges, String(one)) ?? String(one))
          ) : isClosed(field) ? (
            <Word field={field} text={String(one)} />
          ) : (
            <Code text={String(one)} />
          )}
        </>
      ))}
    </>
  ) : (
    <>{count(values.length)}</>
  )
}
