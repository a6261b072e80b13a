import type { Child } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

type Props = Readonly<Record<string, unknown>>
export type Tag = string | ((props: never) => unknown)

/** An element or a component with its props: rendered when its page is written. */
export class Node {
  readonly tag: Tag
  readonly props: Props
  constructor(tag: Tag, props: Props) {
    this.tag = tag
    this.props = props
  }
  toString(): string {
    return textOf(this)
  }
}

/** HTML in UTF-8, one character per byte. */
class Written {
  readonly bytes: string
  constructor(bytes: string) {
    this.bytes = bytes
  }
  toString(): string {
    return textOf(this)
  }
}

/** Trusts bytes as HTML, for use in JSX. */
export const asWritten = (bytes: string): HtmlEscapedString => new Written(bytes) as unknown as HtmlEscapedString

/**
 * HTML in UTF-8, one character per byte: pages consist of many small parts, and such a string becomes a buffer at a
 * quarter of the cost. All text is escaped.
 */
export function written(child: unknown): string {
  if (typeof child === 'string') return escaped(child)
  if (child instanceof Written) return child.bytes
  if (child instanceof Node) return typeof child.tag === 'string' ? element(child.tag, child.props) : component(child)
  if (typeof child === 'number') return String(child)
  if (child === null || child === undefined || typeof child === 'boolean') return ''
  if (Array.isArray(child)) return all(child)
  throw new TypeError(`JSX cannot write ${String(child)}`)
}

export const bufferOf = (child: unknown): Buffer => Buffer.from(written(child), 'latin1')
const textOf = (child: unknown): string => bufferOf(child).toString()

/** Renders immediately, for use on more than one page. */
export const drawn = (child: unknown): HtmlEscapedString => asWritten(written(child))

/** The start and end tags of an element, to wrap many things. */
export function endsOf(context: Child): readonly [start: string, end: string] {
  const text = written(context)
  const cut = text.lastIndexOf('</')
  return [text.slice(0, cut), text.slice(cut)]
}

/** Wraps content in an element whose tags are rendered once. */
export function framed(context: Child): (inner: unknown) => HtmlEscapedString {
  const [start, end] = endsOf(context)
  return (inner) => asWritten(start + written(inner) + end)
}

/** Markup rendered once, with placeholders: `pattern<'id'>(({ id }) => <b id={id}>{id}</b>)({ id: 'one' })`. */
export function pattern<Place extends string>(make: (places: Readonly<Record<Place, string>>) => Child) {
  const parts = written(make(places as Record<Place, string>)).split(mark)
  return (inner: Readonly<Record<Place, unknown>>): HtmlEscapedString => {
    let text = parts[0]!
    for (let at = 1; at < parts.length; at += 2) text += written(inner[parts[at] as Place]) + parts[at + 1]
    return asWritten(text)
  }
}

/** Random, so that no tenant's text can pass for a placeholder. */
const mark = crypto.randomUUID()
const places = new Proxy({}, { get: (_, name) => `${mark}${String(name)}${mark}` })

const component = ({ tag, props }: Node): string => written((tag as (props: Props) => unknown)(props))

function all(children: readonly unknown[]): string {
  let text = ''
  for (const child of children) text += written(child)
  return text
}

const empty: ReadonlySet<string> = new Set(['br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])

function element(tag: string, props: Props): string {
  const start = `<${tag}${attributesOf(props)}`
  return empty.has(tag) ? `${start}/>` : `${start}>${written(props['children'])}</${tag}>`
}

/** Boolean attributes; for others, `true` is a text. */
const flags: ReadonlySet<string> = new Set([
  ...['hidden', 'checked', 'selected', 'disabled', 'required', 'readonly', 'multiple'],
  ...['autofocus', 'novalidate', 'formnovalidate', 'open', 'download', 'reversed', 'inert', 'async', 'defer'],
  ...['nomodule', 'allowfullscreen', 'itemscope', 'ismap', 'default'],
  ...['autoplay', 'controls', 'loop', 'muted', 'playsinline'],
])

function attributesOf(props: Props): string {
  let text = ''
  for (const name in props) {
    const value = props[name]
    if (name === 'children' || value === undefined || value === null) continue
    if (typeof value === 'string') text += ` ${checked(name)}="${escaped(value)}"`
    else if (typeof value === 'number') text += ` ${checked(name)}="${value}"`
    else if (typeof value !== 'boolean') throw new TypeError(`JSX cannot write the attribute ${name}`)
    else if (!flags.has(name)) text += ` ${checked(name)}="${value}"`
    else if (value) text += ` ${name}=""`
  }
  return text
}

const names = new Set<string>()

/** Attribute names come only from code; unchecked input here would be an injection hole. */
function checked(name: string): string {
  if (names.has(name)) return name
  if (!/^[a-zA-Z][\w:-]*$/.test(name)) throw new TypeError(`JSX cannot write the attribute ${name}`)
  if (names.size < 1_000) names.add(name)
  return name
}

const plain = /^[^&<>'"\x80-\uffff]*$/
const ascii = /^[^\x80-\uffff]*$/
const special = /[&<>'"]/

function escaped(text: string): string {
  if (plain.test(text)) return text
  const safe = special.test(text) ? withEntities(text) : text
  return ascii.test(safe) ? safe : Buffer.from(safe).toString('latin1')
}

/** One replacement each: a combined pattern would call a function for every quote of a page of JSON. */
const withEntities = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&quot;')
