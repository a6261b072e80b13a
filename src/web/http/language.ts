import { english, inLanguage, type Language } from '../kit/i18n/i18n.ts'
import { lookupOwn } from '../kit/lookup.ts'
import type { C } from '../panel-request.ts'
import de from '../text/de.json' with { type: 'json' }
import { preferencesOf } from './preferences.ts'

const known: Readonly<Record<string, Language>> = {
  en: english,
  de: catalogue('de', de),
  'ar-XB': { locale: 'ar-XB', formats: 'en', dir: 'rtl', say: pseudo },
}

/** Whether the pages are translated into it. */
export const isTranslated = (locale: string): boolean => Object.hasOwn(known, locale)

/** Missing texts stay English. */
function catalogue(locale: string, texts: Readonly<Record<string, string>>): Language {
  return { locale, formats: locale, dir: 'ltr', say: (text) => lookupOwn(texts, text) ?? text }
}

const accents: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ö', u: 'ü', c: 'ç', n: 'ñ', y: 'ý' }

/** Longer, accented and right to left, so that untranslated text stands out. */
function pseudo(text: string): string {
  const bent = text.replace(/\{\w+\}|[aeioucny]/g, (found) => accents[found] ?? found)
  return `⟦${bent}${'~'.repeat(Math.ceil(text.length / 3))}⟧`
}

/** The account's language, or the one preferred in this browser; otherwise the browser's. */
export const languageFor = (locale: string | undefined, accepted: string | undefined): Language =>
  lookupOwn(known, locale ?? '') ?? preferred(accepted ?? '') ?? english

/** The header's first available language, by weight. */
function preferred(header: string): Language | undefined {
  const accepted = header.split(',').map((part) => {
    const [tag = '', weight = ''] = part.trim().split(/\s*;\s*q=/)
    return { tag, weight: weight === '' ? 1 : Number(weight) || 0 }
  })
  const found = accepted
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => lookupOwn(known, tag) ?? lookupOwn(known, tag.split('-')[0]!.toLowerCase()))
  return found.find((language) => language !== undefined)
}

const name = 'language'

/** Sets the language of the whole response. */
export const speak = (c: C, locale: string | undefined): void =>
  c.set(name, languageFor(locale ?? preferencesOf(c).locale, c.req.header('accept-language')))

/** Renders in the request's language: the browser's, unless the account has set one. */
export function inLanguageOf<T>(c: C, render: () => T): T {
  if (!c.get(name)) speak(c, undefined)
  return inLanguage(c.get(name), render)
}
