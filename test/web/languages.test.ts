import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { allAdvice } from '../../src/areas/email/dns/advice.ts'
import { privileges } from '../../src/contract/common.ts'
import { events } from '../../src/contract/events.ts'
import { operationList } from '../../src/contract/index.ts'
import { problems } from '../../src/contract/problem.ts'
import { languageFor } from '../../src/web/http/language.ts'
import { jobInWords } from '../../src/web/kit/i18n/job-words.ts'
import german from '../../src/web/text/de.json' with { type: 'json' }
import { startPanel } from '../harness.ts'
import { everyPage } from './every-page.ts'
import { declared } from './map.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withAlice(more: object = {}) {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password, ...more })
  return { panel, alice, visitor: await new Visitor(panel).signIn('alice') }
}

/** Names, values, commands and times are the same in every language. */
const machine =
  /<head>[\s\S]*?<\/head>|<(bdi|pre|code|time|kbd|textarea|datalist)\b[\s\S]*?<\/\1>|<(option|label)\b[^>]* translate="no"[\s\S]*?<\/\2>/g

/** Units, record types, days on charts, the two forms of commands, and initials. */
const ofNone = /\b([kMGT]?B|panel|curl|[A-Z]{2,5}|OPENPGPKEY|SMIMEA|[A-Z][a-z]{2} \d{1,2}, \d{4})\b/g

/** Words of a page that were not translated. */
const englishIn = (body: string): string[] =>
  untranslated(body.replace(machine, ' ').replace(/<[^>]*>/g, '\n'))
    .split('\n')
    .map(textOf)
    .filter((text) => /\p{L}{2,}/u.test(text.replace(ofNone, '')))

/** One translation may contain another. */
function untranslated(text: string): string {
  const less = text.replace(/⟦[^⟦⟧]*⟧/g, '')
  return less === text ? less : untranslated(less)
}

describe('pages in another language', { timeout: 60_000 }, () => {
  test('every page is fully translated, right to left, and its command reads left to right', async () => {
    const { panel, alice, visitor } = await withAlice()
    const wrong: string[] = []
    for (const { who, address } of await everyPage(panel, alice.id, visitor)) {
      if (!address.startsWith('/admin')) continue
      const { status, body } = await who.get(address, { 'Accept-Language': 'ar-XB' })
      if (status !== 200 || !body.includes('<html lang="ar-XB" dir="rtl"')) wrong.push(`${address}: ${status}`)
      if (body.includes('id="say-line"') && !body.includes('<bdi dir="ltr" id="say-line">'))
        wrong.push(`${address}: command`)
      wrong.push(...englishIn(body).map((text) => `${address}: ${text}`))
    }
    expect(wrong).toEqual([])
  })
})

describe('language of a page', () => {
  test("takes the account's own language; before signing in, and for administrators, the browser's", async () => {
    const { panel, visitor } = await withAlice({ locale: 'de' })
    expect(textOf((await visitor.get('/user/', { 'Accept-Language': 'en' })).body)).toContain('Postfächer')
    const stranger = new Visitor(panel)
    const requests = async (header: string) =>
      textOf((await stranger.get('/user/login', { 'Accept-Language': header })).body)
    expect(await requests('de-AT, en;q=0.5')).toContain('Passwort')
    expect(await requests('fr, de;q=0.8, en;q=0.9')).toContain('Sign in')
    expect(await requests('xx, *;q=0, "><script>')).toContain('Sign in')
  })

  test('formats numbers and dates by its locale, and leaves names alone', async () => {
    const { panel, alice, visitor } = await withAlice({ locale: 'de' })
    await panel.post(`/accounts/${alice.id}/email/accounts`, {
      address: 'info@alice.example',
      password,
      quota_mb: 1500,
    })
    const list = await visitor.get('/user/email')
    expect(list.body).toContain('lang="de" dir="ltr"')
    expect(textOf(list.body)).toContain('1.500 MB')
    expect(list.body).toContain('<bdi dir="ltr" class="m">info@alice.example</bdi>')
    expect(textOf(list.body)).toContain('panel email list')
  })
})

/** Texts that views request literally. */
function literals(): string[] {
  const files = ['src/web', 'src/areas'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx') && !name.includes('reference'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  )
  const requests = /\bt\(\s*('(?:[^'\\]|\\.)*'|"[^"]*")|\b(?:title|label|lead|send|save)=("[A-Z][^"]*")/g
  return files.flatMap((source) =>
    [...source.matchAll(requests)].map(([, text, input]) => (text ?? input)!.slice(1, -1)),
  )
}

/** What has the same name in every language. */
const names = /^([A-Z0-9%]{1,8}|MB\/s|DNSSEC|MySQL|phpMyAdmin)$/

/** The requested texts that German lacks. */
const lacking = (texts: Iterable<string>): string[] =>
  [...new Set(texts)].filter((text) => !Object.hasOwn(german, text) && !names.test(text))

test('no text of any page is left in English on German pages', { timeout: 60_000 }, async () => {
  const output = vi.spyOn(languageFor('de', undefined), 'say')
  const { panel, alice, visitor } = await withAlice({ locale: 'de' })
  for (const { who, address } of await everyPage(panel, alice.id, visitor))
    if (address.startsWith('/admin') || !address.includes('/activity'))
      await who.get(address, { 'Accept-Language': 'de' })
  expect(lacking(output.mock.calls.map(([text]) => text))).toEqual([])
})

test('leaves nothing that pages say about acts, their effects and errors in English', () => {
  const texts = declared.flatMap(({ title, empty, add, nav, acts = {}, sections: extra = {}, downloads = {} }) => [
    ...[title, empty, add?.label, nav?.label],
    ...Object.values(downloads),
    ...Object.values(extra).map((ask) => ask.title),
    ...Object.values(acts).flatMap(({ done, label, title, confirm }) => [
      ...[done, label, title],
      ...(Array.isArray(confirm) ? confirm : []),
    ]),
  ])
  const titles = [...Object.values(problems).map(({ title }) => title), ...Object.values(privileges)]
  const jobs = operationList.flatMap(({ job }) => (job === undefined ? [] : [jobInWords(job)]))
  const occurred = Object.values(events).flatMap(({ summary }) => {
    const [, first = '', noun, rest] = /^An? (\w)([\w ]*?) ((?:was|became|stopped) .*)$/.exec(summary) ?? []
    return [summary, ...(first === '' ? [] : [`${first.toUpperCase()}${noun} {name} ${rest}`])]
  })
  const all = [
    ...texts.filter((text) => text !== undefined),
    ...titles,
    ...jobs,
    ...occurred,
    ...allAdvice,
    ...literals(),
  ]
  expect(lacking(all)).toEqual([])
})

test('a translation fills in the same values as its text', () => {
  const holes = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted()
  const wrong = Object.entries(german).filter(
    ([text, output]) => output === '' || `${holes(text)}` !== `${holes(output)}`,
  )
  expect(wrong).toEqual([])
})

test('the settings offer the languages of the pages, and keep the saved one', async () => {
  const offered = async (locale: string) => {
    const { visitor } = await withAlice({ locale })
    const { body } = await visitor.get('/user/settings')
    return ['en', 'de', 'fr', 'ja'].filter((one) =>
      new RegExp(`name="locale"[^>]*value="${one}"|<option[^>]*value="${one}"`).test(body),
    )
  }
  expect(await offered('de')).toEqual(['en', 'de'])
  expect(await offered('fr')).toEqual(['en', 'de', 'fr'])
})
