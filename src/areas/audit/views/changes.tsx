import { isId } from '../../../contract/common.ts'
import { Code } from '../../../web/kit/components/code.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { labelOf, ownLabel, unitOf } from '../../../web/kit/i18n/label.ts'
import type { Answered } from '../../../web/kit/screen.ts'

const MAX_CHANGES = 4
/** What a changed object is called by. */
const identifying = ['app', 'zone', 'address', 'login', 'name', 'type']

/** What a change changed, in words: "disk quota 2000 → 3000 MB". */
export const Changes = ({ operation, before = {}, after = {} }: Answered) => {
  const [was, is] = [flat(before), flat(after)]
  const known = identifying.flatMap((name) => (was[name] !== undefined && was[name] === is[name] ? [was[name]] : []))
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name])
  return (
    <>
      {known.length > 0 ? <Code text={known.join(' ')} /> : null}{' '}
      {names.slice(0, MAX_CHANGES).map((name, place) => (
        <>
          {place > 0 ? '; ' : ''}
          <Change name={name} label={labelIn(operation, name)} was={was[name]} is={is[name]} />
        </>
      ))}
      {names.length > MAX_CHANGES ? ' …' : null}
    </>
  )
}

interface ChangeProps {
  readonly name: string
  readonly label: string
  readonly was: string | undefined
  readonly is: string | undefined
}

const Change = ({ name, label, was, is }: ChangeProps) => {
  const unit = unitOf(name)
  const value = (text: string) => <Code text={text} />
  return (
    <span>
      {inSentence(t(label))} {was === undefined ? null : value(was)}
      {was === undefined ? null : ' → '}
      {is === undefined ? (was === undefined ? null : '–') : value(is)}
      {unit === undefined ? null : ` ${t(unit)}`}
    </span>
  )
}

/** The `mode` of a zone's import is not that of a file. */
const labelIn = (operation: string, name: string): string =>
  ownLabel(`${operation}.${name}`) ?? labelOf(name, unitOf(name) !== undefined)

/** Without the capital of a label, unless it is an abbreviation. */
const inSentence = (label: string): string =>
  /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** Values by dotted names, without ids. */
function flat(object: Answered, prefix = ''): Readonly<Record<string, string>> {
  const all = Object.entries(object ?? {}).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null || value === '' || isId(value)) return []
    if (Array.isArray(value)) return [[prefix + name, textOf(value)]]
    if (typeof value === 'object') return Object.entries(flat(value, `${prefix}${name}.`))
    return [[prefix + name, typeof value === 'boolean' ? t(value ? 'Yes' : 'No') : String(value)]]
  })
  return Object.fromEntries(all)
}

/** A list of texts; how many objects there are. */
const textOf = (values: readonly unknown[]): string =>
  values.every((one) => typeof one !== 'object') ? values.join(', ') : String(values.length)
