import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsx as hono, Fragment as honoFragment } from 'hono/jsx'
import { expect, test } from 'vitest'
import { createContext } from '../../src/web/kit/html/context.ts'
import { asWritten, bufferOf, endsOf, pattern, type Tag, written } from '../../src/web/kit/html/html.ts'
import { Fragment, jsx } from '../../src/web/kit/html/jsx-runtime.ts'

const hostile = `"><script>alert('1')</script>&‮😀ü`

type Make = (tag: unknown, props?: object, ...children: unknown[]) => unknown

/** The same JSX, created by either of the two. */
const own: Make = (tag, props, ...children) =>
  jsx((tag === honoFragment ? Fragment : tag) as Tag, { ...props, ...(children.length > 0 && { children }) })
const honos = hono as unknown as Make

test.each<[string, (make: Make) => unknown]>([
  ['hostile text', (make) => make('td', { 'data-label': hostile }, hostile)],
  [
    'a component',
    (make) =>
      make(
        'td',
        {},
        make(({ text }: { text: string }) => make('bdi', {}, text), { text: hostile }),
      ),
  ],
  [
    'a fragment',
    (make) => make(honoFragment, {}, 'a', ' ', make('small', {}, 5, null, false, undefined, ['b', hostile])),
  ],
  [
    'attributes that are there or not',
    (make) => make('input', { type: 'checkbox', checked: true, hidden: false, value: 0 }),
  ],
  [
    'the rarer ones of those',
    (make) =>
      make(
        'div',
        { inert: false, itemscope: true },
        make('script', { src: '/a', async: false, defer: true, nomodule: false }),
        make('video', { autoplay: false, controls: true, loop: false, muted: true, playsinline: false }),
        make('img', { ismap: false }),
        make('iframe', { allowfullscreen: false }),
      ),
  ],
  ['a word that is true or false', (make) => make('input', { 'aria-hidden': true, spellcheck: false })],
  ['attributes that are not there', (make) => make('p', { id: undefined, title: null }, '')],
  ['elements without content', (make) => make('td', {}, make('br'), make('input', { name: hostile }), make('td'))],
  ['a picture', (make) => make('svg', { viewBox: '0 0 1 1' }, make('title', {}, hostile), make('path', { d: 'M0 0' }))],
  ['a form with its button', (make) => make('form', { action: '/a?b&c' }, make('button', { type: 'submit' }, 'Go'))],
  [
    'a head',
    (make) =>
      make(
        'head',
        {},
        make('title', {}, hostile),
        make('link', { rel: 'icon', href: '/a' }),
        make('script', { src: '/b' }),
      ),
  ],
])('a page writes %s like Hono renders it', (_, made) => {
  expect(bufferOf(made(own)).toString()).toBe(String(made(honos)))
  expect(String(made(own))).toBe(String(made(honos)))
})

test('a pattern is filled with texts by name, each escaped, and placeholders in them are ignored', () => {
  const make = (...[title = '', text = '', more = text]: string[]) =>
    jsx('p', { title, children: [jsx('b', { children: text }), ' ü ', more] })
  const filled = pattern<'title' | 'text' | 'more'>(({ title, text, more }) => make(title, text, more) as never)
  for (const [title, text, more] of [
    [hostile, 'b', hostile],
    ['\0text\0', hostile, '\0'],
    ['', '', ''],
  ] as const)
    expect(String(filled({ title, text, more }))).toBe(String(make(title, text, more)))
})

test('only what is already rendered is not escaped', () => {
  const [start, end] = endsOf(jsx('td', { class: 'ü' }) as never)
  const cell = asWritten(start + written(hostile) + end)
  expect(String(jsx('tr', { children: cell }))).toBe(
    String(hono('tr', {}, hono('td', { class: 'ü' }, hostile) as never)),
  )
  for (const child of [{ toString: () => '<b>' }, Object.assign(new String('<b>'), { isEscaped: true }), Symbol('b')])
    expect(() => written(child)).toThrow('JSX cannot write')
  for (const props of [{ 'a b': '1' }, { 'on"': '1' }, { dangerouslySetInnerHTML: { __html: '<b>' } }, { style: {} }])
    expect(() => written(jsx('td', props))).toThrow('JSX cannot write the attribute')
})

test('children of a provider get its value, and later siblings do not', () => {
  const { Provider, now } = createContext('outside')
  const WrittenReport = () => jsx('b', { children: now() })
  const fails = () => {
    throw new Error('broken')
  }
  const inside = jsx(Provider, { value: 'inside', children: jsx(WrittenReport, {}) })
  expect(written([jsx(WrittenReport, {}), inside, jsx(WrittenReport, {})])).toBe(
    '<b>outside</b><b>inside</b><b>outside</b>',
  )
  expect(() => written(jsx(Provider, { value: 'inside', children: jsx(fails, {}) }))).toThrow('broken')
  expect(now()).toBe('outside')
})

test('no page turns text into HTML itself', () => {
  const folders = ['src/web', 'src/areas'].flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((file) => file.endsWith('.tsx'))
      .map((file) => join(folder, file)),
  )
  const those = (pattern: RegExp) => folders.filter((file) => pattern.test(readFileSync(file, 'utf8')))
  expect(those(/dangerouslySetInnerHTML|hono\/html/)).toEqual([])
  expect(those(/asWritten/)).toEqual(['src/web/routes.tsx', 'src/web/kit/lists/table.tsx'])
})

test('text around the placeholders of a pattern is never one', () => {
  const context = '\0csrf\0 {csrf}'
  const filled = pattern<'csrf'>(({ csrf }) => jsx('p', { title: context, children: [context, csrf] }) as never)
  expect(written(filled({ csrf: 'secret' }))).toBe(`<p title="${context}">${context}secret</p>`)
})
